import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedResource } from '../api/model.ts';
import { differencesOf } from './differences.ts';

const managed = (name: string, live: unknown, predicted: unknown) =>
  ({
    group: '',
    kind: 'ConfigMap',
    namespace: 'shop',
    name,
    normalizedLiveState: JSON.stringify(live ?? null),
    predictedLiveState: JSON.stringify(predicted ?? null),
  }) as ManagedResource;

const items = [
  managed('same', { data: { a: '1' } }, { data: { a: '1' } }),
  managed('other', { data: { a: 'live' } }, { data: { a: 'revision', b: '2' } }),
  managed('more', { data: {} }, undefined),
  managed('missing', undefined, { data: {} }),
];

test('differencesOf() tells what a revision and live have differently, from one to the other', () => {
  const told = (from: 'live' | 'revision') =>
    differencesOf(items, from).map(({ title, change, added, removed }) => [
      title.split('/').at(-1),
      change,
      `+${added} -${removed}`,
    ]);
  assert.deepEqual(told('revision'), [
    ['other', 'changed', '+1 -2'],
    ['more', 'added', '+1 -0'],
    ['missing', 'removed', '+0 -1'],
  ]);
  assert.deepEqual(told('live'), [
    ['other', 'changed', '+2 -1'],
    ['more', 'removed', '+0 -1'],
    ['missing', 'added', '+1 -0'],
  ]);
  const [other] = differencesOf(items, 'revision');
  assert.match(other?.live ?? '', /a: revision/);
  assert.match(other?.desired ?? '', /a: live/);
});
