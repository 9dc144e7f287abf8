import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePatchOf } from './merge-patch.ts';

test('mergePatchOf() says what changed, null for what is gone, whole lists', () => {
  const before = { a: 1, b: { c: 1, d: [1] }, e: { f: 1 } };
  assert.deepEqual(mergePatchOf(before, { a: 1, b: { c: 2, d: [1, 2] } }), { b: { c: 2, d: [1, 2] }, e: null });
  assert.equal(mergePatchOf(before, structuredClone(before)), undefined);
});
