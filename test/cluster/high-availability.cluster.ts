import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Application } from '@tiphys/api';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import {
  type ServerProcess,
  skipWithout,
  startServer,
} from '../../packages/automate/events/bus/testing/server-binary.ts';
import { root } from '../../scripts/architecture.ts';
import { GitServer, hostAddress, long, RealCluster, ServedRepository } from './real-cluster.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const helm = process.env.TIPHYS_HELM;
const redisPort = 17479;

/** Why these tests are left out; false if they run. */
const skip = long || (helm ? false : 'there is no helm, and no Go to build it');
const withoutRedis = skipWithout('redis-server', 'apt install redis-server');

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}

const namespace = 'argocd';
const apps = { apiVersion: 'apps/v1', namespace };
const shop = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace, name: 'shop' };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
const names = ['argocd-server', 'argocd-notifications-controller'];

describe('Tiphys installed with helm, with replicas', { skip, timeout: 1_800_000 }, () => {
  const cluster = new RealCluster();
  const git = new GitServer();
  const repository = new ServedRepository(git, 'shop');
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-ha-'));
  let client: Client;
  let redis: ServerProcess | undefined;
  let value = 0;

  const helmRun = (...args: string[]) =>
    run(helm ?? '', [...args, '--kubeconfig', cluster.kubeconfig, '--namespace', namespace], {
      cwd: root,
      env: { ...process.env, HOME: folder },
      maxBuffer: 64 << 20,
    });
  const values = ['--set', 'controller.replicas=2,server.replicas=2'];
  if (!withoutRedis) values.push('--set', `redis=${hostAddress}:${redisPort}`);
  const tiphys = (...args: string[]) =>
    run(process.execPath, [...process.execArgv, join(root, 'packages/serve/cli/main.ts'), ...args], {
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder },
      maxBuffer: 64 << 20,
    });

  /** A commit, and the time until it is on the cluster, in milliseconds. */
  async function deliver(): Promise<number> {
    value += 1;
    const wanted = String(value);
    await repository.commit({
      'settings.yaml': JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: settings.name },
        data: { value: wanted },
      }),
    });
    const begun = performance.now();
    await client.patch(shop, 'merge', { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } });
    await until<KubeObject>(client, settings, ({ data }) => (data as { value?: string } | undefined)?.value === wanted);
    return performance.now() - begun;
  }

  /** Delivers one commit after the other until the work is done; tells the longest time that one took. */
  async function deliverDuring(t: TestContext, work: Promise<unknown>): Promise<void> {
    let done = false;
    const ended = work.finally(() => {
      done = true;
    });
    let longest = 0;
    do longest = Math.max(longest, await deliver());
    while (!done);
    await ended;
    t.diagnostic(`longest time until a commit was delivered: ${(longest / 1000).toFixed(1)} s`);
    assert.ok(longest < 15_000, `a commit was delivered after ${longest} ms`);
  }

  async function base(): Promise<string> {
    const service = await client.get({ apiVersion: 'v1', kind: 'Service', namespace, name: 'argocd-server' });
    return `http://${(service.spec as { clusterIP: string }).clusterIP}`;
  }

  const restarted = async (kind: string, name: string) => {
    await cluster.kubectl('-n', namespace, 'rollout', 'restart', `${kind}/${name}`);
    await cluster.kubectl('-n', namespace, 'rollout', 'status', `${kind}/${name}`, '--timeout=240s');
  };

  before(async () => {
    await cluster.up();
    await cluster.load(process.env.TIPHYS_CLUSTER_IMAGE ?? '');
    client = cluster.client();
    git.serve();
    if (!withoutRedis) redis = await startRedis();
  });

  after(async () => {
    await redis?.stop();
    await client?.close();
    git.close();
    await cluster.down();
    rmSync(folder, { recursive: true, force: true });
  });

  test('helm installs the chart, and two shards and two servers become ready', async () => {
    await helmRun(
      'install',
      'tiphys',
      'deploy/chart/tiphys',
      '--create-namespace',
      ...values,
      '--wait',
      '--timeout=5m',
    );
    const ready = ({ status }: KubeObject) => (status as { readyReplicas?: number } | undefined)?.readyReplicas === 2;
    await until(client, { ...apps, kind: 'StatefulSet', name: 'argocd-application-controller' }, ready);
    await until(client, { ...apps, kind: 'Deployment', name: 'argocd-server' }, ready);
  });

  test('it delivers to the cluster', async () => {
    await repository.commit({ 'settings.yaml': '' });
    await client.create<Application>({
      ...shop,
      metadata: { name: shop.name, namespace },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path: '.', targetRevision: 'main' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
      },
    } as Application);
    await deliver();
  });

  test('what replicas render is in their Redis, and they go on without it', { skip: withoutRedis }, async () => {
    assert.match(await askRedis('DBSIZE'), /^:[1-9]/);
    await redis?.stop();
    await deliver();
    redis = await startRedis();
    await deliver();
  });

  test('a shard whose pod is killed is followed within seconds', async (t) => {
    const leases = await client.list<Lease>({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace });
    const holders = leases.items
      .filter(({ metadata }) => /^tiphys-controller-\d+$/.test(metadata.name ?? ''))
      .map(({ spec }) => /^(.+)_\d+_[0-9a-f]+$/.exec(spec?.holderIdentity ?? '')?.[1] ?? '');
    assert.deepEqual(new Set(holders), new Set(['argocd-application-controller-0', 'argocd-application-controller-1']));
    for (const pod of new Set(holders)) {
      const killed = cluster.kubectl('-n', namespace, 'delete', 'pod', pod, '--grace-period=0', '--force');
      await deliverDuring(t, killed);
      await cluster.kubectl('-n', namespace, 'rollout', 'status', 'statefulset/argocd-application-controller');
    }
  });

  test('controllers are restarted one by one while commits are delivered', async (t) => {
    await deliverDuring(t, restarted('statefulset', 'argocd-application-controller'));
  });

  test('no request of the API fails while its replicas are restarted', async () => {
    const url = `${await base()}/api/version`;
    let done = false;
    const failures: string[] = [];
    let answered = 0;
    const caller = async () => {
      while (!done)
        try {
          const response = await fetch(url, { headers: { connection: 'close' } });
          await response.text();
          if (response.status === 200) answered += 1;
          else failures.push(String(response.status));
        } catch (error) {
          failures.push(String((error as Error).cause ?? error));
        }
    };
    const callers = [caller(), caller(), caller(), caller()];
    try {
      await restarted('deployment', 'argocd-server');
    } finally {
      done = true;
      await Promise.all(callers);
    }
    assert.ok(answered > 100, `${answered} were answered`);
    assert.deepEqual(failures, []);
  });

  test('a backup is restored into a new installation', async () => {
    const backup = join(folder, 'backup.yaml');
    const place = ['--kubeconfig', cluster.kubeconfig, '--namespace', namespace];
    await tiphys('admin', 'export', ...place, '--out', backup);
    assert.match(readFileSync(backup, 'utf8'), /kind: Application\n/);
    await client.patch(shop, 'merge', { metadata: { finalizers: null } });
    await client.delete(shop);
    await helmRun('uninstall', 'tiphys', '--wait');
    await cluster.kubectl('delete', 'namespace', namespace, '--wait=true');
    await helmRun(
      'install',
      'tiphys',
      'deploy/chart/tiphys',
      '--create-namespace',
      ...values,
      '--wait',
      '--timeout=5m',
    );
    await tiphys('admin', 'import', ...place, backup);
    await deliver();
    for (const name of names)
      await cluster.kubectl('-n', namespace, 'rollout', 'status', `deployment/${name}`, '--timeout=120s');
  });

  test('an upgrade of the release to the core without API keeps what is delivered', async () => {
    const core = ['--set', 'server.enabled=false,notifications.enabled=false,controller.replicas=1'];
    await helmRun('upgrade', 'tiphys', 'deploy/chart/tiphys', ...core, '--wait', '--timeout=5m');
    const deployments = await client.list<KubeObject>({ ...apps, kind: 'Deployment' });
    assert.deepEqual(
      deployments.items.map(({ metadata }) => metadata.name),
      [],
    );
    await deliver();
  });
});

function startRedis(): Promise<ServerProcess> {
  const flags = ['--bind', hostAddress, '--port', String(redisPort), '--protected-mode', 'no', '--save', ''];
  return startServer('redis-server', (folder) => [...flags, '--dir', folder], /Ready to accept/);
}

/** The first line of Redis' answer. */
async function askRedis(command: string): Promise<string> {
  const socket = connect(redisPort, hostAddress);
  try {
    socket.write(`${command}\r\n`);
    for await (const chunk of socket) return String(chunk);
    return '';
  } finally {
    socket.destroy();
  }
}
