import { createHash } from 'node:crypto';
import { customResourceDefinitions, names } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, type Clock, isAlreadyExists, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';

const crdNotEstablished = defineDiagnosis(
  'CrdNotEstablished',
  'A custom resource definition of Tiphys was not taken up by the API server',
  'M11',
);

const fieldManager = 'tiphys';
/** Tells which text of a definition was applied. */
const digestAnnotation = 'tiphys.dev/definition-digest';

/** ConfigMaps that exist in every installation, so that people can edit them; empty at first. */
const configMaps = [
  'argocd-cm',
  'argocd-cmd-params-cm',
  'argocd-rbac-cm',
  'argocd-ssh-known-hosts-cm',
  'argocd-tls-certs-cm',
  'argocd-gpg-keys-cm',
  'argocd-notifications-cm',
];

/**
 * Makes what the control plane needs where it is missing: CRDs (server-side apply), namespace, ConfigMaps and the project
 * `default`. What exists is left as it is, but for the CRDs. Safe to repeat.
 */
export async function ensureControlPlane(client: Client, namespace: string, clock: Clock = systemClock): Promise<void> {
  const definitions = await Promise.all(
    customResourceDefinitions().map(({ file, text }) => applyDefinition(client, file, text)),
  );
  await createMissing(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const label = { [names.labels.partOf]: 'argocd' };
  await Promise.all(
    configMaps.map((name) =>
      createMissing(client, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, labels: { ...label, 'app.kubernetes.io/name': name } },
      }),
    ),
  );
  await Promise.all(definitions.map((name) => established(client, name, clock)));
  client.discovery.invalidate();
  await createMissing(client, {
    apiVersion: names.apiVersion,
    kind: 'AppProject',
    metadata: { name: 'default', namespace },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  });
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

async function createMissing(client: Client, object: KubeObject): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const ref = {
    apiVersion,
    kind,
    name: metadata.name ?? '',
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  };
  if (await client.find(ref)) return;
  try {
    await client.create(object, { fieldManager });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
