import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Rollout, rolloutsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { type Client, connect, type KubeObject, pause, systemClock } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { randomNumbers } from '../../../scripts/testing/random-numbers.ts';

const namespace = 'crash';
const control = 'argo-rollouts';
const main = join(import.meta.dirname, '..', '..', '..', 'packages', 'serve', 'cli', 'main.ts');
const kills = 12;

describe('controllers of Rollouts that die', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-rollout-crash-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const running = new Set<ChildProcess>();
  let sandbox: Sandbox;
  let client: Client;

  before(async () => {
    sandbox = await startSandbox();
    writeFileSync(kubeconfig, sandbox.kubeconfig, { mode: 0o600 });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'crashes' } });
    await ensureDefinitions(client, rolloutsDefinitions(), systemClock);
    for (const name of [namespace, control])
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  });
  after(async () => {
    for (const child of running) await kill(child);
    await client.close();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function start(shards = 1): ChildProcess {
    const args = ['up', '--role', 'rollouts', '--kubeconfig', kubeconfig, '--namespace', control, '--port', '0'];
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', XDG_CONFIG_HOME: folder, TIPHYS_ROLLOUTS_SHARDS: String(shards) },
      stdio: 'ignore',
    });
    running.add(child);
    return child;
  }

  /** As a node that fails would: nothing is given back. */
  async function kill(child: ChildProcess): Promise<void> {
    running.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await exit;
  }

  const refOf = (name: string) => ({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace, name });

  async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const limit = AbortSignal.timeout(180_000);
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (limit.aborted) assert.fail(`it did not come: ${what}`);
      await pause(systemClock, 50);
    }
  }

  const reached = (name: string, check: (rollout: Rollout) => boolean) =>
    until(`${name} as wanted`, async () => {
      const rollout = await client.get<Rollout>(refOf(name));
      const isSeen = rollout.status?.observedGeneration === String(rollout.metadata.generation);
      return isSeen && check(rollout) ? rollout : undefined;
    });
  const isHealthy = ({ status }: Rollout) => status?.phase === 'Healthy' && status.stableRS === status.currentPodHash;

  const setImage = (name: string, image: string) =>
    client.patch(refOf(name), 'json', [
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: image },
    ]);

  async function make(name: string, canary: object): Promise<void> {
    const labels = { app: name };
    await client.create({
      ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name, namespace } },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:0' }] } },
        strategy: { canary },
      },
    });
  }

  it(`weights and ReplicaSets end right after ${kills} kills at random points of canaries`, async () => {
    const random = randomNumbers(Number(process.env.CHAOS_SEED ?? 20_26));
    const service = (name: string): KubeObject => ({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace } },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    for (const name of ['web-stable', 'web-canary']) await client.create(service(name));
    const backend = { service: { name: 'web-stable', port: { number: 80 } } };
    await client.create({
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web', namespace } },
      spec: { ingressClassName: 'nginx', rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
    });
    await make('web', {
      ...{ stableService: 'web-stable', canaryService: 'web-canary', scaleDownDelaySeconds: 1 },
      trafficRouting: { nginx: { stableIngress: 'web' } },
      steps: [{ setWeight: 25 }, { pause: { duration: 1 } }, { setWeight: 75 }, { pause: { duration: 1 } }],
    });
    let child = start();
    await reached('web', isHealthy);
    for (let count = 1; count <= kills; count += 1) {
      await setImage('web', `web:${count}`);
      // some hit the start, some a step, some the end
      await pause(systemClock, random() * 6_000);
      await kill(child);
      child = start();
    }
    const ended = await reached('web', (rollout) => isHealthy(rollout) && rollout.status?.replicas === 4);
    assert.equal(ended.status?.canary?.weights?.canary.weight, 0);
    const sets = await client.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace });
    const withPods = sets.items.filter(({ spec }) => (spec as { replicas: number }).replicas > 0);
    assert.deepEqual(
      withPods.map(({ metadata, spec }) => [
        metadata.labels?.['rollouts-pod-template-hash'],
        (spec as { replicas: number }).replicas,
      ]),
      [[ended.status?.stableRS, 4]],
    );
    const canary = await client.get({
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace, name: 'web-web-canary' },
    });
    assert.equal(canary.metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight'], '0');
    await kill(child);
  });

  it('two share the work by Leases, and the one that is left takes all', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `shared-${index}`);
    for (const name of names) await make(name, {});
    const both = [start(4), start(4)];
    const holders = async () => {
      const { items } = await client.list({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: control });
      return items
        .filter(({ metadata }) => metadata.name?.startsWith('argo-rollouts-controller-lock'))
        .map(({ spec }) => (spec as { holderIdentity?: string }).holderIdentity?.split('_').at(-2));
    };
    const pids = both.map(({ pid }) => String(pid));
    await until('all Leases are held', async () => {
      const held = await holders();
      return held.length === 4 && held.every((pid) => pid && pids.includes(pid)) ? held : undefined;
    });
    for (const name of names) await reached(name, isHealthy);
    await kill(both[0] as ChildProcess);
    await Promise.all(names.map((name) => setImage(name, 'web:1')));
    for (const name of names) await reached(name, isHealthy);
    assert.deepEqual(new Set(await holders()), new Set([pids[1]]));
  });
});
