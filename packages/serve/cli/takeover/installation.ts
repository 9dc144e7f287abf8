import { type Client, isForbidden, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { isOurs } from './ours.ts';

/** A process of an installation of Argo CD that has to stop, since Tiphys does its work. */
export interface OldProcess {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly name: string;
  readonly replicas: number;
  readonly image: string;
  readonly component: string;
}

/** What was found of Argo CD in a namespace. */
export interface OldInstallation {
  /** How it was installed, for people. */
  readonly by: string;
  readonly processes: readonly OldProcess[];
  /** Everything of it that another installation could overwrite: workloads, accounts, rights, services. */
  readonly objects: readonly KubeObject[];
}

/** Components whose work Tiphys does. A Redis and an own Dex may go on: nothing of them touches the cluster. */
const components: ReadonlySet<string> = new Set([
  'application-controller',
  'applicationset-controller',
  'applicationset',
  'notifications-controller',
  'repo-server',
  'commit-server',
  'server',
]);

const rbac = 'rbac.authorization.k8s.io/v1';
const kinds = [
  { apiVersion: 'apps/v1', kind: 'StatefulSet', namespaced: true },
  { apiVersion: 'apps/v1', kind: 'Deployment', namespaced: true },
  { apiVersion: 'v1', kind: 'ServiceAccount', namespaced: true },
  { apiVersion: 'v1', kind: 'Service', namespaced: true },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', namespaced: true },
  { apiVersion: rbac, kind: 'Role', namespaced: true },
  { apiVersion: rbac, kind: 'RoleBinding', namespaced: true },
  { apiVersion: rbac, kind: 'ClusterRole', namespaced: false },
  { apiVersion: rbac, kind: 'ClusterRoleBinding', namespaced: false },
] as const;

/** Looks for Argo CD in a namespace, by the labels that its manifests and its chart have; undefined if no process of it is there. */
export async function findArgoCd(client: Client, namespace: string): Promise<OldInstallation | undefined> {
  const objects: KubeObject[] = [];
  for (const { apiVersion, kind, namespaced } of kinds) {
    const ref = { apiVersion, kind, ...(namespaced ? { namespace } : {}) };
    const list = await client
      .list(ref, { labelSelector: 'app.kubernetes.io/part-of=argocd' })
      .catch((error: unknown) => {
        if (isForbidden(error) || isNotFound(error)) return undefined;
        throw error;
      });
    // objects of a list name no kind
    for (const item of list?.items ?? []) if (!isOurs(item)) objects.push({ ...item, apiVersion, kind });
  }
  const processes = objects.flatMap(processOf);
  if (processes.length === 0) return undefined;
  const chart = objects.map(({ metadata }) => metadata.labels?.['helm.sh/chart']).find(Boolean);
  const release = objects.map(({ metadata }) => metadata.annotations?.['meta.helm.sh/release-name']).find(Boolean);
  return {
    by: chart ? `Helm chart ${chart}${release ? `, release ${release}` : ''}` : 'manifests',
    processes,
    objects,
  };
}

function processOf(object: KubeObject): OldProcess[] {
  const { kind, metadata, spec } = object;
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return [];
  const component = metadata.labels?.['app.kubernetes.io/component'] ?? '';
  if (!components.has(component)) return [];
  const { replicas = 1, template } = spec as {
    replicas?: number;
    template: { spec: { containers: { image?: string }[] } };
  };
  const image = template.spec.containers[0]?.image ?? '';
  return [{ apiVersion: 'apps/v1', kind, name: metadata.name ?? '', replicas, image, component }];
}
