import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { diagnosisOf } from '@tiphys/diagnosis';
import { ApiError, type KubeObject } from '@tiphys/kubernetes';
import { EventRecorder } from './event-recorder.ts';

const application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { namespace: 'argocd', name: 'shop', uid: 'u' },
} satisfies KubeObject;

const unasked = () => assert.fail('only combined Events are written again');

/** A recorder whose delay ends when the test says so. */
function recorder(create: (event: KubeObject) => Promise<KubeObject>) {
  const errors: unknown[] = [];
  const delay = Promise.withResolvers<void>();
  const clock = { now: () => Date.parse('2026-01-01T00:00:00Z'), sleep: () => delay.promise };
  const events = new EventRecorder({
    client: { create: create as never, patch: unasked },
    clock,
    component: 'argocd-application-controller',
    onError: (error) => errors.push(error),
  });
  const flush = async () => {
    delay.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { events, errors, flush };
}

/** So that what follows waits. */
async function spendBurst(events: EventRecorder) {
  for (let index = 0; index < 10; index++) {
    events.record(application, { type: 'Normal', reason: 'OperationStarted', message: 'one of many' });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a few Events are written at once, and more of them wait', async () => {
  const written: KubeObject[] = [];
  const { events, flush } = recorder(async (event) => {
    written.push(event);
    return event;
  });
  for (let index = 0; index < 30; index++) {
    events.record(application, { type: 'Normal', reason: 'OperationStarted', message: `${index}` });
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(written.length, 10);
  await flush();
  assert.deepEqual(
    written.map(({ message }) => message),
    Array.from({ length: 30 }, (_, index) => `${index}`),
  );
});

test('a status that changes several times makes one Event, and none if it is back where it was', async () => {
  const written: KubeObject[] = [];
  const { events, flush } = recorder(async (event) => {
    written.push(event);
    return event;
  });
  await spendBurst(events);
  written.length = 0;
  events.record(application, { subject: 'health', from: 'Missing', to: 'Progressing' });
  events.record(application, { subject: 'health', from: 'Progressing', to: 'Healthy' });
  events.record(application, { subject: 'sync', from: 'Synced', to: 'OutOfSync' });
  events.record(application, { subject: 'sync', from: 'OutOfSync', to: 'Synced' });
  assert.equal(written.length, 0, 'an Event waits');
  await flush();
  assert.deepEqual(
    written.map(({ message, reason }) => [reason, message]),
    [['ResourceUpdated', 'Updated health status: Missing -> Healthy']],
  );
  assert.equal(written[0]?.metadata.namespace, 'argocd');
  assert.equal((written[0] as KubeObject & { involvedObject: { uid: string } }).involvedObject.uid, 'u');
});

test('sentences are all told, in order, with names of their own', async () => {
  const written: KubeObject[] = [];
  const { events, flush } = recorder(async (event) => {
    written.push(event);
    return event;
  });
  for (const message of ['one', 'two', 'x'.repeat(2000)])
    events.record(application, { type: 'Normal', reason: 'OperationStarted', message });
  await flush();
  assert.deepEqual(
    written.map(({ message }) => (message as string).length),
    [3, 3, 1024],
  );
  assert.equal(new Set(written.map(({ metadata }) => metadata.name)).size, 3);
});

test('an Event that cannot be written is reported and keeps no other back', async () => {
  const failure = new Error('full');
  let calls = 0;
  const { events, errors, flush } = recorder(async (event) => {
    calls += 1;
    if (calls === 1) throw failure;
    return event;
  });
  events.record(application, { type: 'Normal', reason: 'OperationStarted', message: 'one' });
  events.record(application, { type: 'Normal', reason: 'OperationCompleted', message: 'two' });
  await flush();
  assert.deepEqual(errors, [failure]);
  assert.equal(calls, 2);
});

test('the end of the recorder leaves nothing waiting', async () => {
  const written: KubeObject[] = [];
  const end = new AbortController();
  const clock = {
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };
  const create = async (event: KubeObject) => {
    written.push(event);
    return event;
  };
  const events = new EventRecorder({
    client: { create: create as never, patch: unasked },
    clock,
    component: 'test',
    onError: (error) => assert.fail(String(error)),
    signal: end.signal,
  });
  await spendBurst(events);
  events.record(application, { type: 'Normal', reason: 'OperationStarted', message: 'late' });
  end.abort();
  events.record(application, { type: 'Normal', reason: 'OperationStarted', message: 'too late' });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(written.length, 10);
});

test('Events of one object are written in their order, also while others are under way', async () => {
  const answers: PromiseWithResolvers<void>[] = [];
  const written: string[] = [];
  const { events } = recorder(async (event) => {
    written.push(String(event.message));
    const answer = Promise.withResolvers<void>();
    answers.push(answer);
    await answer.promise;
    return event;
  });
  const other = { ...application, metadata: { ...application.metadata, name: 'other', uid: 'v' } };
  for (const message of ['first', 'second']) events.record(application, { type: 'Normal', reason: 'Told', message });
  events.record(other, { type: 'Normal', reason: 'Told', message: 'of another' });
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!written.includes('second'));
  for (let index = 0; index < 3; index++) {
    for (const answer of answers) answer.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(written.toSorted(), ['first', 'of another', 'second']);
  assert.ok(written.indexOf('first') < written.indexOf('second'));
});

test('annotations of one Event are metadata of that Event', async () => {
  const written: KubeObject[] = [];
  const { events, flush } = recorder(async (event) => {
    written.push(event);
    return event;
  });
  events.record(application, { type: 'Normal', reason: 'A', message: 'a', annotations: { node: 'one' } });
  events.record(application, { type: 'Normal', reason: 'B', message: 'b' });
  await flush();
  assert.deepEqual(
    written.map(({ metadata, annotations }) => [metadata.annotations, annotations]),
    [
      [{ node: 'one' }, undefined],
      [undefined, undefined],
    ],
  );
});

/** A recorder whose clock goes on by what is slept, and whose work is pressed as the test says. */
function pressedRecorder(pressed: () => boolean) {
  const written: KubeObject[] = [];
  let now = Date.parse('2026-01-01T00:00:00Z');
  const slept: number[] = [];
  const events = new EventRecorder({
    client: { create: (async (event: KubeObject) => written.push(event)) as never, patch: unasked },
    clock: {
      now: () => now,
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
        await new Promise((resolve) => setImmediate(resolve));
        now += milliseconds;
      },
    },
    component: 'test',
    onError: (error) => assert.fail(String(error)),
    pressed,
  });
  return { events, written, slept };
}

test('while other work goes before them, Events beyond the burst wait for a gap, and changes of a status meanwhile make one', async () => {
  let looks = 0;
  const { events, written, slept } = pressedRecorder(() => {
    looks += 1;
    if (looks === 2) events.record(application, { subject: 'sync', from: 'OutOfSync', to: 'Synced' });
    return looks < 4;
  });
  await spendBurst(events);
  events.record(application, { subject: 'sync', from: 'Unknown', to: 'OutOfSync' });
  while (written.length < 11) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(slept, Array(4).fill(1_000));
  assert.equal(written[10]?.message, 'Updated sync status: Unknown -> Synced');
});

test('Events wait for a gap no longer than half a minute', async () => {
  const { events, written, slept } = pressedRecorder(() => true);
  await spendBurst(events);
  events.record(application, { type: 'Normal', reason: 'OperationStarted', message: 'late' });
  while (written.length < 11) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(slept, Array(30).fill(1_000));
});

test('Events that wait do not keep the objects they tell of', async () => {
  const { events, written } = pressedRecorder(() => true);
  await spendBurst(events);
  const tell = () => {
    const long = { ...application, metadata: { ...application.metadata, name: 'long', resourceVersion: '7' } };
    events.record(long, { type: 'Normal', reason: 'OperationStarted', message: 'one' });
    events.record(long, { subject: 'sync', from: 'Unknown', to: 'Synced' });
    return new WeakRef(long);
  };
  const told = tell();
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  assert.equal(told.deref(), undefined);
  await events.close();
  assert.deepEqual(written.at(-1)?.involvedObject, {
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' },
    ...{ namespace: 'argocd', name: 'long', uid: 'u', resourceVersion: '7' },
  });
});

test('all that waits is written at the close, in its order for each object', async () => {
  const { events, written } = pressedRecorder(() => true);
  await spendBurst(events);
  for (let index = 0; index < 100; index++)
    events.record(application, { type: 'Normal', reason: 'OperationStarted', message: `${index}` });
  await events.close();
  assert.deepEqual(
    written.slice(10).map(({ message }) => message),
    Array.from({ length: 100 }, (_, index) => `${index}`),
  );
});

test('while they are to wait, sentences are told together, without a burst before', async () => {
  const written: KubeObject[] = [];
  const asked: number[] = [];
  const slept: number[] = [];
  const delay = Promise.withResolvers<void>();
  let waits = 10_000;
  const events = new EventRecorder({
    client: { create: (async (event: KubeObject) => written.push(event)) as never, patch: unasked },
    clock: {
      now: () => Date.parse('2026-01-01T00:00:00Z'),
      sleep: (milliseconds) => {
        slept.push(milliseconds);
        return delay.promise;
      },
    },
    component: 'test',
    onError: (error) => assert.fail(String(error)),
    merges: true,
    waits: ({ metadata }) => {
      asked.push(metadata.name?.length ?? 0);
      return waits;
    },
  });
  const tell = (message: string) => events.record(application, { type: 'Normal', reason: 'Scaled', message });
  for (const message of ['one', 'two', 'three']) tell(message);
  assert.deepEqual([written.length, asked.length, slept], [0, 3, [10_000]]);
  delay.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    written.map(({ message, count }) => [message, count]),
    [['one; two; three', 3]],
  );
  waits = 0;
  tell('four');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(written.at(-1)?.message, 'four');
  assert.deepEqual(slept, [10_000]);
});

