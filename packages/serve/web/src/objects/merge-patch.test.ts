import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePatchOf, withMergePatch } from './merge-patch.ts';

test('mergePatchOf() says what changed, null for what is gone, whole lists', () => {
  const before = { a: 1, b: { c: 1, d: [1] }, e: { f: 1 } };
  assert.deepEqual(mergePatchOf(before, { a: 1, b: { c: 2, d: [1, 2] } }), { b: { c: 2, d: [1, 2] }, e: null });
  assert.equal(mergePatchOf(before, structuredClone(before)), undefined);
});

test('withMergePatch() makes the one of the other', () => {
  const [before, after] = [
    { a: 1, b: { c: 1, d: 2 }, e: [1] },
    { b: { c: 3, f: { g: 1 } }, e: [2] },
  ];
  assert.deepEqual(withMergePatch(before, mergePatchOf(before, after)), after);
  assert.deepEqual(withMergePatch(undefined, { a: { b: null, c: 1 } }), { a: { c: 1 } });
  const odd = withMergePatch({}, JSON.parse('{"__proto__": {"x": 1}}')) as Record<string, unknown>;
  assert.equal(odd.x, undefined);
});
