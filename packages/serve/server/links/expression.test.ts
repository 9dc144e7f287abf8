import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluate } from './expression.ts';

const data = {
  app: {
    metadata: { name: 'shop', labels: { 'team.example/name': 'blue', tier: 'web' } },
    spec: { project: 'team', sources: [{ path: 'a' }, { path: 'b' }] },
    status: { count: 3 },
  },
};

const table: [expression: string, value: unknown][] = [
  ['app.metadata.name == "shop"', true],
  ["app.spec.project != 'team'", false],
  ['app.metadata.labels["team.example/name"] == "blue" and not (app.spec.project == "x")', true],
  ['app.metadata.labels["none"] == nil', true],
  ['app.metadata.annotations?.x == nil', true],
  ['app.metadata.annotations?.x ?? "none"', 'none'],
  ['app.metadata.name in ["shop", "cart"]', true],
  ['"tier" in app.metadata.labels', true],
  ['app.metadata.name not in ["cart"]', true],
  ['app.metadata.name contains "ho" && app.metadata.name startsWith "s" && app.metadata.name endsWith "p"', true],
  ['app.metadata.name matches "^s.*p$"', true],
  ['app.metadata.name matches `^x`', false],
  ['app.status.count > 2 ? "many" : "few"', 'many'],
  ['1 + 2 * 3 == 7', true],
  ['-1 < 0 || missing.x', true],
  ['len(app.spec.sources) == 2', true],
  ['any(app.spec.sources, {.path == "b"})', true],
  ['all(app.spec.sources, #.path != "c")', true],
  ['filter(app.spec.sources, {#.path == "a"})[0].path', 'a'],
  ['map(app.spec.sources, .path)', ['a', 'b']],
  ['upper(app.metadata.name)', 'SHOP'],
  ['missing', undefined],
];

for (const [expression, value] of table)
  test(`evaluate() ${expression}`, () => assert.deepEqual(evaluate(expression, data), value));

const refused: [expression: string, message: RegExp][] = [
  ['app.metadata.annotations.x == nil', /^cannot fetch x from <nil>$/],
  ['app.metadata.name and true', /^string where a bool is wanted$/],
  ['app.status.count > "2"', /^invalid operation: number > string$/],
  ['app.metadata.name ==', /^unexpected end$/],
  ['1 2', /^unexpected "2"$/],
  ['@', /^unexpected "@" at 0$/],
  ['now()', /^the function now\(\) is not known$/],
  ['app.constructor.constructor("x")', /^unexpected "\("$/],
  ['app.metadata.name matches "("', /does not compile$/],
];

for (const [expression, message] of refused)
  test(`evaluate() refuses ${expression}`, () =>
    assert.throws(() => evaluate(expression, data), { name: 'ExpressionError', message }));
