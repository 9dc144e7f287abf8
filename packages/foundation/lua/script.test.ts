import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Json, Script, ScriptError, type ScriptFailure, type ScriptOptions } from './index.ts';

const now = () => Date.UTC(2024, 0, 2, 3, 4, 5);

function evaluate(source: string, globals: Record<string, unknown> = {}, options: Partial<ScriptOptions> = {}): Json {
  return new Script(source).run(globals, { now, ...options }).json();
}

function failureOf(source: string, options: Partial<ScriptOptions> = {}, globals = {}): ScriptFailure {
  try {
    evaluate(source, globals, options);
  } catch (error) {
    assert.ok(error instanceof ScriptError, String((error as Error).stack));
    return error.failure;
  }
  return assert.fail('the script did not fail');
}

interface Recorded {
  readonly type?: string;
  readonly value?: Json;
  readonly error?: string;
  readonly syntax?: true;
}

/** What upstream's interpreter does otherwise on purpose or by mistake, by a part of the script. */
const departures = [
  // Swapping two locals gives one of them twice there.
  'a, b = b, a',
  // There numbers can have metatables, and a key that is not there ends a traversal.
  'pcall(setmetatable, 1',
  'pcall(next, {}, "nokey")',
  // Names of files are in the messages.
  'require(',
  'pcall(require',
  // An empty object comes out as a list there.
  'obj.null',
  'obj.metadata.labels.x',
  // The position inside a pattern; an address.
  'string.find("a", "[a")',
  'error({code',
];

const testdata = join(import.meta.dirname, 'testdata');
const { object, results } = JSON.parse(readFileSync(join(testdata, 'results.json'), 'utf8')) as {
  object: Json;
  results: Recorded[];
};
const cases = readFileSync(join(testdata, 'cases.lua'), 'utf8').split(/^----\n/m);

test('a script gives what the interpreter of upstream gave for it, error messages included', () => {
  assert.equal(cases.length, results.length);
  for (const [i, source] of cases.entries()) {
    if (departures.some((part) => source.includes(part))) continue;
    const { type, value, error, syntax } = results[i] as Recorded;
    const options = { openLibraries: true };
    if (syntax) assert.equal(failureOf(source, options).kind, 'syntax', source);
    else if (error !== undefined)
      assert.equal(failureOf(source, options, { obj: object }).message.replace('Infinity', '+Inf'), error, source);
    else {
      const result = new Script(source).run({ obj: object }, { now, ...options });
      assert.deepEqual([result.type, result.json()], [type, value], source);
    }
  }
});

test('an empty object stays one, an empty table is a list', () => {
  const obj = { map: {}, list: [], gone: { a: 1 } };
  assert.deepEqual(evaluate('obj.gone.a = nil obj.new = {} return obj', { obj }), {
    map: {},
    list: [],
    gone: {},
    new: [],
  });
});

test('two locals can be swapped', () => {
  assert.deepEqual(evaluate('local a, b = 1, 2 a, b = b, a return {a, b}'), [2, 1]);
});

test('without the open libraries a script has base and table, and os by require', () => {
  const globals = 'local t = {} for k in pairs(_G) do t[#t + 1] = k end table.sort(t) return t';
  const closed = evaluate(globals) as string[];
  const open = evaluate(globals, {}, { openLibraries: true }) as string[];
  assert.deepEqual(
    open.filter((name) => !closed.includes(name)),
    ['channel', 'coroutine', 'debug', 'io', 'math', 'os', 'string'],
  );
  assert.match(failureOf('return ("x"):upper()').message, /index a non-table object\(string\) with key 'upper'/);
  assert.equal(evaluate('return require("os").time()'), now() / 1000);
  assert.equal(evaluate('return table.date("!%Y-%m-%dT%H:%M:%SZ", 0)'), '1970-01-01T00:00:00Z');
});

