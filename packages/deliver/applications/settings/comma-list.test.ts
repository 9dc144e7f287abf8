import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commaList } from './comma-list.ts';

test('commaList() takes entries between commas', () => {
  assert.deepEqual(commaList(' a, b*,,/^c,d$/ '), ['a', 'b*', '/^c', 'd$/']);
  assert.deepEqual(commaList(undefined), []);
});
