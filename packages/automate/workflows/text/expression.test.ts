import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileExpression, environmentOf } from './expression.ts';
import { transformedJson } from './transformation.ts';
import { clockVariable } from './variables.ts';

const evaluate = (source: string) => compileExpression(source).evaluate(environmentOf(new Map()));

test('what Sprig gives is what JSON holds of it; a function is an error of the expression', () => {
  assert.equal(evaluate("sprig.semver('1.2.3')"), '1.2.3');
  assert.deepEqual(evaluate("sprig.list(1, 'a')"), [1, 'a']);
  assert.throws(() => evaluate("sprig.semver('1.2.3').Major"), {
    name: 'ExprError',
    message: /unsupported type: func/,
  });
});

test('Sprig makes what is random, and has the time of the decision', () => {
  assert.match(String(evaluate('sprig.uuidv4()')), /^[\da-f-]{36}$/);
  assert.match(String(evaluate('sprig.randAlphaNum(5)')), /^\w{5}$/);
  const clock = environmentOf(new Map([[clockVariable, String(Date.parse('2026-01-02T03:04:05Z'))]]));
  assert.equal(compileExpression("sprig.date('2006-01-02', sprig.now())").evaluate(clock), '2026-01-02');
});

test('a transformation of paths gives JSON of whatever its expressions make', () => {
  const rows: readonly (readonly [string[], string])[] = [
    [[], '["a.pdf","b.md"]'],
    [
      ["filter(data, {# endsWith '.md'})", 'map(data, {{"path": #, "length": len(#)}})'],
      '[{"length":4,"path":"b.md"}]',
    ],
    [['len(data)'], '2'],
    [["{'n': len(data), 'all': data, 'none': nil}"], '{"all":["a.pdf","b.md"],"n":2,"none":null}'],
    [['data[0] + "<"'], '"a.pdf\\u003c"'],
  ];
  for (const [steps, json] of rows)
    assert.equal(
      transformedJson(
        ['a.pdf', 'b.md'],
        steps.map((expression) => ({ expression })),
      ),
      json,
    );
  assert.throws(() => transformedJson([], [{ expression: 'data' }, { expression: 'data +' }]), /data step 1/);
});
