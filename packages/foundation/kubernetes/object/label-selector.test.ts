import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectorMatches, selectorQuery } from './label-selector.ts';

const labels = { app: 'web', size: '5' };

test('a selector fits as the API server has it', () => {
  const fits = (operator: string, key: string, values?: string[]) =>
    selectorMatches({ matchExpressions: [{ key, operator, ...(values ? { values } : {}) }] }, labels);
  assert.equal(selectorMatches(undefined, labels), false);
  assert.equal(selectorMatches({}, labels), true);
  assert.equal(selectorMatches({ matchLabels: { app: 'web' } }, labels), true);
  assert.equal(selectorMatches({ matchLabels: { app: 'api' } }, labels), false);
  assert.deepEqual([fits('In', 'app', ['web', 'api']), fits('In', 'tier', ['web'])], [true, false]);
  assert.deepEqual([fits('NotIn', 'app', ['web']), fits('NotIn', 'tier', ['web'])], [false, true]);
  assert.deepEqual([fits('Exists', 'app'), fits('DoesNotExist', 'app')], [true, false]);
  assert.deepEqual(
    [fits('Gt', 'size', ['4']), fits('Lt', 'size', ['4']), fits('Gt', 'tier', ['0'])],
    [true, false, false],
  );
  assert.equal(fits('Like', 'app', ['web']), false);
});

test('what every object has is no label', () => {
  for (const key of ['toString', 'constructor', '__proto__']) {
    assert.equal(selectorMatches({ matchExpressions: [{ key, operator: 'Exists' }] }, labels), false);
    assert.equal(selectorMatches({ matchExpressions: [{ key, operator: 'DoesNotExist' }] }, labels), true);
  }
});

test('a selector is written as list requests take it', () => {
  const matchExpressions = [
    { key: 'tier', operator: 'In', values: ['a', 'b'] },
    { key: 'zone', operator: 'NotIn', values: ['c'] },
    { key: 'x', operator: 'Exists' },
    { key: 'y', operator: 'DoesNotExist' },
  ];
  assert.equal(
    selectorQuery({ matchLabels: { app: 'web' }, matchExpressions }),
    'app=web,tier in (a,b),zone notin (c),x,!y',
  );
});
