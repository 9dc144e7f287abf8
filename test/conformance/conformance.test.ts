import { after } from 'node:test';
import { startSandbox } from '@tiphys/sandbox';
import { startControlPlane } from '../../scripts/cluster/control-plane.ts';
import { conformance } from './conformance.ts';

// In the tier of the real kube-apiserver the suite asks a fresh one, without controllers that change what it makes.
if (process.env.TIPHYS_TEST_KUBECONFIG) {
  const controlPlane = startControlPlane({ controllers: false });
  after(async () => (await controlPlane).stop());
  conformance('kube-apiserver', async () => (await controlPlane).config);
} else {
  const sandbox = startSandbox({ controllers: false, nodes: 0 });
  after(async () => (await sandbox).close());
  conformance('The sandbox', async () => (await sandbox).config);
}
