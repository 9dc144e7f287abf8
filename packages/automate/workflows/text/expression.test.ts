import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileExpression, environmentOf } from './expression.ts';

const evaluate = (source: string) => compileExpression(source).evaluate(environmentOf(new Map()));

test('what Sprig gives is what JSON holds of it; a function is an error of the expression', () => {
  assert.equal(evaluate("sprig.semver('1.2.3')"), '1.2.3');
  assert.deepEqual(evaluate("sprig.list(1, 'a')"), [1, 'a']);
  assert.throws(() => evaluate("sprig.semver('1.2.3').Major"), {
    name: 'ExprError',
    message: /unsupported type: func/,
  });
});
