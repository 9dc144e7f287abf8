import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { writePrivate } from '@tiphys/files';
import {
  type Client,
  type ClusterConfig,
  connect,
  inClusterConfig,
  type RequestRecord,
  systemClock,
} from '@tiphys/kubernetes';
import type { Surroundings } from '../terminal/command-context.ts';
import { missingRights } from './missing-rights.ts';
import type { Progress } from './progress.ts';
import { needsCluster, type Role } from './role.ts';
import type { UpOptions } from './up-options.ts';
import { userCluster } from './user-cluster.ts';

/** The cluster that holds the control plane. */
interface ControlCluster {
  readonly client: Client;
  /** How it is reached, with who this process is there. */
  readonly config: ClusterConfig;
  /** Of the sandbox; undefined on the user's own cluster. */
  readonly kubeconfigPath: string | undefined;
}

/**
 * Connects to the cluster of the control plane: that of `--kubeconfig`, for a process with a role the one that it runs in as a
 * pod, else a sandbox that is started. `scratch` is where its kubeconfig goes; `closers` get what ends it.
 */
export async function openControlCluster(
  options: UpOptions,
  parts: {
    readonly role: Role | undefined;
    readonly surroundings: Surroundings;
    readonly progress: Progress;
    readonly dataDir: string | undefined;
    readonly scratch: string;
    readonly closers: (() => Promise<void> | void)[];
    readonly onRequest: (request: RequestRecord) => void;
  },
): Promise<ControlCluster> {
  const { role, surroundings, progress, dataDir, scratch, closers, onRequest } = parts;
  const { workdir, env } = surroundings;
  const connection = { caller: { component: 'cli', purpose: 'start' }, clock: systemClock, onRequest };
  const config = options.kubeconfig ? userCluster(options, workdir) : role && inClusterConfig(env);
  if (role && !config) throw needsCluster(role);
  if (config) {
    const client = connect(config, connection);
    closers.push(() => client.close());
    await progress.step(`Cluster ${client.server}`, () => client.discovery.version());
    for (const missing of await missingRights(client, { role, namespace: options.namespace })) progress.note(missing);
    return { client, config, kubeconfigPath: undefined };
  }
  const { startSandbox } = await import('@tiphys/sandbox');
  const sandbox = await progress.step('Sandbox Kubernetes', () =>
    startSandbox({
      ...(dataDir ? { dataDir: join(dataDir, 'sandbox') } : {}),
      clock: systemClock,
      runtime: options.runtime,
      ...(options.auditLog ? { audit: { log: resolve(workdir, options.auditLog) } } : {}),
    }),
  );
  closers.push(() => sandbox.close());
  const client = connect(sandbox.config, connection);
  closers.push(() => client.close());
  const kubeconfigPath = options.kubeconfigOut
    ? resolve(workdir, options.kubeconfigOut)
    : join(dataDir ?? scratch, 'kubeconfig');
  mkdirSync(dirname(kubeconfigPath), { recursive: true });
  writePrivate(kubeconfigPath, sandbox.kubeconfig);
  return { client, config: sandbox.config, kubeconfigPath };
}
