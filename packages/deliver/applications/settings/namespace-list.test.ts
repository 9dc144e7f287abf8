import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceLists, readNamespaceList } from './namespace-list.ts';

test('readNamespaceList() reads globs and expressions, and tells of each entry that is none', () => {
  assert.deepEqual(readNamespaceList('team-*, /^shop-(?!x)/ ,a'), {
    patterns: ['team-*', '/^shop-(?!x)/', 'a'],
    problem: undefined,
  });
  assert.deepEqual(readNamespaceList(''), { patterns: [], problem: undefined });
  const { patterns, problem } = readNamespaceList('team-*,/[/,,b{c,[z-a]');
  assert.deepEqual(patterns, ['team-*']);
  assert.match(problem ?? '', /entry 2 of "team-\*,\/\[\/,,b\{c,\[z-a\]" is no regular expression/);
  assert.match(problem ?? '', /entry 3 of .* is empty; entry 4 of .* is no glob.*; entry 5 of .* is no glob/);
});

test('namespaceLists() keeps the last good list, and of none that ever was good the entries that are', () => {
  const read = namespaceLists();
  assert.deepEqual(read('/[/,a'), ['a']);
  assert.deepEqual(read('a,b'), ['a', 'b']);
  assert.deepEqual(read('/[/'), ['a', 'b']);
  assert.deepEqual(read(undefined), []);
  assert.deepEqual(read('/[/'), []);
});
