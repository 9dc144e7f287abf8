import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnalysisPhase } from '../model/types.ts';
import { judge } from './condition.ts';
import { evaluateTime } from './evaluate-time.ts';

const judged = (result: unknown, successCondition?: string, failureCondition?: string) =>
  judge(
    {
      name: 'm',
      provider: {},
      ...(successCondition === undefined ? {} : { successCondition }),
      ...(failureCondition === undefined ? {} : { failureCondition }),
    },
    result,
  );

const table: readonly [unknown, string | undefined, string | undefined, AnalysisPhase][] = [
  [1, undefined, undefined, 'Successful'],
  [[0.96], 'result[0] >= 0.95', undefined, 'Successful'],
  [[0.9], 'result[0] >= 0.95', undefined, 'Failed'],
  [0.2, undefined, 'result > 0.1', 'Failed'],
  [0.02, undefined, 'result > 0.1', 'Successful'],
  [5, 'result < 4', 'result > 6', 'Inconclusive'],
  [7, 'result < 8', 'result > 6', 'Failed'],
  [{ ok: true, count: 3 }, 'result.ok && result.count == 3', undefined, 'Successful'],
  [{ list: [{ v: 1 }, { v: 2 }] }, 'all(result.list, .v > 0)', undefined, 'Successful'],
  ['42', 'asInt(result) == 42 && asFloat(result) < 42.5', undefined, 'Successful'],
  [Number.NaN, 'isNaN(result) || result < 1', undefined, 'Successful'],
  [Number.POSITIVE_INFINITY, undefined, 'isInf(result)', 'Failed'],
  [null, 'isNil(result) || default(result, 9) < 1', undefined, 'Successful'],
  [null, 'default(result, 0) < 0.05', undefined, 'Successful'],
  [0.5, 'default(result, 0) < 0.05', undefined, 'Failed'],
];

for (const [result, success, failure, phase] of table)
  test(`${JSON.stringify(result)} is ${phase} by ${success ?? '-'} and ${failure ?? '-'}`, () => {
    assert.equal(judged(result, success, failure), phase);
  });

test('a condition that cannot be evaluated says which and why', () => {
  assert.throws(
    () => judged([], 'result[0] < 1'),
    /could not evaluate successCondition "result\[0\] < 1": metric result is nil or empty: no data returned from the metric provider/,
  );
  assert.throws(
    () => judged(1, undefined, 'result + 1'),
    /could not evaluate failureCondition "result \+ 1": expected bool/,
  );
  assert.throws(
    () => judged('x', 'asInt(result) > 1'),
    /could not evaluate successCondition .*strconv\.ParseInt: parsing "x": invalid syntax/,
  );
  assert.throws(() => judged(1, 'nothing > 1'), /unknown name nothing/);
});

test('times of range queries', () => {
  assert.equal(evaluateTime('now() - duration("1h")', 7_200_000, 'start'), 3_600_000);
  assert.throws(() => evaluateTime('now() -', 0, 'failed to parse'), /failed to parse: /);
  assert.throws(() => evaluateTime('1 + 1', 0, 'failed to parse'), /is no time/);
});
