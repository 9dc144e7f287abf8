import { createHash } from 'node:crypto';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { ApiError, type Client, type Clock, type KubeObject } from '@tiphys/kubernetes';
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
 * resolves when the API server serves them. Throws a diagnosis with the conditions that the server shows if one is not served
 * within 30 s. With `keepsOthers`, definitions that somebody else has installed are left as they are, and those that may not be
 * looked at are taken to be there.
 */
export async function ensureDefinitions(
  client: Client,
  definitions: readonly DefinitionText[],
  clock: Clock,
  { keepsOthers = false }: { readonly keepsOthers?: boolean } = {},
): Promise<void> {
  const given = await Promise.all(
    definitions.map(({ file, text }) => applyDefinition(client, { file, text, keepsOthers })),
  );
  const applied = given.filter((name) => name !== undefined);
  await Promise.all(applied.map((name) => established(client, name, clock)));
  client.discovery.invalidate();
}

/**
 * Applies a definition unless the cluster has this very text already, and gives its name; undefined if it is not ours. It is
 * large, and every start would pay for reading it: the name is in a line of its own.
 */
async function applyDefinition(
  client: Client,
  { file, text, keepsOthers }: DefinitionText & { readonly keepsOthers: boolean },
): Promise<string | undefined> {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const named = /^ +name: (\S+)$/m.exec(text)?.[1];
  const kind = 'CustomResourceDefinition';
  const existing = named && (await findDefinition(client, { kind, name: named, keepsOthers }));
  if (existing === 'hidden') return undefined;
  const known = existing && existing.metadata.annotations?.[digestAnnotation];
  if (existing && known === digest) return named;
  if (existing && known === undefined && keepsOthers) return undefined;
  const [document] = parseDocuments(text, { file }).documents;
  const definition = document?.value as unknown as KubeObject;
  const { metadata } = definition;
  const annotations = { ...metadata.annotations, [digestAnnotation]: digest };
  const applied = { ...definition, metadata: { ...metadata, annotations } };
  return (await client.apply(applied, { fieldManager, force: true })).metadata.name ?? '';
}

async function findDefinition(
  client: Client,
  { keepsOthers, ...ref }: { readonly kind: string; readonly name: string; readonly keepsOthers: boolean },
): Promise<KubeObject | 'hidden' | undefined> {
  try {
    return await client.find({ apiVersion: 'apiextensions.k8s.io/v1', ...ref });
  } catch (error) {
    if (keepsOthers && error instanceof ApiError && error.status === 403) return 'hidden';
    throw error;
  }
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
