import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, PlanRow, ResourceStatus } from '../api/model.ts';
import { previewRows, previewWords } from './sync-preview.ts';
import { defaultChoices, refusedChoices, resourceKey, type SyncChoices, syncBody } from './sync-request.ts';

const settings: ResourceStatus = { kind: 'ConfigMap', namespace: 'shop', name: 'settings', status: 'OutOfSync' };
const web: ResourceStatus = {
  group: 'apps',
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  status: 'OutOfSync',
  health: { status: 'Missing' },
};
const fine: ResourceStatus = { kind: 'Service', namespace: 'shop', name: 'web', status: 'Synced' };
const left: ResourceStatus = {
  kind: 'Secret',
  namespace: 'shop',
  name: 'old',
  status: 'OutOfSync',
  requiresPruning: true,
};
const hook: ResourceStatus = { group: 'batch', kind: 'Job', namespace: 'shop', name: 'migrate', hook: true };
const resources = [settings, web, fine, left, hook];

function application(spec: Partial<Application['spec']> = {}): Application {
  return {
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: { source: { repoURL: 'https://example.test/r', path: 'p' }, destination: {}, ...spec },
    status: { resources },
  };
}

const choose = (changes: Partial<SyncChoices>, app = application()) => ({ ...defaultChoices(app), ...changes });

test('a sync without choices asks for nothing but the sync', () => {
  assert.deepEqual(syncBody(application(), choose({})), {
    name: 'shop',
    appNamespace: 'argocd',
    prune: false,
    dryRun: false,
    strategy: { hook: { force: false } },
    syncOptions: { items: [] },
  });
});

test('the choices begin with what the application says, and keep what the panel does not show', () => {
  const app = application({
    syncPolicy: {
      syncOptions: [
        'FailOnSharedResource=true',
        'ServerSideApply=true',
        'PrunePropagationPolicy=orphan',
        'Replace=false',
      ],
      retry: { limit: 5, refresh: true, backoff: { duration: '10s', factor: 3, maxDuration: '1m' } },
    },
  });
  const choices = defaultChoices(app);
  assert.deepEqual([[...choices.switches], choices.propagation], [['ServerSideApply=true'], 'orphan']);
  const body = syncBody(app, { ...choices, switches: new Set(['PruneLast=true']) });
  assert.deepEqual(body.syncOptions, {
    items: ['FailOnSharedResource=true', 'PruneLast=true', 'PrunePropagationPolicy=orphan'],
  });
  assert.deepEqual(body.retryStrategy, {
    limit: 5,
    refresh: true,
    backoff: { duration: '10s', factor: 3, maxDuration: '1m' },
  });
  const none = syncBody(app, { ...choices, retry: { ...choices.retry, enabled: false } });
  assert.deepEqual(none.retryStrategy, { limit: 0 }, 'else the retries of the application would count');
});

test('revisions go by the position of their source', () => {
  assert.equal(syncBody(application(), choose({ revisions: [' v1 '] })).revision, 'v1');
  const app = application({ sources: [{ repoURL: 'a' }, { repoURL: 'b' }, { repoURL: 'c' }] });
  const { sourcePositions, revisions, revision } = syncBody(app, choose({ revisions: ['', 'v2', 'v3'] }, app));
  assert.deepEqual(
    { sourcePositions, revisions, revision },
    { sourcePositions: [2, 3], revisions: ['v2', 'v3'], revision: undefined },
  );
});

test('single objects are named', () => {
  const body = syncBody(application(), choose({ chosen: new Set([resourceKey(web)]) }));
  assert.deepEqual(body.resources, [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' }]);
});

const row = (resource: ResourceStatus, effect: PlanRow['effect'], words: string): PlanRow => {
  const { kind, name, group = '', namespace = '' } = resource;
  return { group, kind, namespace, name, phase: 'Sync', wave: 0, effect, words, reason: '' };
};
const plan = [
  row(settings, 'change', 'changed'),
  row(web, 'create', 'created'),
  row(left, 'leave', 'left over, stays: Prune=false'),
  row(hook, 'hook', 'PostSync hook, runs'),
];

test('the preview shows what the planner says of each object', () => {
  const rows = previewRows(plan, resources, undefined);
  assert.deepEqual(
    rows.map(({ words, chosen, resource }) => [words, chosen, resource.status]),
    [
      ['changed', true, 'OutOfSync'],
      ['created', true, 'OutOfSync'],
      ['left over, stays: Prune=false', true, 'OutOfSync'],
      ['PostSync hook, runs', true, undefined],
    ],
  );
  assert.equal(previewWords(rows), '1 created, 1 changed, 1 run as hooks');
});

test('of single objects the others stay, and hooks do not run', () => {
  const rows = previewRows(plan, resources, new Set([resourceKey(settings), resourceKey(hook)]));
  assert.deepEqual(
    rows.map(({ words }) => words),
    ['changed', 'not chosen', 'not chosen', 'hooks run in whole syncs alone'],
  );
  assert.equal(previewWords(rows), '1 changed');
  assert.equal(previewWords(previewRows(plan, resources, new Set())), 'nothing is done');
});

test('choices that cannot be sent are told', () => {
  assert.equal(refusedChoices(choose({})), undefined);
  assert.equal(refusedChoices(choose({ chosen: new Set() })), 'Choose at least one object.');
  const retry = { ...defaultChoices(application()).retry, enabled: true, duration: 'soon' };
  assert.match(refusedChoices(choose({ retry })) ?? '', /"soon" is no duration/);
});
