import assert from 'node:assert/strict';
import { test } from 'node:test';
import { define, GoFunction, int, type Value, type ValueMap } from '@tiphys/template';
import { type CompileOptions, compile, ExpressionError } from './index.ts';

const value = (text: string, env: Record<string, Value> = {}, options: CompileOptions = {}): Value =>
  compile(text, options).run(new Map(Object.entries(env)));

function refusal(body: () => unknown): ExpressionError {
  try {
    body();
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('names of prototypes are plain names', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    assert.equal(value(name), null);
    assert.equal(value(`x.${name}`, { x: new Map() }), null);
    assert.equal(value(`{${name}: 1}.${name} == 1`), true);
    assert.match(refusal(() => value(`${name}()`)).detail, /cannot call nil/);
  }
  assert.match(refusal(() => value('x.constructor', { x: [1] })).detail, /int\(string\)/);
});

test('an error names the place, and shows the line with a pointer', () => {
  const env: ValueMap = new Map([['count', int(1)]]);
  const error = refusal(() => compile('count > 0 and\n  coutn < 5', { env }));
  assert.equal(error.goMessage, 'unknown name coutn (2:3)\n |   coutn < 5\n | ..^');
  assert.equal(error.kind, 'invalid');
  assert.equal(error.diagnosis.code, 'ExpressionInvalid');
  assert.equal(refusal(() => value('a.b.c')).diagnosis.code, 'ExpressionFailed');
});

test('names that the environment does not have are nil where that is allowed', () => {
  const env: ValueMap = new Map();
  assert.equal(compile('missing?.phase == "x"', { env, allowUndefinedVariables: true }).run(env), false);
});

test('a function of the host is called with the values and answers with its own error', () => {
  const twice = define('int', ([n]) => int((n as ReturnType<typeof int>).value * 2n));
  assert.deepEqual(value('twice(4) + 1', {}, { functions: new Map([['twice', twice]]) }), int(9));
  const env = { twice: new GoFunction({ name: 'func(int) int', kind: 'func', named: false }, twice) };
  assert.deepEqual(value('twice(4)', env), int(8));
});

test('now() needs a clock from the caller', () => {
  assert.equal(compile('now().Year()').run(null, { now: () => Date.UTC(2031, 5, 1) }) instanceof Object, true);
  assert.match(refusal(() => value('now()')).detail, /without a clock/);
});

const hostile: readonly (readonly [string, string])[] = [
  ['many nodes', Array.from({ length: 12_000 }, () => 'a').join(';')],
  ['deep brackets', `${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
  ['deep lists', `${'['.repeat(50_000)}`],
  ['deep signs', `${'-'.repeat(50_000)}1`],
  ['deep conditions', `${'if a {1} else '.repeat(20_000)}`],
  ['a long sum', Array.from({ length: 4000 }, () => '1').join('+')],
  ['deep members', `a${'.b'.repeat(20_000)}`],
  ['deep ternaries', 'a ? b : '.repeat(20_000)],
];

for (const [name, text] of hostile)
  test(`an expression of ${name} is refused, not followed`, () => {
    assert.notEqual(refusal(() => value(text)).kind, 'failed');
  });

const costly: readonly (readonly [string, string])[] = [
  ['a range', '1..100000000'],
  ['loops in loops', 'all(1..9999, all(1..9999, true))'],
  ['a text that doubles', `reduce(1..60, #acc + #acc, "${'a'.repeat(1000)}")`],
  ['repetition', 'repeat(repeat("a", 1000000), 1000000)'],
  ['replacement', 'reduce(1..9, replace(#acc, "a", "aaaaaaaaaa"), "a")'],
  ['lists in lists', 'reduce(1..60, concat(#acc, #acc), [1])'],
];

for (const [name, text] of costly)
  test(`a run ends at its limits: ${name}`, () => {
    assert.equal(refusal(() => value(text)).kind, 'limit');
  });

test('patterns are matched in linear time', () => {
  assert.equal(value('s matches "(a+)+$"', { s: `${'a'.repeat(50_000)}b` }), false);
});
