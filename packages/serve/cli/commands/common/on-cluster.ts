import { type Client, type ClusterConfig, connect, loadKubeconfig } from '@tiphys/kubernetes';
import type { Surroundings } from '../../terminal/command-context.ts';
import { readKubeconfigFile, usualKubeconfig } from '../../terminal/kubeconfig-file.ts';
import { type Where, withFlags } from './kube-flags.ts';

export interface KubeCommand {
  readonly client: Client;
  /** The flag's, or the context's, or `default`. */
  readonly namespace: string;
}

/** Does work on a cluster without a server of Tiphys; the purpose is for the cluster's own records. */
export async function onCluster(
  { env }: Surroundings,
  where: Where & { readonly purpose: string },
  work: (cluster: KubeCommand) => Promise<void>,
): Promise<void> {
  const { namespace, purpose } = where;
  const config = clusterOf(env, where);
  const client = connect(config, { caller: { component: 'cli', purpose } });
  try {
    await work({ client, namespace: namespace ?? config.namespace ?? 'default' });
  } finally {
    await client.close();
  }
}

/** The cluster that flags and kubeconfig name. */
export function clusterOf(env: Surroundings['env'], where: Where): ClusterConfig {
  const { kubeconfig, context, cluster, user } = where;
  const file = kubeconfig ?? usualKubeconfig(env);
  const chosen = { ...(context ? { context } : {}), ...(cluster ? { cluster } : {}), ...(user ? { user } : {}) };
  return withFlags(loadKubeconfig(readKubeconfigFile(file), { file, ...chosen }), where);
}
