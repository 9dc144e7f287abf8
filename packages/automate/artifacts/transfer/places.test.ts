import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLink } from './places.ts';

test('checkLink() takes links inside the folder', () => {
  for (const [place, target] of [
    ['a', 'b'],
    ['a', './b/c'],
    ['x/a', '../b'],
    ['x/y/a', '../../b'],
    ['x/a', '..'],
    ['a', '.'],
  ] as const)
    checkLink(place, target);
});

test('checkLink() refuses those that leave it, or turn back', () => {
  for (const [place, target] of [
    ['a', '..'],
    ['a', '../b'],
    ['x/a', '../../b'],
    ['a', 'b/..'],
    ['a', 'b/../c'],
    ['x/a', '../b/../..'],
    ['a', '/b'],
    ['a', ''],
  ] as const)
    assert.throws(() => checkLink(place, target), /is a link/, `${place} -> ${target}`);
});
