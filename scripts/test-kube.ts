import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, systemClock } from '@tiphys/kubernetes';
import { startNodes } from '@tiphys/sandbox';
import { startControlPlane } from './control-plane.ts';
import { runTests } from './run-tests.ts';

/**
 * The cluster tests once more, on a real kube-apiserver with RBAC and kube-controller-manager. Pods are played by the
 * sandbox's simulated nodes, as a client.
 */
const progress = (message: string) => void process.stdout.write(`${message}\n`);
const abort = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => abort.abort(new Error(`stopped by ${name}`)));

progress('Starting etcd, kube-apiserver and kube-controller-manager …');
const controlPlane = await startControlPlane({ progress });
const client = connect(controlPlane.config, {
  asker: { component: 'nodes', purpose: 'simulated nodes' },
  clock: systemClock,
});
let ok = false;
try {
  const kubeconfig = join(controlPlane.folder, 'test.kubeconfig');
  writeFileSync(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 });
  await startNodes(client, { clock: systemClock, signal: abort.signal });
  ok = await runTests({
    title: 'Tests on a real kube-apiserver',
    include: [
      'test/e2e/**/*.test.ts',
      'test/kubectl/**/*.test.ts',
      'test/conformance/**/*.test.ts',
      'test/kube-tier/**/*.kube.ts',
      'test/fuzz/**/*.kube.ts',
      'test/clients/**/*.{kube,test}.ts',
    ],
    env: {
      TIPHYS_TEST_KUBECONFIG: kubeconfig,
      KUBEBUILDER_ASSETS: process.env.KUBEBUILDER_ASSETS ?? join(controlPlane.assets.kubectl, '..'),
    },
    concurrency: 2,
  });
} finally {
  abort.abort(new Error('the tests are over'));
  await client.close();
  await controlPlane.stop();
}
process.exitCode = ok ? 0 : 1;
