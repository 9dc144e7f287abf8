import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, ClusterConfig } from '@tiphys/kubernetes';
import { ApiServer } from './server/api-server.ts';

export interface SandboxOptions {
  /** Folder that keeps the cluster's state; in memory only when absent. */
  readonly dataDir?: string;
  /** A free one when absent or 0. */
  readonly port?: number;
  /** `127.0.0.1` when absent. */
  readonly host?: string;
  readonly clock?: Clock;
}

/** A running sandbox cluster. */
export interface Sandbox {
  readonly url: string;
  /** The administrator's. */
  readonly config: ClusterConfig;
  /** The administrator's, as a file's text. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Starts a Kubernetes API server in this process. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const adminToken = adminTokenOf(options.dataDir);
  const server = new ApiServer({ ...options, adminToken });
  const port = await server.listen();
  const url = `http://${options.host ?? '127.0.0.1'}:${port}`;
  return {
    url,
    config: { server: url, name: 'sandbox', bearerToken: adminToken },
    kubeconfig: kubeconfigOf(url, adminToken),
    close: () => server.close(),
  };
}

/** Kept with the state, so that a kubeconfig goes on to work after a restart. */
function adminTokenOf(dataDir: string | undefined): string {
  const fresh = randomBytes(24).toString('base64url');
  if (dataDir === undefined) return fresh;
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'admin-token');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  writeFileSync(file, `${fresh}\n`, { mode: 0o600 });
  return fresh;
}

function kubeconfigOf(url: string, token: string): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: sandbox
  cluster:
    server: ${url}
users:
- name: sandbox
  user:
    token: ${token}
contexts:
- name: sandbox
  context:
    cluster: sandbox
    user: sandbox
current-context: sandbox
`;
}
