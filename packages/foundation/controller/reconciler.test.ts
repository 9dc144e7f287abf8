import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import { EventRecorder } from './event-recorder.ts';
import { ObjectStore } from './object-store.ts';
import { type Pass, Reconciler, type ReconcilerOptions, type Step } from './reconciler.ts';
import { MemoryCluster, ScriptedClock } from './testing/index.ts';

interface Lamp extends KubeObject {
  spec: { on: boolean };
  status?: { lit?: boolean; count?: number };
}

type Work = Pass<Lamp, Record<string, never>, { passes: number }>;

const ref = { apiVersion: 'test/v1', kind: 'Lamp', namespace: 'shop', name: 'desk' };
const lamp = (on = true): Lamp => ({
  apiVersion: ref.apiVersion,
  kind: ref.kind,
  metadata: { namespace: ref.namespace, name: ref.name },
  spec: { on },
});

/** A reconciler of lamps over a cluster in memory, which runs until the test ends. */
function bench(
  t: TestContext,
  steps: readonly Step<Work>[],
  more: Partial<ReconcilerOptions<Lamp, Record<string, never>, { passes: number }>> = {},
) {
  const cluster = new MemoryCluster();
  const clock = new ScriptedClock();
  const errors: unknown[] = [];
  const queue = new WorkQueue({ clock });
  const store = new ObjectStore<Lamp>({
    client: cluster.client,
    view: cluster.view('Lamp'),
    fields: ['spec', 'status'],
    statusSubresource: true,
  });
  const events = new EventRecorder<Lamp>({
    client: cluster.client,
    clock,
    component: 'lamps',
    onError: (error) => errors.push(error),
  });
  const reconciler = new Reconciler({
    name: 'lamp',
    store,
    queue,
    clock,
    steps,
    context: {},
    memory: () => ({ passes: 0 }),
    events,
    onError: (_key, error) => errors.push(error),
    ...more,
  });
  const abort = new AbortController();
  const running = reconciler.run(1, abort.signal);
  t.after(async () => {
    abort.abort();
    await running;
  });
  return { cluster, clock, errors, queue, reconciler, store };
}

const light: Step<Work> = (pass) => {
  pass.memory.passes += 1;
  pass.status.lit = pass.next.spec.on;
};

test('the steps change a copy, and one exit writes what differs', async (t) => {
  const { cluster, reconciler } = bench(t, [light]);
  cluster.put(lamp());
  await reconciler.reconciled('shop/desk');
  assert.equal(cluster.object<Lamp>(ref)?.status?.lit, true);
  assert.deepEqual(
    cluster.requests.filter((request) => request.startsWith('patch')),
    ['patch Lamp shop/desk status'],
  );
  await reconciler.reconciled('shop/desk');
  assert.equal(cluster.requests.length, 1, 'nothing differs, so nothing is asked of the cluster');
  assert.equal(reconciler.memoryOf('shop/desk').passes, 2);
});

test('metadata and spec are written before the status', async (t) => {
  const { cluster, reconciler } = bench(t, [
    light,
    (pass) => {
      pass.next.metadata.finalizers = ['lamps'];
      pass.next.spec = { on: false };
    },
  ]);
  cluster.put(lamp());
  await reconciler.reconciled('shop/desk');
  assert.deepEqual(cluster.requests, ['patch Lamp shop/desk', 'patch Lamp shop/desk status']);
  const stored = cluster.object<Lamp>(ref);
  assert.deepEqual([stored?.metadata.finalizers, stored?.spec.on, stored?.status?.lit], [['lamps'], false, true]);
});

test('a step that stops leaves out those behind it, and what is set so far is written', async (t) => {
  const { cluster, reconciler } = bench(t, [light, () => 'stop', () => assert.fail('must not be reached')]);
  cluster.put(lamp());
  await reconciler.reconciled('shop/desk');
  assert.equal(cluster.object<Lamp>(ref)?.status?.lit, true);
});

test('a conflict throws the pass away, and the next one decides from what is stored', async (t) => {
  const { cluster, reconciler, errors } = bench(t, [light]);
  cluster.put(lamp());
  cluster.fail(/^patch/, { status: 409, reason: 'Conflict' });
  const passes = new Promise<void>((resolve) => {
    let count = 0;
    reconciler.subscribe(() => {
      count += 1;
      if (count === 2) resolve();
    });
  });
  await reconciler.reconciled('shop/desk');
  await passes;
  assert.equal(cluster.object<Lamp>(ref)?.status?.lit, true);
  assert.deepEqual(errors, []);
});

test('another failure is told, and tried again after a delay', async (t) => {
  const { cluster, clock, reconciler, errors } = bench(t, [light]);
  cluster.put(lamp());
  cluster.fail(/^patch/, { status: 503, reason: 'ServiceUnavailable' });
  await reconciler.reconciled('shop/desk');
  await clock.sleeping();
  assert.equal(errors.length, 1);
  const again = new Promise<void>((resolve) => reconciler.subscribe(() => resolve()));
  await clock.advance(500);
  await again;
  assert.equal(cluster.object<Lamp>(ref)?.status?.lit, true);
});

test('a checkpoint stores what the steps before it set, and Events follow the write', async (t) => {
  const { cluster, reconciler } = bench(t, [
    light,
    async (pass) => {
      pass.event('Normal', 'Lit', 'The lamp is lit');
      await pass.checkpoint();
      assert.equal(cluster.object<Lamp>(ref)?.status?.lit, true);
      pass.status.count = 1;
    },
  ]);
  cluster.put(lamp());
  await reconciler.reconciled('shop/desk');
  assert.equal(cluster.object<Lamp>(ref)?.status?.count, 1);
  assert.deepEqual(
    cluster.objects('Event').map(({ reason, metadata }) => [metadata.namespace, reason]),
    [['shop', 'Lit']],
  );
});

test('a pass that asks for another turn gets it at the earliest time that a step named', async (t) => {
  const { cluster, clock, reconciler } = bench(t, [
    light,
    (pass) => {
      pass.requeueIn(60_000);
      pass.requeueIn(10_000);
      pass.requeueIn(30_000);
    },
  ]);
  cluster.put(lamp());
  await reconciler.reconciled('shop/desk');
  await clock.sleeping();
  const again = new Promise<void>((resolve) => reconciler.subscribe(() => resolve()));
  await clock.advance(10_000);
  await again;
  assert.equal(reconciler.memoryOf('shop/desk').passes, 2);
});

test('an object that another replica holds is only observed', async (t) => {
  const seen: string[] = [];
  const { cluster, reconciler } = bench(t, [light], {
    holds: () => undefined,
    observe: async (key) => {
      seen.push(key);
      return undefined;
    },
  });
  cluster.put(lamp());
  await reconciler.reconciled('shop/desk');
  assert.deepEqual([seen, cluster.requests], [['shop/desk'], []]);
});

test('what is remembered of an object that is gone is dropped', async (t) => {
  const gone: string[] = [];
  const { cluster, queue, reconciler } = bench(t, [light], { onGone: (key) => gone.push(key) });
  cluster.put(lamp());
  await reconciler.reconciled('shop/desk');
  cluster.remove(ref);
  queue.add('shop/desk');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(gone, ['shop/desk']);
  assert.equal(reconciler.memoryOf('shop/desk').passes, 0);
});
