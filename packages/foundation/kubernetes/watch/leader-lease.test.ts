import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connect } from '../connect/api-client.ts';
import type { Clock } from '../connect/clock.ts';
import { type FakeApiServer, sendJson, startFakeApiServer, status } from '../fake-api-server.ts';
import type { KubeObject } from '../object/object.ts';
import { ScriptedClock } from '../scripted-clock.ts';
import { LeaderLease } from './leader-lease.ts';

/** A server that keeps one Lease with optimistic locking. */
async function serveLease(): Promise<{
  server: FakeApiServer;
  lease: () => KubeObject | undefined;
  /** Another one holds the lease and never renews it. */
  abandon: () => void;
  break: (on: boolean) => void;
}> {
  let lease: KubeObject | undefined;
  let version = 0;
  let broken = false;
  const server = await startFakeApiServer(({ method, body }, response) => {
    if (broken) return sendJson(response, 500, status(500, 'InternalError', 'etcd is down'));
    if (method === 'GET')
      return lease
        ? sendJson(response, 200, lease)
        : sendJson(response, 404, status(404, 'NotFound', 'no', { name: 'leader', kind: 'leases' }));
    const next = JSON.parse(body) as KubeObject;
    if (method === 'POST' && lease) return sendJson(response, 409, status(409, 'AlreadyExists', 'exists'));
    if (method === 'PUT' && next.metadata.resourceVersion !== `${version}`)
      return sendJson(response, 409, status(409, 'Conflict', 'modified'));
    lease = { ...next, metadata: { ...next.metadata, resourceVersion: `${++version}` } };
    return sendJson(response, 200, lease);
  });
  return {
    server,
    lease: () => lease,
    abandon: () => {
      const spec = { ...(lease as { spec?: object } | undefined)?.spec, holderIdentity: 'dead' };
      const held = lease as KubeObject;
      lease = { ...held, metadata: { ...held.metadata, resourceVersion: `${++version}` }, spec };
    },
    break: (on) => {
      broken = on;
    },
  };
}

async function compete(context: TestContext, count: number, isHandedOver = () => false) {
  const cluster = await serveLease();
  const scripted = new ScriptedClock();
  let offset = 0;
  const clock: Clock = {
    now: () => scripted.now() + offset,
    elapsed: () => scripted.now(),
    sleep: (ms, signal) => scripted.sleep(ms, signal),
  };
  const client = connect({ server: cluster.server.url }, { caller: { component: 'test', purpose: 'lead' } });
  const log: string[] = [];
  const replicas = Array.from({ length: count }, (_, index) => {
    const identity = `replica-${index}`;
    const lease = new LeaderLease(client, { namespace: 'n', name: 'leader', identity, clock, isHandedOver });
    const abort = new AbortController();
    const run = () =>
      lease.run(abort.signal, {
        onStarted: async (signal) => {
          log.push(`${identity} leads`);
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          log.push(`${identity} stops`);
        },
      });
    return { lease, abort, run, done: Promise.resolve() };
  });
  /** Lets time pass in small steps, with room for the requests that each of them causes. */
  const pass = async (ms: number) => {
    for (let time = 0; time < ms; time += 500) {
      await scripted.advance(500);
      for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const close = async () => {
    for (const { abort } of replicas) abort.abort();
    await Promise.all(replicas.map(({ done }) => done));
    await client.close();
    await cluster.server.close();
  };
  context.after(close);
  const set = (ms: number) => {
    offset = ms;
  };
  return { cluster, replicas, log, pass, set };
}

test('one replica leads, and another follows at once when it gives the lease up', async (context) => {
  const { cluster, replicas, log, pass } = await compete(context, 2);
  const [first, second] = replicas;
  assert.ok(first && second);
  first.done = first.run();
  await pass(3000);
  second.done = second.run();
  await pass(30_000);
  assert.deepEqual(log, ['replica-0 leads']);
  assert.equal(second.lease.state().holder, 'replica-0');
  first.abort.abort();
  await first.done;
  await pass(4000);
  assert.deepEqual(log, ['replica-0 leads', 'replica-0 stops', 'replica-1 leads']);
  assert.equal((cluster.lease() as { spec?: { leaseTransitions?: number } }).spec?.leaseTransitions, 1);
});

test('who waits for a lease that is about to change hands looks every half a second', async (context) => {
  let looks = 0;
  const { replicas, pass } = await compete(context, 2, () => {
    looks += 1;
    return true;
  });
  const [first, second] = replicas;
  assert.ok(first && second);
  first.done = first.run();
  await pass(500);
  second.done = second.run();
  await pass(10_000);
  assert.ok(looks >= 19, `${looks} looks in 10 s`);
  assert.equal(second.lease.state().leading, false);
});

test('a leader that cannot renew stops before another may begin', async (context) => {
  const { cluster, replicas, log, pass } = await compete(context, 1);
  const [only] = replicas;
  assert.ok(only);
  only.done = only.run();
  await pass(3000);
  cluster.break(true);
  await pass(8000);
  assert.deepEqual(log, ['replica-0 leads'], 'a short failure is ridden out');
  await pass(6000);
  assert.deepEqual(log, ['replica-0 leads', 'replica-0 stops']);
  assert.equal(only.lease.state().leading, false);
  assert.match(only.lease.state().error?.message ?? '', /etcd is down/);
  cluster.break(false);
  await pass(20_000);
  assert.deepEqual(log.at(-1), 'replica-0 leads');
});

test('a lease of the dead is over in its time, also if the time of the machine is set back', async (context) => {
  const { cluster, replicas, log, pass, set } = await compete(context, 1);
  const [only] = replicas;
  assert.ok(only);
  only.done = only.run();
  await pass(3000);
  cluster.abandon();
  await pass(8000);
  assert.deepEqual(log, ['replica-0 leads', 'replica-0 stops']);
  set(-300_000);
  await pass(20_000);
  assert.deepEqual(log.at(-1), 'replica-0 leads');
});
