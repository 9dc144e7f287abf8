import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from './api/model.ts';
import { applyEvent, countBy, filterApplications } from './applications.ts';

const application = (name: string, health = 'Healthy', extra: Partial<Application['spec']> = {}): Application => ({
  metadata: { name, namespace: 'argocd' },
  spec: { project: 'default', destination: { namespace: name }, ...extra },
  status: { health: { status: health }, sync: { status: 'Synced' } },
});

const all = { text: '', health: undefined, sync: undefined };

test('applyEvent() replaces in place, adds at the end and removes', () => {
  const items = [application('a'), application('b')];
  const changed = applyEvent(items, { type: 'MODIFIED', application: application('a', 'Degraded') });
  assert.deepEqual(
    changed.map(({ metadata, status }) => [metadata.name, status?.health?.status]),
    [
      ['a', 'Degraded'],
      ['b', 'Healthy'],
    ],
  );
  assert.equal(applyEvent(items, { type: 'ADDED', application: application('c') }).length, 3);
  assert.deepEqual(
    applyEvent(items, { type: 'DELETED', application: application('a') }).map(({ metadata }) => metadata.name),
    ['b'],
  );
});

test('filterApplications() puts the worst health first', () => {
  const items = [application('ok'), application('bad', 'Degraded'), application('busy', 'Progressing')];
  assert.deepEqual(
    filterApplications(items, all).map(({ metadata }) => metadata.name),
    ['bad', 'busy', 'ok'],
  );
});

test('filterApplications() wants every word somewhere', () => {
  const items = [
    application('shop', 'Healthy', { project: 'team-a' }),
    application('shop-db', 'Healthy', { project: 'team-b' }),
  ];
  assert.deepEqual(
    filterApplications(items, { ...all, text: 'shop team-a' }).map(({ metadata }) => metadata.name),
    ['shop'],
  );
  assert.deepEqual(filterApplications(items, { ...all, health: 'Degraded' }), []);
});

test('countBy() lists the most frequent first', () => {
  const items = [application('a'), application('b', 'Degraded'), application('c')];
  assert.deepEqual(
    countBy(items, ({ status }) => status?.health?.status ?? ''),
    [
      ['Healthy', 2],
      ['Degraded', 1],
    ],
  );
});
