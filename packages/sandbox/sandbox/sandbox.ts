import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ApiServer, type AuditOptions, type Faults, loadCredentials, signLegacy } from '@tiphys/apiserver';
import { writePrivate } from '@tiphys/files';
import type { InboundLimits } from '@tiphys/inbound';
import {
  ObjectStores,
  type ServiceAccountTokens,
  type SigningAuthority,
  startControllers,
} from '@tiphys/kube-controllers';
import {
  type Clock,
  type ClusterConfig,
  connect,
  formatKubeconfig,
  type KubeObject,
  systemClock,
} from '@tiphys/kubernetes';
import { type NodeOptions, startNodes } from '@tiphys/nodes';
import { ProcessRuntime } from '@tiphys/process-runtime';

export interface SandboxOptions {
  /** Folder that keeps the cluster's state; in memory only when absent. */
  readonly dataDir?: string;
  /** A free one when absent or 0. */
  readonly port?: number;
  /** `127.0.0.1` when absent. */
  readonly host?: string;
  readonly clock?: Clock;
  /** Writes down who did what, as kube-apiserver's audit log does; not done when absent. */
  readonly audit?: AuditOptions;
  /** Runs the controllers of the built-in kinds; true when absent. */
  readonly controllers?: boolean;
  /** The simulated nodes that run pods: how many, or what each is. 1 when absent, 0 or `[]` for none. */
  readonly nodes?: number | readonly NodeOptions[];
  /**
   * `process` runs the commands of containers as processes of this machine, with this process's rights and without
   * isolation; `simulated` (when absent) runs nothing.
   */
  readonly runtime?: 'simulated' | 'process';
  /** Told about reconciles of controllers and nodes that failed; they are tried again. */
  readonly onError?: (component: string, key: string, error: unknown) => void;
  /** What a connection to the API server may cost; the usual where absent. */
  readonly limits?: Partial<InboundLimits>;
}

/** A running sandbox cluster. */
export interface Sandbox extends AsyncDisposable {
  readonly url: string;
  /** The administrator's. */
  readonly config: ClusterConfig;
  /** The administrator's, as a file's text. */
  readonly kubeconfig: string;
  /** Writes `kubeconfig` to a file that its owner alone may read; the result is its path. In a temporary folder that goes with the sandbox if absent. */
  writeKubeconfig(file?: string): string;
  /** Makes the API server misbehave. */
  readonly faults: Faults;
  /** Forgets all changes so far, as etcd's compaction does: watches and lists of an older version get 410. */
  compact(): void;
  close(): Promise<void>;
}

/** Starts a Kubernetes API server in this process. One port serves HTTP in the clear and TLS. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  const now = (options.clock ?? systemClock).now();
  const credentials = await loadCredentials({ dataDir: options.dataDir, host, now });
  const { nodes = 1 } = options;
  const server = new ApiServer({
    ...options,
    nodes: typeof nodes === 'number' ? nodes : nodes.length,
    host,
    credentials,
  });
  const port = await server.listen();
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = `http://${address}`;
  const { adminToken: bearerToken } = credentials;
  const config: ClusterConfig = { server: url, name: 'sandbox', bearerToken };
  const {
    tls: { ca },
    authority,
  } = credentials;
  const tokens = {
    rootCa: ca,
    sign: (account: KubeObject, secret: KubeObject) => signLegacy(server.tokens, account, secret),
  };
  const stop = await startInhabitants(config, options, { url: `https://${address}`, ca, tokens, authority });
  let closed: Promise<void> | undefined;
  let folder: string | undefined;
  const close = () => {
    closed ??= stop().then(async () => {
      await server.close();
      if (folder) rmSync(folder, { recursive: true, force: true });
    });
    return closed;
  };
  const kubeconfig = formatKubeconfig({
    server: `https://${address}`,
    name: 'sandbox',
    bearerToken,
    tls: { ca },
  });
  return {
    url,
    config,
    kubeconfig,
    writeKubeconfig: (file) => {
      folder ??= file === undefined ? mkdtempSync(join(tmpdir(), 'tiphys-sandbox-')) : undefined;
      const path = file ?? join(folder ?? '', 'kubeconfig');
      mkdirSync(dirname(path), { recursive: true });
      writePrivate(path, kubeconfig);
      return path;
    },
    faults: server.faults,
    compact: () => server.store.compact(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Controllers and nodes: clients like any other, with one set of caches between them. Returns what ends them. */
async function startInhabitants(
  config: ClusterConfig,
  options: SandboxOptions,
  server: { url: string; ca: string; tokens: ServiceAccountTokens; authority: SigningAuthority },
): Promise<() => Promise<void>> {
  const { clock = systemClock, controllers = true, nodes = 1, dataDir, onError } = options;
  const client = connect(config, { caller: { component: 'sandbox', purpose: 'controllers and nodes' }, clock });
  const abort = new AbortController();
  const shared = {
    clock,
    signal: abort.signal,
    stores: new ObjectStores(client, { clock, signal: abort.signal }),
    ...(onError ? { onError } : {}),
  };
  if (controllers) await startControllers(client, { ...shared, tokens: server.tokens, authority: server.authority });
  const folder = dataDir ? { folder: join(dataDir, 'pods') } : {};
  const runtime =
    options.runtime === 'process'
      ? new ProcessRuntime({
          client: client.as({ component: 'kubelet', purpose: 'files of pods' }),
          clock,
          server,
          ...folder,
        })
      : undefined;
  if (nodes !== 0) await startNodes(client, { ...shared, nodes, ...(runtime ? { runtime } : {}) });
  return async () => {
    abort.abort(new Error('the sandbox is closed'));
    await runtime?.close();
    await client.close();
  };
}
