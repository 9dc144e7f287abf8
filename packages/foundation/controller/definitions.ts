import { createHash } from 'node:crypto';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, type Clock, isForbidden, type KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';

const crdNotEstablished = defineDiagnosis(
  'CrdNotEstablished',
  'A custom resource definition of Tiphys was not taken up by the API server',
  'M11',
);

/** A CustomResourceDefinition as YAML, and the name of its file for messages. */
export interface DefinitionText {
  readonly file: string;
  readonly text: string;
}

const fieldManager = 'tiphys';
/** Tells which text of a definition was applied. */
const digestAnnotation = 'tiphys.dev/definition-digest';

/**
 * Applies definitions server-side (they are too big for client-side apply) where the cluster has not these very texts yet, and
 * resolves when the API server serves them. One that the client may not read or apply is left as it is where the server has it,
 * whoever installed it. Throws a diagnosis with the conditions that the server shows if one is not served within 30 s.
 */
export async function ensureDefinitions(
  client: Client,
  definitions: readonly DefinitionText[],
  clock: Clock,
): Promise<void> {
  await Promise.all(
    definitions.map(async ({ file, text }) => {
      try {
        await established(client, await applyDefinition(client, file, text), clock);
      } catch (error) {
        if (!isForbidden(error) || !(await isServed(client, file, text))) throw error;
      }
    }),
  );
  client.discovery.invalidate();
}

/** True if the server has the kind that a definition is for. */
async function isServed(client: Client, file: string, text: string): Promise<boolean> {
  const [document] = parseDocuments(text, { file }).documents;
  const { spec } = (document?.value ?? {}) as unknown as {
    spec?: { group: string; names: { kind: string }; versions: { name: string; served: boolean }[] };
  };
  if (!spec) return false;
  for (const { name, served } of spec.versions)
    if (served && (await client.discovery.find(`${spec.group}/${name}`, spec.names.kind))) return true;
  return false;
}

/**
 * Applies a definition unless the cluster has this very text already, and gives its name. It is large, and every start would
 * pay for reading it: the name is in a line of its own.
 */
async function applyDefinition(client: Client, file: string, text: string): Promise<string> {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const named = /^ +name: (\S+)$/m.exec(text)?.[1];
  const kind = 'CustomResourceDefinition';
  const existing = named && (await client.find({ apiVersion: 'apiextensions.k8s.io/v1', kind, name: named }));
  if (existing && existing.metadata.annotations?.[digestAnnotation] === digest) return named;
  const [document] = parseDocuments(text, { file }).documents;
  const definition = document?.value as unknown as KubeObject;
  const { metadata } = definition;
  const annotations = { ...metadata.annotations, [digestAnnotation]: digest };
  const applied = { ...definition, metadata: { ...metadata, annotations } };
  return (await client.apply(applied, { fieldManager, force: true })).metadata.name ?? '';
}

/** Gives up after 30 s of the clock, with the conditions that the API server shows. */
async function established(client: Client, name: string, clock: Clock): Promise<void> {
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
  const deadline = clock.now() + 30_000;
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    const status = (await client.get(ref)).status as
      | { conditions?: { type: string; status: string; message?: string }[] }
      | undefined;
    if (status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True')) return;
    if (clock.now() >= deadline) {
      throw failure(crdNotEstablished, {
        message: `The API server did not establish ${name} within 30 s`,
        place: { object: `CustomResourceDefinition ${name}` },
        evidence: { conditions: JSON.stringify(status?.conditions ?? []) },
        remedies: ['Look at the conditions: another definition may claim the same names'],
      });
    }
    await clock.sleep(wait);
  }
}
