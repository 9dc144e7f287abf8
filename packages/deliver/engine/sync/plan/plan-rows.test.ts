import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KubeObject, keyOf } from '@tiphys/kubernetes';
import type { Comparison } from '../../difference/comparison.ts';
import type { ComparedResource } from '../../model/model.ts';
import type { SyncOptions } from '../model.ts';
import { planRows, planWords } from './plan-rows.ts';
import { planSync } from './plan-sync.ts';

const options: SyncOptions = { revision: 'abcdef0', startedAt: '2026-01-01T00:00:00Z', prune: true };

const object = (name: string, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', annotations },
});

const compared = (item: KubeObject, more: Partial<ComparedResource>): ComparedResource => ({
  key: keyOf(item),
  version: 'v1',
  status: 'OutOfSync',
  hook: false,
  requiresPruning: false,
  wave: 0,
  differences: [],
  ...more,
});

const left = (name: string, annotations: Record<string, string> = {}) => {
  const live = object(name, annotations);
  return compared(live, { live, requiresPruning: true });
};

/** `name: words` of each object, by name. */
function words(
  resources: ComparedResource[],
  more: Partial<SyncOptions> = {},
  hooks: ComparedResource[] = [],
): string[] {
  const comparison = {
    resources,
    hooks,
    findings: [],
    ignoreDifferences: [],
    destinationNamespace: 'shop',
  } as unknown as Comparison;
  return planRows(planSync(comparison, { ...options, ...more }))
    .map((row) => `${row.name}: ${row.words}`)
    .sort();
}

test('what is protected from pruning stays, and says by what', () => {
  const protectedOnes = [
    left('kept', { 'helm.sh/resource-policy': 'keep' }),
    left('own', { 'argocd.argoproj.io/sync-options': 'Prune=false' }),
    left('asks', { 'argocd.argoproj.io/sync-options': 'Prune=confirm' }),
    left('plain'),
  ];
  assert.deepEqual(words(protectedOnes), [
    'asks: deleted once that is approved: Prune=confirm',
    'kept: left over, stays: helm.sh/resource-policy: keep',
    'own: left over, stays: Prune=false',
    'plain: deleted',
  ]);
  assert.deepEqual(words([left('plain')], { prune: false }), ['plain: left over, stays: prune is off']);
  assert.deepEqual(words([left('plain')], { syncOptions: ['PruneLast=true', 'PrunePropagationPolicy=orphan'] }), [
    'plain: deleted last (orphan)',
  ]);
});

test('options of single objects count', () => {
  const replaced = object('replaced', { 'argocd.argoproj.io/sync-options': 'Replace=true,Force=true' });
  const patched = object('patched', { 'argocd.argoproj.io/sync-options': 'Replace=false' });
  const resources = [replaced, patched].map((item) => compared(item, { desired: item, live: item }));
  assert.deepEqual(words(resources, { syncOptions: ['Replace=true'] }), [
    'patched: changed',
    'replaced: replaced, deleted first if need be',
  ]);
});

test('what is missing is created, what is in sync is applied again or left alone, hooks run', () => {
  const fresh = object('new');
  const same = object('same');
  const hook = object('hook', { 'argocd.argoproj.io/hook': 'PreSync' });
  const resources = [
    compared(fresh, { desired: fresh }),
    compared(same, { desired: same, live: same, status: 'Synced' }),
  ];
  const hooks = [compared(hook, { desired: hook, hook: true })];
  assert.deepEqual(words(resources, {}, hooks), [
    'hook: PreSync hook, runs',
    'new: created',
    'same: applied again, no change expected',
  ]);
  assert.deepEqual(words(resources, { syncOptions: ['ApplyOutOfSyncOnly=true'] }), [
    'new: created',
    'same: in sync, left alone',
  ]);
});

test('a namespace that is there is not created', () => {
  const comparison = {
    resources: [],
    hooks: [],
    findings: [],
    ignoreDifferences: [],
    destinationNamespace: 'shop',
  } as unknown as Comparison;
  const plan = planSync(comparison, { ...options, syncOptions: ['CreateNamespace=true'] });
  const effects = (isThere: boolean) => planRows(plan, () => isThere).map(({ name, effect }) => `${name}: ${effect}`);
  assert.deepEqual(effects(false), ['shop: create']);
  assert.deepEqual(effects(true), ['shop: leave']);
});

test('a plan in one line', () => {
  assert.equal(planWords([]), 'nothing is done');
  assert.equal(planWords([{ effect: 'create' }, { effect: 'delete' }, { effect: 'create' }]), '2 created, 1 deleted');
});
