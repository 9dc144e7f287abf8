import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, type ClusterConfig, connect, inClusterConfig, loadKubeconfig } from '@tiphys/kubernetes';

export interface Cluster {
  readonly client: Client;
  readonly namespace: string;
}

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The cluster of this pod: the kubeconfig of `--kubeconfig=FILE` or KUBECONFIG, else the service account's. `purpose` is part of the
 * user agent.
 */
export function openCluster(
  args: readonly string[],
  { env, purpose }: { env: NodeJS.ProcessEnv; purpose: string },
): Cluster {
  const config = configOf(args, env);
  if (!config) throw new Error('This process runs in no cluster and has no kubeconfig');
  const client = connect(config, { caller: { component: 'workflow-executor', purpose } });
  return { client, namespace: config.namespace ?? 'default' };
}

function configOf(args: readonly string[], env: NodeJS.ProcessEnv): ClusterConfig | undefined {
  const flag = args.find((arg) => arg.startsWith('--kubeconfig='))?.slice('--kubeconfig='.length);
  const file = flag || env.KUBECONFIG;
  if (file) return loadKubeconfig(readFileSync(file, 'utf8'), { file });
  const root = env.CONTAINER_ROOT;
  return root ? inClusterConfig(env, join(root, accountFolder)) : inClusterConfig(env);
}
