import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultWords } from '../applications/repositories.ts';
import { differingManifests, differingResources } from '../objects/differences.ts';
import { parseRoute } from './router.ts';
import { ago, span } from './time.ts';

test('parseRoute() knows the pages and the links of the peers', () => {
  assert.deepEqual(parseRoute('/'), { page: 'applications' });
  assert.deepEqual(parseRoute('/applications/argocd/shop/diff'), {
    page: 'application',
    namespace: 'argocd',
    name: 'shop',
    tab: 'diff',
  });
  assert.deepEqual(parseRoute('/applications/shop'), { page: 'application', namespace: '', name: 'shop', tab: 'tree' });
  assert.deepEqual(parseRoute('/settings/repos'), { page: 'repositories' });
  assert.deepEqual(parseRoute('/settings/notifications'), { page: 'notifications' });
  assert.deepEqual(parseRoute('/applicationsets'), { page: 'applicationsets' });
  assert.deepEqual(parseRoute('/applicationsets/argocd/fleet/preview'), {
    page: 'applicationset',
    namespace: 'argocd',
    name: 'fleet',
    tab: 'preview',
  });
  assert.deepEqual(parseRoute('/rollouts'), { page: 'rollouts' });
  assert.deepEqual(parseRoute('/rollouts/shop/web'), { page: 'rollout', namespace: 'shop', name: 'web' });
  assert.deepEqual(parseRoute('/workflows/ci/build-1'), { page: 'workflow', namespace: 'ci', name: 'build-1' });
  assert.deepEqual(parseRoute('/workflows/ci'), { page: 'unknown', path: '/workflows/ci' });
  assert.deepEqual(parseRoute('/settings'), { page: 'projects' });
  assert.deepEqual(parseRoute('/help'), { page: 'user' });
  assert.deepEqual(parseRoute('/diagnoses/NotPermitted'), { page: 'diagnoses', code: 'NotPermitted' });
  assert.deepEqual(parseRoute('/events'), { page: 'events' });
  assert.deepEqual(parseRoute('/nowhere'), { page: 'unknown', path: '/nowhere' });
});

test('differingResources() tells creation, deletion and change apart and leaves hooks out', () => {
  const state = (value: string) => JSON.stringify({ kind: 'ConfigMap', data: { value } });
  const item = (name: string, live: string, desired: string, hook = false) => ({
    kind: 'ConfigMap',
    namespace: 'shop',
    name,
    normalizedLiveState: live,
    predictedLiveState: desired,
    hook,
  });
  const found = differingResources([
    item('new', 'null', state('1')),
    item('gone', state('1'), ''),
    item('changed', state('1'), state('2')),
    item('same', state('1'), state('1')),
    item('hook', '', state('1'), true),
  ]);
  assert.deepEqual(
    found.map(({ title, change }) => [title, change]),
    [
      ['ConfigMap shop/new', 'will be created'],
      ['ConfigMap shop/gone', 'will be deleted'],
      ['ConfigMap shop/changed', 'will be changed'],
    ],
  );
});

test('resultWords() says how many of the last checks failed', () => {
  assert.equal(resultWords('S'), 'the last check succeeded');
  assert.equal(resultWords('SFF'), '2 of the last 3 checks failed');
  assert.equal(resultWords('FFF'), 'the last 3 checks failed');
});

test('ago() and span() use the largest unit that fits', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  assert.equal(ago('2026-01-01T22:30:00Z', now), '1h ago');
  assert.equal(ago('2026-01-01T23:59:59Z', now), 'just now');
  assert.equal(ago(undefined, now), '');
  assert.equal(span('2026-01-01T00:00:00Z', '2026-01-01T00:01:05Z'), '1m 5s');
});

test('differingManifests() tells what one render has, and the other has not, or otherwise', () => {
  const object = (name: string, value: string, apiVersion = 'v1') =>
    JSON.stringify({ apiVersion, kind: 'ConfigMap', metadata: { name }, data: { value } });
  const found = differingManifests(
    [object('same', '1'), object('gone', '1'), object('other', '1')],
    [object('other', '2'), object('same', '1'), object('fresh', '1', 'apps/v1')],
  );
  assert.deepEqual(
    found.map(({ title, change, added, removed }) => [title, change, added, removed]),
    [
      ['ConfigMap gone', 'removed', 0, 6],
      ['ConfigMap other', 'changed', 1, 1],
      ['apps/ConfigMap fresh', 'added', 6, 0],
    ],
  );
});
