import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ClusterConfig, loadKubeconfig } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';

/** A cluster for one test file: the sandbox, or the API server that the kube tier started. */
export interface TestCluster {
  readonly kind: 'sandbox' | 'kube';
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Names the kubeconfig of a running API server; absent on the tier of the sandbox. */
export const kubeconfigVariable = 'TIPHYS_TEST_KUBECONFIG';

/** `processes`: pods of the sandbox run their commands as local processes. */
export async function startCluster(options: { processes?: boolean } = {}): Promise<TestCluster> {
  const file = process.env[kubeconfigVariable];
  if (file) {
    const kubeconfig = readFileSync(file, 'utf8');
    return {
      kind: 'kube',
      kubeconfig,
      config: loadKubeconfig(kubeconfig, { file, baseDir: dirname(file) }),
      close: async () => undefined,
    };
  }
  const sandbox = await startSandbox(options.processes ? { runtime: 'process' } : {});
  return { kind: 'sandbox', config: sandbox.config, kubeconfig: sandbox.kubeconfig, close: () => sandbox.close() };
}