test('time comes from the clock that is given, and chance is the same in every run', () => {
  const options = { openLibraries: true };
  assert.equal(evaluate('return os.date("!%Y-%m-%d %H:%M:%S")', {}, options), '2024-01-02 03:04:05');
  const draw = 'return {math.random(), math.random(10), math.random(5, 6), tostring({})}';
  assert.deepEqual(evaluate(draw, {}, options), evaluate(draw, {}, options));
});

test('what reaches beyond the script is refused by name', () => {
  for (const source of [
    'io.open("x")',
    'os.execute("x")',
    'os.exit()',
    'debug.getinfo(1)',
    'dofile("x")',
    'loadfile("x")',
  ]) {
    assert.match(failureOf(source, { openLibraries: true }).message, /is not available here/, source);
  }
  assert.equal(evaluate('return os.getenv("HOME") == nil', {}, { openLibraries: true }), true);
});

test('no run leaves anything for the next one', () => {
  const script = new Script('count = (count or 0) + 1 table.count = (table.count or 0) + 1 return count + table.count');
  const run = () => script.run({}, { now }).json();
  assert.deepEqual([run(), run()], [2, 2]);
});

test('text goes in and out as UTF-8, and is bytes in between', () => {
  assert.deepEqual(evaluate('return {obj.text, #obj.text}', { obj: { text: 'Grüße 🚀' } }), ['Grüße 🚀', 12]);
  assert.equal(evaluate('return string.sub(obj, 1, 2)', { obj: 'äé' }, { openLibraries: true }), 'ä');
});

test('the keys of an object come in one order', () => {
  const keys = 'local t = {} for k in pairs(obj) do t[#t + 1] = k end return t';
  assert.deepEqual(evaluate(keys, { obj: { b: 1, a: 1, c: 1 } }), evaluate(keys, { obj: { c: 1, b: 1, a: 1 } }));
});

