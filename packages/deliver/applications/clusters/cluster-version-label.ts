import type { Client, Informer, KubeObject } from '@tiphys/kubernetes';
import type { ClusterHandle } from './cluster-registry.ts';
import { secretText } from './cluster-secret.ts';

const wish = 'argocd.argoproj.io/auto-label-cluster-info';
const label = 'argocd.argoproj.io/kubernetes-version';

/**
 * Puts the version of a cluster (`v1.34.4`) as a label on its Secret, so that ApplicationSets can select by it, where the Secret
 * asks for it by the label `argocd.argoproj.io/auto-label-cluster-info: "true"`. Rejects if the cluster cannot be seen.
 */
export async function labelWithVersion(
  client: Client,
  secrets: Pick<Informer<KubeObject>, 'list'>,
  { cache, server }: Pick<ClusterHandle, 'cache' | 'server'>,
): Promise<void> {
  const secret = [...secrets.list()].find((item) => secretText(item, 'server').replace(/(?<!\/)\/+$/, '') === server);
  if (secret?.metadata.labels?.[wish] !== 'true') return;
  await cache.ensureSynced();
  const version = plainVersion(cache.serverVersion());
  const { name = '', namespace = '', labels } = secret.metadata;
  if (!version || labels?.[label] === version) return;
  await client.patch({ apiVersion: 'v1', kind: 'Secret', namespace, name }, 'merge', {
    metadata: { labels: { [label]: version } },
  });
}

/** A version of Kubernetes without what vendors append, as upstream shows it: `v1.34.4` for `v1.34.4-gke.100`; empty for none. */
export function plainVersion(gitVersion: string): string {
  return /^v?\d+(\.\d+)+/.exec(gitVersion)?.[0].replace(/^v?/, 'v') ?? '';
}
