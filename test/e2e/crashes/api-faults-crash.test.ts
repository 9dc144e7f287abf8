import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import { type Client, connect, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { randomNumbers } from '../../../scripts/testing/random-numbers.ts';
import { kubeconfigVariable } from '../support/cluster.ts';
import { configMap } from '../support/manifests.ts';
import { TestRepository } from '../support/repository.ts';
import { settled, verify } from './crash-invariants.ts';
import { FaultProxy, faults } from './fault-proxy.ts';

/**
 * Two controllers and a server, each with a way of its own to the API server that breaks in every way it can, and a clock that jumps.
 * One of them is killed at random instants. What must hold in the end is what `verify` says: nothing lost, nothing done twice.
 */
const kills = Number(process.env['CHAOS_FAULT_KILLS'] ?? 12);
const applications = 4;
const namespace = 'argocd';
const root = join(import.meta.dirname, '..', '..', '..');

class Replica {
  readonly #args: readonly string[];
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #text = '';
  #up: Promise<void> = Promise.resolve();
  #over: Promise<void> = Promise.resolve();

  constructor(role: string, kubeconfig: string, folder: string) {
    this.#folder = folder;
    this.#args = ['--role', role, '--kubeconfig', kubeconfig, '--namespace', namespace, '--no-metrics'];
  }

  start(): void {
    const main = join(root, 'packages', 'serve', 'cli', 'main.ts');
    const clock = join(import.meta.dirname, 'jumping-clock.mjs');
    const options = ['--port', '0', '--no-example', '--local-repositories', tmpdir()];
    const child = spawn(process.execPath, ['--import', clock, main, 'up', ...options, ...this.#args], {
      cwd: this.#folder,
      env: { ...process.env, XDG_CONFIG_HOME: join(this.#folder, 'config'), NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#text = '';
    this.#over = new Promise((resolve) => child.once('exit', () => resolve()));
    this.#up = new Promise((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => {
          this.#text = (this.#text + chunk.toString()).slice(-20_000);
          if (/is up|Controllers|API and web page/.test(this.#text)) resolve();
        });
      void this.#over.then(resolve);
    });
  }

  get up(): Promise<void> {
    return this.#up;
  }

  /** Resolves when the process has ended: one that could not start, as its way was cut, is started again by the next turn. */
  get over(): Promise<void> {
    return this.#over;
  }

  get said(): string {
    return this.#text.slice(-2_000);
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  jump(): void {
    if (this.isRunning) this.#child?.kill('SIGUSR2');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || !this.isRunning) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}

const hook = `apiVersion: v1
kind: ConfigMap
metadata:
  generateName: ran-
  labels: {hook: "yes"}
  annotations: {argocd.argoproj.io/hook: PostSync, argocd.argoproj.io/hook-delete-policy: HookFailed}
data: {}
`;

async function createApplications(client: Client, url: string): Promise<void> {
  for (let index = 0; index < applications; index++) {
    const target = `faulty-${index}`;
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: target } });
    await client.create<Application>({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: `app-${index}`, namespace },
      spec: {
        project: 'default',
        source: { repoURL: url, path: `app-${index}`, targetRevision: 'main' },
        destination: { server: 'https://kubernetes.default.svc', namespace: target },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
    });
  }
}

test(`survives ${kills} kills while the way to the API server breaks and clocks jump`, {
  skip: process.env[kubeconfigVariable] ? 'stands before a sandbox of its own' : false,
  timeout: 3_600_000,
}, async (t) => {
  const random = randomNumbers(Number(process.env['CHAOS_SEED'] ?? 14));
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-faults-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sandbox = await startSandbox({ nodes: 0 });
  t.after(() => sandbox.close());
  const { config } = sandbox;
  const direct = connect(config, { caller: { component: 'test', purpose: 'look' }, clock: systemClock });
  t.after(() => direct.close());
  await direct.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const parts: { replica: Replica; proxy: FaultProxy }[] = [];
  for (const [index, role] of ['controller', 'controller', 'server'].entries()) {
    const proxy = new FaultProxy(config.server.replace('https:', 'http:'), random);
    t.after(() => proxy.close());
    const file = join(folder, `kubeconfig-${index}`);
    const user = { name: 'u', user: { token: config.bearerToken } };
    const cluster = { name: 'c', cluster: { server: await proxy.listen() } };
    const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }];
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [cluster],
        users: [user],
        contexts,
        'current-context': 'x',
      }),
    );
    const replica = new Replica(role, file, folder);
    t.after(() => replica.kill());
    parts.push({ replica, proxy });
  }
  const files = (version: number) =>
    Object.fromEntries(
      Array.from({ length: applications }, (_, index) => [
        `app-${index}/all.yaml`,
        `${configMap('kept', String(version))}---\n${configMap(`only-in-${version}`, 'x')}---\n${hook}`,
      ]),
    );
  const repository = new TestRepository(files(0));
  t.after(() => repository.remove());
  for (const { replica } of parts) replica.start();
  await Promise.all(parts.map(({ replica }) => replica.up));
  await createApplications(direct, repository.url);
  let commit = '';
  for (let kill = 1; kill <= kills; kill++) {
    commit = repository.commit(files(kill), `Version ${kill}`);
    for (const { proxy, replica } of parts) {
      proxy.inject(faults[Math.floor(random() * faults.length)] ?? 'none');
      if (random() < 0.3) replica.jump();
    }
    const victim = parts[Math.floor(random() * parts.length)] as (typeof parts)[number];
    // an instant is told by what it has asked for: by a clock, a slow machine would kill all before they ask for anything
    const asked = victim.proxy.asked(1 + Math.floor(random() * 60));
    await Promise.race([asked, victim.replica.over, systemClock.sleep(10_000)]);
    await victim.replica.kill();
    for (const { replica } of parts) if (!replica.isRunning) replica.start();
  }
  const done = new Map(parts.flatMap(({ proxy }) => [...proxy.done]));
  for (const { proxy } of parts) proxy.inject('none');
  for (const { replica } of parts) if (!replica.isRunning) replica.start();
  const ended = await settled(direct, { namespace, commit, applications }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${parts.map(({ replica }) => replica.said).join('\n---\n')}`, { cause: error });
  });
  for (const application of ended) await verify(direct, application, kills);
  t.diagnostic(`faults: ${[...done].map(([fault, count]) => `${count} ${fault}`).join(', ')}`);
  assert.ok(done.size > 0, 'no fault was injected');
});
