import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CloudEvent } from '../event/cloud-event.ts';
import type { DependencyFilter, LogicalOperator } from '../spec/sensor.ts';
import { filterEvent } from './filter.ts';
import { TransformError, transformEvent } from './transform.ts';

const event: CloudEvent = {
  id: 'e1',
  source: 'hooks',
  type: 'webhook',
  subject: 'push',
  time: '2026-01-02T22:30:00Z',
  datacontenttype: 'application/json',
  data: '{"body":{"n":12,"s":"main","t":"true","yes":true,"list":["a",["x"],null,{"k":1}]}}',
};
const dependency = { name: 'dep', eventSourceName: 'hooks', eventName: 'push' };
const check = (filters: DependencyFilter, filtersLogicalOperator?: LogicalOperator, of: CloudEvent = event) =>
  filterEvent({ ...dependency, filters, ...(filtersLogicalOperator ? { filtersLogicalOperator } : {}) }, of, () => 0);
const data = (path: string, type: string, value: string[], more: object = {}) => ({
  data: [{ path, type, value, ...more }],
});
const expr = (text: string, path = 'body.n') => ({ exprs: [{ expr: text, fields: [{ path, name: 'v' }] }] });

describe('filters', () => {
  const rows: readonly (readonly [string, DependencyFilter, boolean])[] = [
    ['a number', data('body.n', 'number', ['12']), true],
    ['a number with a comparator', data('body.n', 'number', ['20'], { comparator: '<' }), true],
    ['a text read as a number is 0', data('body.s', 'number', ['0']), true],
    ['one of several', data('body.n', 'number', ['1', '12']), true],
    ['a number below infinity', data('body.n', 'number', ['inf'], { comparator: '<' }), true],
    ['a number against none', data('body.n', 'number', ['NaN'], { comparator: '!=' }), true],
    ['a number that no computer holds', data('body.n', 'number', ['1e400'], { comparator: '<' }), false],
    ['a hexadecimal with its exponent', data('body.n', 'number', ['0xCp0']), true],
    ['a text that is no number', data('body.n', 'number', ['twelve']), false],
    ['each comparator: >', data('body.n', 'number', ['11'], { comparator: '>' }), true],
    ['>=', data('body.n', 'number', ['12'], { comparator: '>=' }), true],
    ['!=', data('body.n', 'number', ['12'], { comparator: '!=' }), false],
    ['<=', data('body.n', 'number', ['11'], { comparator: '<=' }), false],
    [
      'with != any of several that is not there passes',
      data('body.s', 'string', ['main', 'x'], { comparator: '!=' }),
      true,
    ],
    ['no path to an object: its JSON', data('body.list', 'string', ['"k":1']), true],
    ['a template that is no number counts as 0', data('body.s', 'number', ['0'], { template: '{{ .Input }}' }), true],
    ['a template that makes a number', data('body.s', 'number', ['4'], { template: '{{ len .Input }}' }), true],
    ['a template that fails', data('body.s', 'string', ['.'], { template: '{{ fail "x" }}' }), false],
    ['an expression that is no RE2', data('body.s', 'string', ['(?=a)']), false],
    ['no data filter at all', { data: [] }, true],
    ['a bool, whose comparator is ignored', data('body.yes', 'bool', ['t'], { comparator: '!=' }), true],
    ['a text that counts as a bool', data('body.t', 'bool', ['true']), true],
    ['an expression anywhere in the text', data('body.s', 'string', ['ai']), true],
    ['a text that is not', data('body.s', 'string', ['^dev'], { comparator: '!=' }), true],
    ['an order of texts never matches', data('body.s', 'string', ['a'], { comparator: '>' }), false],
    ['a template', data('body.s', 'string', ['^MAIN$'], { template: '{{ .Input | upper }}' }), true],
    ['an empty template', data('body.s', 'string', ['.'], { template: '{{ "" }}' }), false],
    ['a missing path', data('body.none', 'string', ['.']), false],
    ['an unknown type', data('body.s', 'text', ['.']), false],
    ['true alone', expr('v > 5'), true],
    ['a number is not true', expr('v'), false],
    ['a path that is not there', expr('v > 5', 'none'), false],
    ['the context', { context: { type: 'webhook', subject: 'push' } }, true],
    ['another source', { context: { source: 'x' } }, false],
    ['a time in the window', { time: { start: '22:00:00', stop: '23:00:00' } }, true],
    ['a window over midnight', { time: { start: '22:30:00', stop: '01:00:00' } }, true],
    ['the end is outside', { time: { start: '21:00:00', stop: '22:30:00' } }, false],
    ['a window in a zone', { time: { start: '23:00:00', stop: '23:59:00', timezone: 'Europe/Berlin' } }, true],
    ['a zone that is none', { time: { start: '00:00:00', stop: '23:59:00', timezone: 'Mars/Base' } }, false],
    ['a script', { script: 'return event.body.n == 12' }, true],
    ['a script that returns no boolean', { script: 'return 1' }, false],
    ['a script with an error', { script: 'error("x")' }, false],
    ['lists in lists and nulls are left out', { script: 'return #event.body.list == 2' }, true],
  ];
  for (const [what, filters, passes] of rows)
    it(what, () => {
      const verdict = check(filters);
      assert.equal(verdict.passes, passes, verdict.reason);
      assert.equal(verdict.reason === '', passes);
    });

  const entry = (path: string, value: string) => ({ path, type: 'string', value: [value] });
  const named = (text: string, path = 'body.n') => expr(text, path).exprs;
  const several: readonly (readonly [string, DependencyFilter, boolean, boolean])[] = [
    ['an error before what passes', { data: [entry('no', '.'), entry('body.s', 'main')] }, true, false],
    ['what passes before an error', { data: [entry('body.s', 'main'), entry('no', '.')] }, true, false],
    ['an error before what does not', { data: [entry('no', '.'), entry('body.s', 'x')] }, false, true],
    ['nothing that passes', { data: [entry('body.n', '7'), entry('body.s', 'x')] }, false, false],
    ['an expression of what is not there', { exprs: [...named('v', 'no'), ...named('v == 12')] }, true, false],
    ['expressions that are not true', { exprs: [...named('v > 12'), ...named('v == 13')] }, false, false],
  ];
  for (const [what, filters, passes, isError] of several)
    it(`of one kind, by or: ${what}`, () => {
      const found = check({ ...filters, dataLogicalOperator: 'or', exprLogicalOperator: 'or' });
      assert.deepEqual([found.passes, found.isError], [passes, isError], found.reason);
    });
  it('take the time of day of a zone on its own day', () => {
    const spring = { ...event, time: '2026-03-29T01:30:00.5Z' };
    const within = (start: string, stop: string, timezone?: string) =>
      check({ time: { start, stop, ...(timezone ? { timezone } : {}) } }, undefined, spring).passes;
    assert.equal(within('03:30:00', '03:30:01', 'Europe/Berlin'), true);
    assert.equal(within('02:00:00', '03:00:00', 'Europe/Berlin'), false);
    assert.equal(within('18:00:00', '19:00:00', 'America/Los_Angeles'), true);
    assert.equal(within('23:00:00', '01:30:00'), false);
  });

  it('say what they found', () => {
    assert.equal(check(data('body.n', 'number', ['13'])).reason, 'filter data: body.n is 12, wanted number = "13"');
    assert.equal(check(expr('v > 50')).reason, 'filter exprs: v > 50 is not true: v is 12');
  });
  it('with or, one is enough, those that are not given count as false, and an error drops the event', () => {
    const wrong = data('body.n', 'number', ['13']);
    assert.equal(check({ ...wrong, context: { type: 'webhook' } }, 'or').passes, true);
    assert.equal(check(wrong, 'or').passes, false);
    assert.deepEqual(check({ ...data('none', 'string', ['.']), context: { type: 'webhook' } }, 'or').isError, true);
  });
  it('join the entries of one filter', () => {
    const two = [
      { path: 'none', type: 'string', value: ['.'] },
      { path: 'body.n', type: 'number', value: ['12'] },
    ];
    assert.equal(check({ data: two }).isError, true);
    assert.equal(check({ data: two, dataLogicalOperator: 'or' }).passes, true);
  });
  it('pass events without data, and fail those whose data is no JSON', () => {
    const filters = { ...data('body.n', 'number', ['1']), ...expr('v > 1'), script: 'return false' };
    assert.equal(check(filters, undefined, { ...event, data: undefined }).passes, true);
    assert.match(check(filters, undefined, { ...event, data: 'x' }).reason, /not valid JSON/);
  });
});

