import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ClusterConfig, loadKubeconfig } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { startKubeCluster } from '../../../scripts/cluster/kube-cluster.ts';

/** A cluster for one test file: the sandbox, or the API server that the kube tier started. */
export interface TestCluster {
  readonly kind: 'sandbox' | 'kube';
  readonly config: ClusterConfig;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Names the kubeconfig of a running API server; absent on the tier of the sandbox. */
export const kubeconfigVariable = 'TIPHYS_TEST_KUBECONFIG';

export interface TestClusterOptions {
  /** Pods of the sandbox run their commands as local processes. */
  processes?: boolean;
  /** An API server that no other test file uses. The sandbox always is one; in the kube tier it costs some ten seconds. */
  alone?: boolean;
  /** Gets each line of the sandbox's audit log. */
  audit?: (line: string) => void;
}

export async function startCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const file = process.env[kubeconfigVariable];
  if (file && options.alone) {
    const { config, kubeconfig, stop } = await startKubeCluster();
    return { kind: 'kube', config, kubeconfig, close: stop };
  }
  if (file) {
    const kubeconfig = readFileSync(file, 'utf8');
    return {
      kind: 'kube',
      kubeconfig,
      config: loadKubeconfig(kubeconfig, { file, baseDir: dirname(file) }),
      close: async () => undefined,
    };
  }
  const sandbox = await startSandbox({
    ...(options.processes ? { runtime: 'process' } : {}),
    ...(options.audit ? { audit: { log: options.audit } } : {}),
  });
  return { kind: 'sandbox', config: sandbox.config, kubeconfig: sandbox.kubeconfig, close: () => sandbox.close() };
}
