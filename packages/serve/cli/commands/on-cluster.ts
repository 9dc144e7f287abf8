import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, connect, loadKubeconfig } from '@tiphys/kubernetes';
import type { Surroundings } from '../terminal/command-context.ts';

/** Flags that say which cluster a command is about, as kubectl has them. */
export interface Where {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface KubeCommand {
  readonly client: Client;
  /** The flag's, or the context's, or `default`. */
  readonly namespace: string;
}

/** Does work on a cluster without a server of Tiphys; the purpose is for the cluster's own records. */
export async function onCluster(
  { env }: Surroundings,
  { kubeconfig, context, namespace, purpose }: Where & { readonly purpose: string },
  work: (cluster: KubeCommand) => Promise<void>,
): Promise<void> {
  const file = kubeconfig ?? env.KUBECONFIG ?? join(env.HOME ?? '', '.kube', 'config');
  const config = loadKubeconfig(readFileSync(file, 'utf8'), { file, ...(context ? { context } : {}) });
  const client = connect(config, { asker: { component: 'cli', purpose } });
  try {
    await work({ client, namespace: namespace ?? config.namespace ?? 'default' });
  } finally {
    await client.close();
  }
}
