import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineFilter } from './line-filter.ts';

const lines = ['GET /health 200', 'GET /pay 500', 'level=error msg="pay (failed)"'];
const kept = (query: Parameters<typeof lineFilter>[0]) =>
  lines.filter(lineFilter(query)).map((line) => lines.indexOf(line));

test('words are looked for as they are, and ! excludes', () => {
  assert.deepEqual(kept({}), [0, 1, 2]);
  assert.deepEqual(kept({ filter: 'PAY' }), [1, 2]);
  assert.deepEqual(kept({ filter: 'PAY', matchCase: true }), []);
  assert.deepEqual(kept({ filter: '!pay' }), [0]);
  assert.deepEqual(kept({ filter: '(failed)' }), [2]);
  assert.deepEqual(kept({ filter: 'pay|health' }), []);
});

test('a regular expression is found anywhere in a line, and ! excludes', () => {
  const regex = true;
  assert.deepEqual(kept({ filter: 'get .* [45]\\d\\d$', regex }), [1]);
  assert.deepEqual(kept({ filter: 'get .* [45]\\d\\d$', regex, matchCase: true }), []);
  assert.deepEqual(kept({ filter: '!^GET', regex }), [2]);
  assert.deepEqual(kept({ filter: '\\(failed\\)', regex }), [2]);
  assert.deepEqual(kept({ filter: 'pay|health', regex }), [0, 1, 2]);
});

test('what is no expression is refused with its reason', () => {
  for (const filter of ['(', '!a**', '(?=a)', '\\1'])
    assert.throws(() => lineFilter({ filter, regex: true }), /^RpcError: filter is not a regular expression: /, filter);
});

test('an expression that would cost too much is refused, and says what to do', () => {
  assert.ok(lineFilter({ filter: '(x{20}){20}', regex: true })('x'.repeat(400)));
  assert.throws(
    () => lineFilter({ filter: '((x{30}){30}y){1}(z{200})', regex: true }),
    /has \d+ instructions, and 1000 are allowed; make its repetitions smaller/,
  );
});

test('only the beginning of a very long line is looked at', () => {
  const has = lineFilter({ filter: 'end$|end', regex: true });
  assert.equal(has(`${'x'.repeat(65_533)}end`), true);
  assert.equal(has(`${'x'.repeat(65_536)}end`), false);
});