test('sentences of one reason that wait one after the other are told by one Event with their count', async () => {
  const written: KubeObject[] = [];
  let now = Date.parse('2026-01-01T00:00:00Z');
  const delay = Promise.withResolvers<void>();
  const events = new EventRecorder({
    client: {
      create: (async (event: KubeObject) => {
        written.push(event);
        return event;
      }) as never,
      patch: unasked,
    },
    clock: { now: () => now, sleep: () => delay.promise },
    component: 'test',
    onError: (error) => assert.fail(String(error)),
    merges: true,
  });
  const tell = (reason: string, message: string) => events.record(application, { type: 'Normal', reason, message });
  await spendBurst(events);
  assert.equal(written.length, 10, 'each by itself as long as none has to wait');
  written.length = 0;
  tell('Scaled', 'one');
  now += 500;
  tell('Scaled', 'two');
  tell('Stepped', 'three');
  tell('Scaled', 'four');
  tell('Scaled', 'x'.repeat(1024));
  delay.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    written.map(({ reason, message, count, firstTimestamp, lastTimestamp }) => [
      ...[reason, String(message).slice(0, 8), count],
      ...[firstTimestamp === lastTimestamp],
    ]),
    [
      ['Scaled', 'one; two', 2, true],
      ['Stepped', 'three', 1, true],
      ['Scaled', 'four', 1, true],
      ['Scaled', 'xxxxxxxx', 1, true],
    ],
  );
});

