import { customResourceDefinitions, names } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import {
  type Client,
  type Clock,
  isAlreadyExists,
  isForbidden,
  type KubeObject,
  systemClock,
} from '@tiphys/kubernetes';

const fieldManager = 'tiphys';

/**
 * Makes what the control plane needs where it is missing: CRDs (server-side apply), namespace, ConfigMaps and the project
 * `default`. What exists is left as it is, but for the CRDs. Safe to repeat.
 */
export async function ensureControlPlane(client: Client, namespace: string, clock: Clock = systemClock): Promise<void> {
  const definitions = ensureDefinitions(client, customResourceDefinitions(), clock);
  // a definition that fails is told of once what stands between is made
  definitions.catch(() => undefined);
  await createMissing(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }).catch((error) => {
    // a process with rights in its namespace alone runs in it: there is nothing to make
    if (!isForbidden(error)) throw error;
  });
  const label = { [names.labels.partOf]: 'argocd' };
  await Promise.all(
    names.installedConfigMaps.map((name) =>
      createMissing(client, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, labels: { ...label, 'app.kubernetes.io/name': name } },
      }),
    ),
  );
  // programs of Argo CD that read it, such as `argocd admin notifications`, do nothing without it
  await createMissing(client, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: names.secrets.notifications, namespace, labels: label },
  }).catch((error) => {
    if (!isForbidden(error)) throw error;
  });
  await definitions;
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
