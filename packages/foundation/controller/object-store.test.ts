import assert from 'node:assert/strict';
import { test } from 'node:test';
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