describe('transforms', () => {
  const transform = (spec: { jq?: string; script?: string }) =>
    transformEvent({ ...dependency, transform: spec }, event, () => 0).data;
  const first = (jq: string) => JSON.parse(transform({ jq }) ?? '') as unknown;
  it('by jq, numerals among its keys in their order', () => {
    assert.equal(transform({ jq: '{"10": 1, "b": 2, "1": {"2": 0, "#": 0}}' }), '{"1":{"#":0,"2":0},"10":1,"b":2}');
    assert.deepEqual(first('{a: 1}, .body.n'), { a: 1 });
  });
  it('by jq with times, in UTC', () => {
    assert.deepEqual(first('{a: (0 | todate), b: ("2024-01-02T03:04:05Z" | fromdate), c: now}'), {
      a: '1970-01-01T00:00:00Z',
      b: 1704164645,
      c: 0,
    });
    assert.deepEqual(first('{a: ("02 Jan 24" | strptime("%d %b %y") | mktime), b: (1e9 | strftime("%A %j %H:%M"))}'), {
      a: 1704153600,
      b: 'Sunday 252 01:46',
    });
  });
  it('by jq', () => assert.equal(transform({ jq: '{z: .body.n, a: .body.s}' }), '{"a":"main","z":12}'));
  it('by Lua', () => {
    assert.equal(
      transform({ script: 'return {x = {}, l = {1, 2}, b = event.body.yes}' }),
      '{"b":true,"l":[1,2],"x":{}}',
    );
    assert.equal(transform({ script: 'return {x = setmetatable({}, {__is_array = true})}' }), '{"x":[]}');
  });
  it('drop the event where they give no object', () => {
    for (const spec of [
      { jq: '.body.n' },
      { jq: 'empty' },
      { jq: '.body |' },
      { script: 'return 1' },
      { script: 'x(' },
    ])
      assert.throws(() => transform(spec), TransformError, JSON.stringify(spec));
  });
});
