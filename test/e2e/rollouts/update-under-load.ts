import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Rollout } from '@tiphys/api';
import { type Client, connect, type KubeObject, pause, systemClock } from '@tiphys/kubernetes';
import { startRolloutsFamily } from '@tiphys/rollouts';
import { startSandbox } from '@tiphys/sandbox';
import { findProgram } from '../support/find-program.ts';
import { IngressProxy } from './ingress-proxy.ts';
import type { RequestProxy } from './ingress-state.ts';
import { NginxProxy } from './nginx-proxy.ts';

const namespace = 'shop';
const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace, name: 'web' };
const callers = 4;
/** Between two requests of a caller, in milliseconds: some hundreds of requests a second find any gap, and leave the processor to the rest. */
const breath = 4;

const labels = { app: 'web' };
const service = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: labels, ports: [{ port: 80 }] },
});
const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'web', namespace },
  spec: {
    ingressClassName: 'nginx',
    rules: [
      {
        host: 'web.example.com',
        http: {
          paths: [
            { path: '/', pathType: 'Prefix', backend: { service: { name: 'web-stable', port: { number: 80 } } } },
          ],
        },
      },
    ],
  },
};
/** Old pods stay for so many seconds, as for a proxy that learns of others: nginx loads its configuration in that time. */
const rolloutOf = (delay: number) => ({
  apiVersion: ref.apiVersion,
  kind: ref.kind,
  metadata: { name: 'web', namespace },
  spec: {
    replicas: 4,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:0' }] } },
    strategy: {
      canary: {
        stableService: 'web-stable',
        canaryService: 'web-canary',
        scaleDownDelaySeconds: delay,
        abortScaleDownDelaySeconds: delay,
        trafficRouting: { nginx: { stableIngress: 'web' } },
        steps: [{ setWeight: 25 }, { pause: {} }, { setWeight: 60 }],
      },
    },
  },
});

/** The nginx of this machine; undefined if there is none. */
export const nginx = findProgram('nginx', 'TIPHYS_TEST_NGINX', { folders: ['/usr/sbin'] });

interface Load {
  readonly updates: number;
  /** The program of a real nginx; without it requests are routed as it would. */
  readonly program?: string | undefined;
}

async function until(client: Client, check: (rollout: Rollout) => boolean): Promise<Rollout> {
  const limit = AbortSignal.timeout(120_000);
  for (;;) {
    const current = await client.get<Rollout>(ref);
    if (String(current.metadata.generation) === current.status?.observedGeneration && check(current)) return current;
    if (limit.aborted) assert.fail(`it did not come: ${JSON.stringify(current.status)}`);
    await pause(systemClock, 50);
  }
}

/** Asks a proxy all the time while a canary is updated so often, every third time aborted: no request may fail. */
export async function updateUnderLoad(t: TestContext, { updates, program }: Load): Promise<void> {
  const sandbox = await startSandbox();
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'traffic' } });
  t.after(() => client.close());
  const scratch = mkdtempSync(join(tmpdir(), 'tiphys-traffic-'));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  for (const name of [namespace, 'argo-rollouts'])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const stop = new AbortController();
  t.after(() => stop.abort());
  const calls = new AbortController();
  const family = await startRolloutsFamily({
    client,
    namespace: 'argo-rollouts',
    clock: systemClock,
    signal: stop.signal,
    onError: () => undefined,
    env: {},
    scratch,
  });
  t.after(() => family.close());
  for (const object of [service('web-stable'), service('web-canary'), ingress, rolloutOf(program ? 5 : 1)])
    await client.create(object);
  await until(client, ({ status }) => status?.phase === 'Healthy');
  const proxy: RequestProxy = program
    ? new NginxProxy(client, { namespace, program, folder: scratch })
    : new IngressProxy(client, { namespace, seed: 7 });
  await proxy.start(stop.signal);
  t.after(() => proxy.close());

  const failures: string[] = [];
  const answers = new Map<string, number>();
  const calling = Array.from({ length: callers }, async () => {
    while (!calls.signal.aborted) {
      const { ok, text } = await proxy.call();
      if (ok) answers.set(text, (answers.get(text) ?? 0) + 1);
      else failures.push(text);
      await pause(systemClock, breath);
    }
  });
  try {
    for (let count = 1; count <= updates; count += 1) {
      await client.patch(ref, 'json', [
        { op: 'replace', path: '/spec/template/spec/containers/0/image', value: `web:${count}` },
      ]);
      const paused = await until(client, ({ status }) => status?.phase === 'Paused');
      assert.equal(paused.status?.canary?.weights?.canary.weight, 25);
      const limit = AbortSignal.timeout(120_000);
      // the canary is really asked
      while (!answers.has(paused.status?.currentPodHash ?? '') && !limit.aborted) await pause(systemClock, 10);
      assert.ok(answers.has(paused.status?.currentPodHash ?? ''), `no answer of ${paused.status?.currentPodHash}`);
      if (count % 3 === 0) {
        await client.patch(ref, 'merge', { status: { abort: true } }, { subresource: 'status' });
        await until(client, ({ status }) => status?.phase === 'Degraded' && status.replicas === 4);
      } else {
        await client.patch(ref, 'merge', { status: { pauseConditions: null } }, { subresource: 'status' });
        await until(
          client,
          ({ status }) =>
            status?.phase === 'Healthy' && status.canary?.weights?.canary.weight === 0 && status.replicas === 4,
        );
      }
    }
  } finally {
    calls.abort();
    await Promise.all(calling);
  }
  const total = [...answers.values()].reduce((sum, each) => sum + each, 0);
  t.diagnostic(`${updates} updates, ${total} requests, ${failures.length} failed`);
  assert.deepEqual(failures, []);
}
