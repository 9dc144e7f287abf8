import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deepEqual, mergePatch } from './json.ts';

test('a patch holds what differs, and null for what is gone', () => {
  const table: [unknown, unknown, unknown][] = [
    [{ a: 1 }, { a: 1 }, undefined],
    [{ a: 1 }, { a: 2 }, { a: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }, { b: null }],
    [{ a: 1 }, { a: undefined }, { a: null }],
    [{ a: { b: 1, c: 1 } }, { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
    [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
    [{}, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: undefined }, {}, undefined],
    [{ a: { b: 1 } }, { a: 'text' }, { a: 'text' }],
  ];
  for (const [before, after, wanted] of table) assert.deepEqual(mergePatch(before, after), wanted);
});

test('an absent member equals an undefined one, and lists are compared in order', () => {
  assert.ok(deepEqual({ a: undefined, b: [{ c: 1 }] }, { b: [{ c: 1, d: undefined }] }));
  assert.ok(!deepEqual([1, 2], [2, 1]));
  assert.ok(!deepEqual([], {}));
  assert.ok(!deepEqual(null, {}));
});
