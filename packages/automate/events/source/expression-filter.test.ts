import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expressionFilter } from './expression-filter.ts';

const data = JSON.stringify({
  body: {
    n: '12',
    list: [
      { a: 1, b: 'x' },
      { a: 5, b: 'y' },
    ],
    text: '{"k":[1,2]}',
    name: 'Web',
  },
  'x-header': ['v'],
});
const said = (expression: string) =>
  expressionFilter({ filter: { expression } }, () => Date.parse('2026-01-02T03:04:05Z'))(data) ?? 'passes';

const rows: readonly (readonly [expression: string, says: string])[] = [
  ["body.name == 'Web' && asInt(body.n) > 11", 'passes'],
  ['asFloat(body.n) < 12', 'is false'],
  ["x_header[0] == 'v'", 'passes'],
  ["any(body.list, .a > 4 and .b == 'y')", 'passes'],
  ["sprig.lower(body.name) matches '^w'", 'passes'],
  ["jsonpath(body.text, '$.k[-1]') == 2", 'passes'],
  ["jsonpath(toJson(body), '$.list[?(@.a > 4)].b')[0] == 'y'", 'passes'],
  ["sprig.uuidv4() != ''", 'passes'],
  ["sprig.date('15:04', sprig.now()) == '03:04' && now().Year() == 2026", 'passes'],
  ['body.list | filter(.a > 9) | len() == 0', 'passes'],
  ['body.none == nil', 'passes'],
  ['asInt(body.name) == 0', 'failed'],
  ["jsonpath(body.text, '$.none') == 1", 'failed'],
  ['body.n', 'failed: it gave no boolean'],
  ['body.n ==', 'failed'],
  ['none.deep == 1', 'failed'],
];

for (const [expression, says] of rows)
  test(`filter.expression ${expression}: ${says}`, () => assert.ok(said(expression).includes(says), said(expression)));
