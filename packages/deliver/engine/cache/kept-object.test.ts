import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { KeptObject, ObjectKeeper } from './kept-object.ts';

const object = (index: number, kind = 'ConfigMap'): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: `n-${index}`, namespace: 'shop', uid: `u-${index}`, resourceVersion: String(index) },
  data: { text: `Grüße, 船 🚢 ${index} ${'x'.repeat(index * 100)}`, empty: '', ['__proto__']: 'own' },
  numbers: [0, -1.5, 1e21, 9_007_199_254_740_991],
  nothing: null,
});

test('objects come back as they were, whether they were packed or not', () => {
  const keeper = new ObjectKeeper(2);
  const kept = Array.from(
    { length: 300 },
    (_, index) => new KeptObject(object(index, index % 2 ? 'Secret' : 'ConfigMap')),
  );
  for (const one of kept) keeper.add(one);
  for (const [index, one] of kept.entries())
    assert.deepEqual(one.object, object(index, index % 2 ? 'Secret' : 'ConfigMap'));
});

test('what came last is not packed, and what was released never', () => {
  const keeper = new ObjectKeeper(1);
  const states = [object(1), object(2), object(3)];
  const [released, last, first] = states.map((state) => new KeptObject(state));
  assert.ok(released && last && first);
  keeper.add(released);
  keeper.release(released);
  keeper.add(first);
  keeper.add(last);
  assert.equal(released.object, states[0]);
  assert.equal(last.object, states[1]);
  assert.deepEqual(first.object, object(3));
});

test('a state is told from other states of the object, and from the same one in another version of the API', () => {
  const kept = new KeptObject(object(1));
  assert.ok(kept.holds(object(1)));
  assert.ok(!kept.holds(object(2)));
  assert.ok(!kept.holds({ ...object(1), apiVersion: 'v2' }));
  assert.ok(!kept.holds({ ...object(1), metadata: { name: 'n-1' } }));
});

test('a packed object takes a fraction of its text', () => {
  const keeper = new ObjectKeeper(0);
  const text = (index: number) => ({
    ...object(index),
    spec: { template: { containers: [{ name: 'web', image: 'shop/web:1' }] } },
  });
  const kept = Array.from({ length: 50 }, (_, index) => new KeptObject(text(index % 5)));
  for (const one of kept) keeper.add(one);
  assert.ok(kept.slice(5).every(({ size }) => size < JSON.stringify(text(0)).length / 2));
});
