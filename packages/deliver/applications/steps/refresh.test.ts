import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Application, names } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { ApplicationMemory } from '../reconciliation/application-memory.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';
import { refresh } from './refresh.ts';

const unreachable = defineDiagnosis('TestUnreachable', 'A repository that nobody reaches');

/** An application whose repository cannot be read; `asked` counts how often it was asked. */
function failing() {
  let now = 1_000_000;
  let asked = 0;
  const memory = new ApplicationMemory();
  const context = {
    clock: { now: () => now },
    settings: () => ({ reconciliationTimeout: 180_000, reconciliationJitter: 0 }),
    renderer: {
      render: async () => {
        asked += 1;
        throw failure(unreachable, { message: 'nobody answers', remedies: [] });
      },
    },
  };
  const reconcile = async (change: Partial<Application['spec']> = {}, annotations = {}) => {
    const next = {
      metadata: { name: 'shop', namespace: 'argocd', annotations },
      spec: { project: 'default', source: { repoURL: '/gone', path: '.' }, destination: {}, ...change },
    };
    const work = {
      key: 'argocd/shop',
      next,
      status: {},
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
