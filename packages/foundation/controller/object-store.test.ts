import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KubeObject } from '@tiphys/kubernetes';
import { ObjectStore } from './object-store.ts';

type Application = KubeObject;

const application = (resourceVersion: string, phase?: string): Application =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { namespace: 'argocd', name: 'shop', uid: 'u', resourceVersion },
    spec: {},
    ...(phase ? { status: { operationState: { phase } } } : {}),
  }) as unknown as Application;

/** A store whose writes are answered when the test says so. */
function storeOf() {
  const answers: PromiseWithResolvers<Application>[] = [];
  const client = {
    patch: () => {
      const answer = Promise.withResolvers<Application>();
      answers.push(answer);
      return answer.promise;
    },
  };
  const informer = { subscribe: () => () => undefined, get: () => undefined };
  const store = new ObjectStore<Application>({
    client: client as never,
    view: { ...informer, list: () => [] },
    fields: ['operation', 'status'],
  });
  const news: string[] = [];
  const arrives = (version: string) => store.unlessOwn(application(version), () => news.push(version));
  return { store, answers, news, arrives };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('what we wrote ourselves is no news when the watch brings it, what others wrote is', async () => {
  const { store, answers, news, arrives } = storeOf();
  const written = store.write(application('1'), application('1', 'Running'));
  answers[0]?.resolve(application('2', 'Running'));
  await written;
  arrives('2');
  arrives('3');
  assert.deepEqual(news, ['3']);
});

test('a watch that is faster than the answer to the write waits for it', async () => {
  const { store, answers, news, arrives } = storeOf();
  const written = store.write(application('1'), application('1', 'Running'));
  arrives('2');
  assert.deepEqual(news, []);
  answers[0]?.resolve(application('2', 'Running'));
  await written;
  await settled();
  assert.deepEqual(news, []);
});

test('what arrives while a write fails is news', async () => {
  const { store, answers, news, arrives } = storeOf();
  const written = store.write(application('1'), application('1', 'Running'));
  arrives('2');
  answers[0]?.reject(new Error('conflict'));
  await assert.rejects(written);
  await settled();
  assert.deepEqual(news, ['2']);
});

test('of several writes that the watch brings as one none is news', async () => {
  const { store, answers, news, arrives } = storeOf();
  for (const [index, version] of ['2', '3'].entries()) {
    const written = store.write(application('1'), application('1', `phase ${version}`));
    answers[index]?.resolve(application(version, 'Running'));
    await written;
  }
  arrives('3');
  arrives('4');
  assert.deepEqual(news, ['4']);
});

/** A collection of all that nobody holds. */
async function collect(): Promise<void> {
  await settled();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('what was written is kept until the watch brings it, and not at all where the watch was faster', async () => {
  let seen = application('1');
  let tell: (change: { type: 'updated'; object: Application }) => void = () => undefined;
  let answer = Promise.withResolvers<Application>();
  const store = new ObjectStore<Application>({
    client: { patch: () => answer.promise } as never,
    view: {
      get: () => seen,
      list: () => [],
      subscribe: (listener) => {
        tell = listener;
        return () => undefined;
      },
    },
  });
  const see = (object: Application) => {
    seen = object;
    tell({ type: 'updated', object });
  };
  const written = async (version: string) => {
    const stored = application(version, 'Running');
    const kept = new WeakRef(stored);
    answer = Promise.withResolvers();
    const writing = store.write(seen, application('1', version));
    if (version === '3') see(application('3', 'Running'));
    answer.resolve(stored);
    await writing;
    return kept;
  };
  const slow = await written('2');
  await collect();
  assert.equal(slow.deref()?.metadata.resourceVersion, '2');
  see(application('2', 'Running'));
  const fast = await written('3');
  answer = Promise.withResolvers();
  await collect();
  assert.deepEqual([slow.deref(), fast.deref()], [undefined, undefined]);
  assert.equal(store.get('argocd/shop')?.metadata.resourceVersion, '3');
});
