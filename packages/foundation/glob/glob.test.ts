import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileGlob, isGlob, matchNegatable } from './index.ts';

const table: [pattern: string, text: string, separators: string, expected: boolean][] = [
  ['*', 'https://example.com/x', '', true],
  ['https://example.com/*', 'https://example.com/a/b', '/', false],
  ['https://example.com/**', 'https://example.com/a/b', '/', true],
  ['team-*', 'team-a/b', '', true],
  ['{a,b}-?', 'b-1', '', true],
  ['{a,b}-?', 'c-1', '', false],
  ['[a-c]x', 'bx', '', true],
  ['[!a-c]x', 'bx', '', false],
  ['a\\*', 'a*', '', true],
  ['a\\*', 'ab', '', false],
  ['[', '[', '', false],
  ['a.c', 'abc', '', false],
];

for (const [pattern, text, separators, expected] of table) {
  test(`compileGlob() ${pattern} ${expected ? 'matches' : 'does not match'} ${text}`, () => {
    assert.equal(compileGlob(pattern, separators)(text), expected);
  });
}

test('matchNegatable() negates with !', () => {
  assert.equal(matchNegatable('!kube-*', 'kube-system'), false);
  assert.equal(matchNegatable('!kube-*', 'shop'), true);
});

test('compileGlob() answers a hostile pattern at once', () => {
  assert.equal(compileGlob('*a'.repeat(8))('b'.repeat(1000)), false);
  assert.equal(compileGlob(`${'*a'.repeat(12)}b`)('a'.repeat(1000)), false);
  assert.equal(compileGlob(`${'{a,a,a}'.repeat(40)}b`)('a'.repeat(40)), false);
});

test('isGlob() tells what compiles', () => {
  for (const pattern of ['', '*', '{a,b}', '[a-c]', 'a\\*']) assert.ok(isGlob(pattern), pattern);
  for (const pattern of ['[', '[[ech*', '{a', 'a\\']) assert.ok(!isGlob(pattern), pattern);
});
