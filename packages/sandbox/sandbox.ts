import { type Clock, type ClusterConfig, formatKubeconfig, systemClock } from '@tiphys/kubernetes';
import { loadCredentials } from './server/credentials.ts';
import { ApiServer } from './server/api-server.ts';

export interface SandboxOptions {
  /** Folder that keeps the cluster's state; in memory only when absent. */
  readonly dataDir?: string;
  /** A free one when absent or 0. */
  readonly port?: number;
  /** `127.0.0.1` when absent. */
  readonly host?: string;
  readonly clock?: Clock;
  /** Runs the controllers of the built-in kinds; true when absent. */
  readonly controllers?: boolean;
  /** How many simulated nodes run pods; 1 when absent. */
  readonly nodes?: number;
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

/** Starts a Kubernetes API server in this process. One port serves HTTP in the clear and TLS. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  const credentials = loadCredentials({ dataDir: options.dataDir, host, now: (options.clock ?? systemClock).now() });
  const server = new ApiServer({ ...options, host, credentials });
  const port = await server.listen();
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = `http://${address}`;
  const { adminToken: bearerToken } = credentials;
  return {
    url,
    config: { server: url, name: 'sandbox', bearerToken },
    kubeconfig: formatKubeconfig({
      server: `https://${address}`,
      name: 'sandbox',
      bearerToken,
      tls: { ca: credentials.tls.ca },
    }),
    close: () => server.close(),
  };
}
