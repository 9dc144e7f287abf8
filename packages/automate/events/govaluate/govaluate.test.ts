import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluate, namesOf } from './evaluate.ts';
import { EvaluateError } from './tokens.ts';
import { parseExpression } from './tree.ts';

const values = new Map<string, unknown>([
  ['n', 7],
  ['s', 'push'],
  ['yes', true],
  ['list', ['a', 'b']],
  ['my-name', 'x'],
]);

const cases: readonly (readonly [string, unknown])[] = [
  ['n > 5 && s == "push"', true],
  ["n <= 6 || s =~ '^pu'", true],
  ['!yes', false],
  ['(n + 1) * 2', 16],
  ['2 ** 3 - 1', 7],
  ['n % 4 == 3', true],
  ["s in ('pull', 'push')", true],
  ["s + '-' + n", 'push-7'],
  ["'' + 12000000", '1.2e+07'],
  ['[my-name] == "x"', true],
  ['my\\-name == "x"', true],
  ["n > 5 ? 'big' : 'small'", 'big'],
  ["'2024-01-02' > '2024-01-01'", true],
  ["'a' in list", true],
  ['-n < 0', true],
  ['yes == "true"', false],
  ['s !~ "x"', true],
  ["n > 9 ? 'big' : n > 8 ? 'more' : 'small'", 'small'],
  ['n == 7 : n', true],
  ['()', null],
  ["'a' + list + ()", 'a[a b]<nil>'],
  ['1 << 40', 2 ** 40],
  ['1 << -1', 0],
  ['-1 >> 7', 2 ** 57],
];

describe('expressions of filters', () => {
  for (const [text, expected] of cases)
    it(text, () => assert.deepEqual(evaluate(parseExpression(text), values), expected));
  it('fail where types do not fit, names are missing, or the text is none', () => {
    for (const text of ['s > 5', 'n && yes', 'missing == 1', "n =~ 'a'", "s in 'push'"])
      assert.throws(() => evaluate(parseExpression(text), values), EvaluateError, text);
    for (const text of [
      '',
      'n >',
      '(n',
      'n n',
      "'open",
      '$x',
      'n == 1e1',
      '[open',
      "n - '2024-01-01'",
      '('.repeat(1000),
    ])
      assert.throws(() => parseExpression(text), EvaluateError, text);
  });
  it('tell their names', () => assert.deepEqual(namesOf(parseExpression('a && (b || !c)')), ['a', 'b', 'c']));
});
