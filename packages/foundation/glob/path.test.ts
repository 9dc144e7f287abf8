import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchPath } from './index.ts';

test('matchPath() stops at a slash and knows no alternatives', () => {
  const cases: [pattern: string, text: string, expected: boolean][] = [
    ['*', 'apps', true],
    ['{a,b}', 'a', false],
    ['{a,b}', '{a,b}', true],
    ['*', 'a/b', false],
    ['a/*/c', 'a/b/c', true],
    ['a**c', 'abc', true],
    ['a?c', 'a/c', false],
    ['a?c', 'aαc', true],
    ['*x', 'aax', true],
    ['*a*b', 'aab', true],
    ['*a*b', 'a/b', false],
    ['', '', true],
    ['', 'a', false],
  ];
  for (const [pattern, text, expected] of cases) assert.equal(matchPath(pattern, text), expected, `${pattern} ${text}`);
});

test('matchPath() has the sets of Go, which may be a slash', () => {
  const matching: [pattern: string, text: string][] = [
    ['a[^x]b', 'a/b'],
    ['a[.-0]b', 'a/b'],
    ['a[!x]b', 'a!b'],
    ['[\\]]', ']'],
    ['[a-c\\-]', '-'],
  ];
  for (const [pattern, text] of matching) assert.ok(matchPath(pattern, text), pattern);
  assert.equal(matchPath('[b-a]', 'a'), false);
});

test('matchPath() matches nothing with what does not parse', () => {
  for (const pattern of ['a[]b', '[a-]', 'a\\', 'a[', '[-x]', '[x-]', 'a*[', '[', '[^]'])
    for (const text of ['a', 'a]b', '-', 'x', 'ab', pattern]) assert.equal(matchPath(pattern, text), false, pattern);
});

test('matchPath() answers a hostile pattern at once', () => {
  assert.equal(matchPath(`${'*a'.repeat(500)}b`, 'a'.repeat(2000)), false);
  assert.equal(matchPath(`${'*[a-z]'.repeat(500)}/`, 'a'.repeat(2000)), false);
});
