import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '@tiphys/sandbox';
import { kubeconfigVariable, startCluster, type TestCluster } from '../e2e/support/cluster.ts';

/** A server that clients are tried on, with its kubeconfig as a file. */
export interface Server extends TestCluster {
  readonly file: string;
}

/** The servers that every client is tried on: the sandbox always, a real kube-apiserver in its tier. */
export const servers: Readonly<Record<string, () => Promise<Server>>> = {
  'the sandbox': async () => {
    const sandbox = await startSandbox();
    return withFile({
      kind: 'sandbox',
      config: sandbox.config,
      kubeconfig: sandbox.kubeconfig,
      close: () => sandbox.close(),
    });
  },
  ...(process.env[kubeconfigVariable] ? { 'a real kube-apiserver': async () => withFile(await startCluster()) } : {}),
};

function withFile(cluster: TestCluster): Server {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-clients-'));
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, cluster.kubeconfig, { mode: 0o600 });
  const close = async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...cluster, file, close };
}
