import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKubeCluster } from './cluster/kube-cluster.ts';
import { runTests } from './testing/run-tests.ts';
import { clusterTests, recordings, sandboxTests } from './testing/test-suites.ts';

/**
 * The cluster tests once more, on a real kube-apiserver with RBAC and kube-controller-manager. Pods are played by the
 * sandbox's simulated nodes, as a client. `--recordings` plays what was recorded from such a server instead.
 */
const isOfRecordings = process.argv.includes('--recordings');
const progress = (message: string) => void process.stdout.write(`${message}\n`);

progress('Starting etcd, kube-apiserver and kube-controller-manager …');
const cluster = await startKubeCluster({ progress });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cluster.stop().then(() => process.exit(1)));
}
let ok = false;
try {
  const kubeconfig = join(cluster.folder, 'test.kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
  ok = await runTests({
    ...(isOfRecordings
      ? { title: 'Recordings against a real kube-apiserver', include: recordings }
      : { title: 'Tests on a real kube-apiserver', include: clusterTests, exclude: [...sandboxTests, ...recordings] }),
    env: {
      TIPHYS_TEST_KUBECONFIG: kubeconfig,
      KUBEBUILDER_ASSETS: process.env.KUBEBUILDER_ASSETS ?? join(cluster.assets.kubectl, '..'),
    },
  });
} finally {
  await cluster.stop();
}
process.exitCode = ok ? 0 : 1;
