import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Application, names } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { ApplicationMemory } from '../reconciliation/application-memory.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';
import { pollInterval, refresh } from './refresh.ts';

const unreachable = defineDiagnosis('TestUnreachable', 'A repository that nobody reaches');

/** An application, one of `count`, whose repository cannot be read; `asked` counts how often it was asked. */
function failing(count = 1) {
  let now = Date.parse('2026-01-02T03:00:00Z');
  let asked = 0;
  const memory = new ApplicationMemory();
  const context = {
    clock: { now: () => now },
    count: () => count,
    settings: () => ({ reconciliationTimeout: 180_000, reconciliationJitter: 0 }),
    renderer: {
      render: async () => {
        asked += 1;
        throw failure(unreachable, { message: 'nobody answers', remedies: [] });
      },
    },
  };
  const reconcile = async (change: Partial<Application['spec']> = {}, annotations = {}, status = {}) => {
    const next = {
      metadata: { name: 'shop', namespace: 'argocd', annotations },
      spec: { project: 'default', source: { repoURL: '/gone', path: '.' }, destination: {}, ...change },
    };
    const work = {
      key: 'argocd/shop',
      next,
      status,
      memory,
      context,
      cluster: { cache: { ensureSynced: async () => undefined, info: () => ({ diagnosis: {} }) } },
      signal: new AbortController().signal,
      requeueAfter: undefined,
      requeueIn(this: { requeueAfter?: number }, delay: number) {
        this.requeueAfter = delay;
      },
    } as unknown as Reconciliation;
    assert.equal(await refresh(work), 'stop');
    return work;
  };
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { memory, reconcile, asked: () => asked, pass };
}

test('after a failure whatever wakes the application does not ask the remote before its time', async () => {
  const { reconcile, asked, pass } = failing();
  const first = await reconcile();
  assert.equal(first.requeueAfter, 5_000);
  assert.equal(first.status.health?.status, 'Unknown');
  assert.equal(first.status.sync?.status, 'Unknown');
  pass(2_000);
  const woken = await reconcile();
  assert.equal(asked(), 1);
  assert.equal(woken.requeueAfter, 3_000);
  assert.deepEqual(
    woken.status.conditions?.map(({ message }) => /nobody answers/.test(message)),
    [true],
  );
  pass(3_000);
  assert.equal((await reconcile()).requeueAfter, 10_000, 'the next wait is longer');
  assert.equal(asked(), 2);
});

test('another spec, a moved ref and a refresh that was asked for are reasons to ask at once', async () => {
  const { memory, reconcile, asked } = failing();
  await reconcile();
  await reconcile({ source: { repoURL: '/other', path: '.' } });
  assert.equal(asked(), 2);
  await reconcile({ source: { repoURL: '/other', path: '.' } }, { [names.annotations.refresh]: 'normal' });
  assert.equal(asked(), 3);
  memory.surroundingsChanged();
  await reconcile({ source: { repoURL: '/other', path: '.' } });
  assert.equal(asked(), 4);
});

test('a look that nobody asked for is noted once in a second of all applications', async () => {
  const at = (time: string) => ({ reconciledAt: `2026-01-02T${time}Z` });
  const noted = async (count: number, annotations: object, status: object) =>
    (await failing(count).reconcile({}, annotations, status)).status.reconciledAt?.slice(11, 19);
  assert.equal(await noted(1, {}, at('02:59:00')), '03:00:00', 'as upstream, where there are few');
  assert.equal(await noted(1_000, {}, at('02:50:00')), '02:50:00');
  assert.equal(await noted(1_000, {}, at('02:40:00')), '03:00:00');
  assert.equal(await noted(1_000, {}, {}), '03:00:00', 'the first one');
  assert.equal(await noted(1_000, { [names.annotations.refresh]: 'normal' }, at('02:50:00')), '03:00:00');
  const operationState = { finishedAt: '2026-01-02T02:55:00Z' };
  assert.equal(
    await noted(1_000, {}, { ...at('02:50:00'), operationState }),
    '03:00:00',
    'since an operation has ended',
  );
});

test('an application is looked at as often as something that it reads may change unseen', () => {
  const interval = (source: object, facts: object, timeout = 120_000) =>
    pollInterval({
      key: 'argocd/shop',
      next: { spec: { source: { repoURL: 'https://git.example.com/shop.git', path: '.', ...source } } },
      memory: { rendered: { renders: [{ readSet: { facts } }] } },
      context: { settings: () => ({ reconciliationTimeout: timeout, reconciliationJitter: 0 }) },
    } as unknown as Reconciliation);
  assert.equal(interval({}, {}), 1_200_000, 'its repository is followed for all');
  assert.equal(interval({}, { 'base https://git.example.com/base.git': 'c0ffee' }), 120_000);
  assert.equal(interval({ chart: 'shop', path: undefined }, {}), 120_000);
  assert.equal(interval({}, {}, 0), 0);
});
