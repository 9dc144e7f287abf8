import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchListed } from './index.ts';

const table: [patterns: string[], text: string, expected: boolean][] = [
  [[], 'team-a', false],
  [['team-*'], 'team-a', true],
  [['team-*'], 'other', false],
  [['/^team-[ab]$/'], 'team-b', true],
  [['/^team-[ab]$/'], 'team-c', false],
  [['/team/'], 'my-team-x', true],
  [['/^((?!not-allowed).)*$/'], 'allowed', true],
  [['/^((?!not-allowed).)*$/'], 'not-allowed', false],
  [['/(/'], '(', false],
  [['other', 'team-?'], 'team-a', true],
];

for (const [patterns, text, expected] of table) {
  test(`matchListed() ${JSON.stringify(patterns)} ${expected ? 'holds' : 'does not hold'} for ${text}`, () => {
    assert.equal(matchListed(patterns, text), expected);
  });
}

test('matchListed() gives up on an expression that would never end', () => {
  assert.equal(matchListed(['/^(?!x)(a+)+$/'], `${'a'.repeat(62)}!`), false);
});