test('an Event about another object names that one, in the order of the object that tells it', async () => {
  const written: KubeObject[] = [];
  const { events, flush } = recorder(async (event) => {
    written.push(event);
    return event;
  });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'argocd', name: 'shop-1', uid: 'p' } };
  events.record(application, { type: 'Normal', reason: 'First', message: 'of the pod', about: pod });
  events.record(application, { type: 'Normal', reason: 'Second', message: 'its own' });
  await flush();
  await flush();
  assert.deepEqual(
    written.map(({ reason, involvedObject, metadata }) => [
      reason,
      (involvedObject as { kind: string; uid: string }).kind,
      metadata.name?.split('.')[0],
    ]),
    [
      ['First', 'Pod', 'shop-1'],
      ['Second', 'Application', 'shop'],
    ],
  );
});

test('from the tenth similar sentence of an object on one Event tells of them, which is written again with their count', async () => {
  const written: string[] = [];
  let now = Date.parse('2026-01-01T00:00:00Z');
  let isGone = false;
  const note = (verb: string, name: string | undefined, { message, count, lastTimestamp }: Partial<KubeObject>) =>
    written.push(`${verb} ${name?.split('.')[0]} ${message} ×${count} ${String(lastTimestamp).slice(14, 19)}`);
  const events = new EventRecorder({
    client: {
      create: (async (event: KubeObject) => {
        note('create', event.metadata.name, event);
        assert.equal(event.metadata.annotations, undefined);
        return event;
      }) as never,
      patch: (async (ref: { name: string }, _: string, body: Partial<KubeObject>) => {
        if (isGone) throw new ApiError(diagnosisOf(new Error('gone')), { status: 404, reason: 'NotFound' });
        note('patch', ref.name, body);
      }) as never,
    },
    clock: { now: () => now, sleep: () => Promise.resolve() },
    component: 'test',
    onError: (error) => assert.fail(String(error)),
    aggregates: true,
    burst: 1000,
  });
  const tell = async (message: string, reason = 'Ran') => {
    events.record(application, { type: 'Normal', reason, message });
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let index = 1; index < 10; index++) await tell(`node ${index}`);
  await tell('another', 'Ended');
  assert.equal(written.splice(0).length, 10);
  await tell('node 10');
  now += 60_000;
  await tell('node 11');
  assert.deepEqual(written.splice(0), [
    'create shop (combined from similar events): node 10 ×1 00:00',
    'patch shop (combined from similar events): node 11 ×2 01:00',
  ]);
  for (const index of [12, 13, 14])
    events.record(application, { type: 'Normal', reason: 'Ran', message: `node ${index}` });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(written.splice(0).at(-1), 'patch shop (combined from similar events): node 14 ×5 01:00');
  isGone = true;
  await tell('node 15');
  assert.deepEqual(written.splice(0), ['create shop (combined from similar events): node 15 ×6 01:00']);
  now += 601_000;
  await tell('node 16');
  assert.deepEqual(written.splice(0), ['create shop node 16 ×1 11:01']);
});