test('a key named __proto__ is a key', () => {
  const result = evaluate('return {["__proto__"] = {polluted = true}}') as Record<string, Json>;
  assert.deepEqual(Object.keys(result), ['__proto__']);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

const hostile: Readonly<Record<string, string>> = {
  'an endless loop': 'while true do end',
  'an endless loop inside pcall': 'while true do pcall(function() while true do end end) end',
  'an endless goto': '::a:: goto a',
  'an endless tail call': 'local function f() return f() end return f()',
  'an endless coroutine':
    'local f = coroutine.wrap(function() while true do coroutine.yield(1) end end) while true do f() end',
  'a string that doubles': 'local s = "x" while true do s = s .. s end',
  'string.rep': 'return string.rep("x", 1e10)',
  'string.rep again and again': 'local t = {} for i = 1, 1e6 do t[i] = string.rep("x", 1e6) end',
  'a format with a wide field': 'local t = {} while true do t[#t + 1] = string.format("%999999d", 1) end',
  'gsub that grows': 'local s = "xxxxxxxxxx" while true do s = s:gsub("x", s) end',
  'table.concat that grows': 'local s = "xxxxxxxxxx" while true do s = table.concat({s, s, s, s}) end',
  'a pattern that backtracks': 'return (("a"):rep(200)):find(("a*"):rep(30) .. "b")',
  'a pattern with back references': 'return (("a"):rep(20000)):find("(a*)(a*)%1%2b")',
  'a table that grows': 'local t = {} local i = 0 while true do i = i + 1 t[i] = {i} end',
  'a table with far keys': 'local t = {} for i = 1, 1e9 do t[i * 1000] = 1 end',
  'inserting at the front': 'local t = {} while true do table.insert(t, 1, 0) end',
  'comparing long texts':
    'local a, b = ("x"):rep(1e6) .. "a", ("x"):rep(1e6) .. "b" local n = 0 while true do if a == b then n = n + 1 end end',
  'sorting by a wrong order':
    'local t = {} for i = 1, 1e5 do t[i] = i end table.sort(t, function() return true end) while true do end',
  'upper case of a long text': 'local s = ("x"):rep(1e6) while true do s:upper() end',
  'unpack and pack': 'local t = {} for i = 1, 2e5 do t[i] = i end while true do t = {unpack(t)} end',
  'a date of many parts': 'return #os.date(("%c"):rep(1e6))',
  'loading text': 'local s = "return 1" while true do loadstring(s) end',
};

for (const [name, source] of Object.entries(hostile)) {
  test(`stopped: ${name}`, () => {
    const failure = failureOf(source, { openLibraries: true });
    assert.equal(failure.kind, 'stopped', failure.message);
    assert.equal(failure.line, 1);
  });
}

test('recursion ends in an error that the script can catch', () => {
  assert.match(failureOf('local function f() return 1 + f() end return f()').message, /^<string>:1: stack overflow$/);
  assert.deepEqual(evaluate('local function f() return 1 + f() end return (pcall(f))'), false);
  const viaLibraries = [
    'local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x',
    'local function f() table.sort({1, 2}, f) end f()',
    'local f f = function() return pcall(f) end local function g() return g(f()), 1 end return g()',
    'local function f() local c = coroutine.wrap(f) return c() .. "" end return f()',
    'local t = setmetatable({}, {__tostring = function(t) return tostring(t) end}) return tostring(t)',
    'local t = {} setmetatable(t, {__index = t}) return t.x',
  ];
  for (const source of viaLibraries)
    assert.ok(['error', 'stopped'].includes(failureOf(source, { openLibraries: true }).kind), source);
  assert.equal(failureOf(`return ${'('.repeat(1000)}1${')'.repeat(1000)}`).kind, 'syntax');
  assert.equal(failureOf(`return ${'{'.repeat(1000)}${'}'.repeat(1000)}`).kind, 'syntax');
  assert.equal(failureOf(`${'do '.repeat(1000)}${'end '.repeat(1000)}`).kind, 'syntax');
  assert.equal(failureOf(`return ${'not '.repeat(5000)}1`).kind, 'syntax');
});

test('long rows of operators, fields, calls and characters end in no failure of ours', () => {
  const rows: readonly (readonly [before: string, part: string, after: string])[] = [
    ['', '1+', '1'],
    ['', 'a.', 'a'],
    ['f', '()', ''],
    ['f', '{}', ''],
    ['a', ':b()', ''],
    ['a', '[1]', ''],
    ['', 'a and ', 'a'],
  ];
  for (const [before, part, after] of rows) {
    const source = `return ${before}${part.repeat(40_000)}${after}`;
    assert.equal(failureOf(source).kind, 'syntax', part);
    assert.equal(
      evaluate(`return (pcall(loadstring(${JSON.stringify(source)})))`, {}, { openLibraries: true }),
      false,
      part,
    );
  }
  const many = 'local t = {} for i = 1, 200000 do t[i] = 65 end return #string.char(unpack(t))';
  assert.equal(evaluate(many, {}, { openLibraries: true }), 200_000);
  const dates = 'return #os.date(("%c"):rep(1e5), 0)';
  assert.equal(evaluate(dates, {}, { openLibraries: true }), 1_900_000);
});

test('a deep table that is returned is refused', () => {
  assert.equal(failureOf('local t = {} for i = 1, 10000 do t = {t} end return t').kind, 'result');
});

test('a failure tells the line', () => {
  assert.deepEqual(failureOf('local a = 1\n\nreturn a.b.c'), {
    kind: 'error',
    message: "<string>:3: attempt to index a non-table object(number) with key 'b'",
    line: 3,
  });
  const syntax = failureOf('local a = 1\nif a then\nreturn a\n');
  assert.deepEqual([syntax.kind, syntax.line], ['syntax', 4]);
  assert.match(syntax.message, /the end of the text where end to close if of line 2 was expected/);
});
