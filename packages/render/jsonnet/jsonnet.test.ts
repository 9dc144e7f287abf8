import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluate, type Imported, JsonnetError, type PlainValue, readProgram, type Variable } from './index.ts';

type Files = Readonly<Record<string, string>>;

interface Given {
  readonly files?: Files;
  readonly externals?: readonly Variable[];
  readonly arguments?: readonly Variable[];
  readonly limits?: { readonly depth?: number; readonly time?: number; readonly size?: number };
}

function run(text: string, { files = {}, ...given }: Given = {}): PlainValue {
  const find = (_: string, { how, path }: { how: string; path: string }): Imported => {
    const found = files[path];
    if (found === undefined) return { kind: 'missing', message: `couldn't open import "${path}"` };
    if (how === 'text') return { kind: 'text', text: found };
    if (how === 'bytes') return { kind: 'bytes', bytes: Buffer.from(found) };
    return { kind: 'code', program: readProgram({ name: path, text: found }) };
  };
  return evaluate({ program: readProgram({ name: 'main.jsonnet', text }), find, ...given }).value;
}

function errorOf(text: string, given: Given = {}): JsonnetError {
  try {
    run(text, given);
  } catch (error) {
    if (error instanceof JsonnetError) return error;
    throw error;
  }
  return assert.fail(`no error: ${text}`);
}

const language: [text: string, value: PlainValue][] = [
  ['1 + 2 * 3 - 4 / 2', 5],
  ['7 % 4 + (1 << 3 | 1) + (6 & 3) + (5 ^ 1) + ~0', 17],
  ['!true || 1 < 2 && "a" < "b" && [1, 2] < [1, 3]', true],
  ['{ local x = 1, a: x, b:: 2, c: self.b, d: $.a }', { a: 1, c: 2, d: 1 }],
  ['{ a: 1, b: self.a } + { a: 2 }', { a: 2, b: 2 }],
  ['{ a: { x: 1 } } + { a+: { y: 2 } }', { a: { x: 1, y: 2 } }],
  ['{ f(x):: x + 1, v: 2 } + { v: super.f(super.v) }', { v: 3 }],
  ['{ a: "a" in super } + { b: "a" in super, c: "z" in self }', { a: false, b: true, c: false }],
  ['{ a:: 1 } + { a: 2 } + { b::: 3 } + { b: 4 }', { b: 4 }],
  ['{ [k]: k + "!" for k in ["x", "y"] if k != "y" }', { x: 'x!' }],
  ['{ [null]: 1, ["a" + "b"]: 2 }', { ab: 2 }],
  ['[x * y for x in [1, 2, 3] if x > 1 for y in [10, 100]]', [20, 200, 30, 300]],
  [
    'local f(x, y=x + 1) = [x, y]; [f(1), f(1, 5), f(y=1, x=2)]',
    [
      [1, 2],
      [1, 5],
      [2, 1],
    ],
  ],
  ['local loop(n, sum) = if n == 0 then sum else loop(n - 1, sum + n) tailstrict; loop(100000, 0)', 5_000_050_000],
  ['[[1, 2, 3, 4][1:3], "hello"[::2], [1, 2, 3][-2:]]', [[2, 3], 'hlo', [2, 3]]],
  ['"a" + 1 + null + [1, {}] + { a: "b" }', 'a1null[1, { }]{"a": "b"}'],
  ['|||\n  one\n    two\n\n  three\n|||', 'one\n  two\n\nthree\n'],
  ['|||-\n  one\n|||', 'one'],
  [`@'a\\b''c' + "\\u00e9\\n" + 'x"'`, 'a\\b\'cé\nx"'],
  ['std.length("𝒳y") + std.length([1]) + std.length({ a: 1, b:: 2 })', 4],
  [
    '"%05.1f|%-5s|%+d|%#x|%e|%g|%%" % [3.14159, "ab", 7, 255, 12345.678, 0.0001]',
    '003.1|ab   |+7|0xff|1.234568e+04|0.0001|%',
  ],
  ['"%(a)s-%(b)03d" % { a: "x", b: 5 }', 'x-005'],
  ['assert 1 < 2 : "no"; { assert self.a > 0, a: 1 }', { a: 1 }],
  ['local lazy = error "never"; [1, lazy][0]', 1],
  ['1e3 + 1_000', 2000],
];

test('the language: operators, objects with inheritance, comprehensions, functions, texts', () => {
  for (const [text, value] of language) assert.deepEqual(run(text), value, text);
});

const library: [text: string, value: PlainValue][] = [
  ['std.manifestYamlDoc({ a: [1, { b: "x\\ny\\n" }], c: {} })', '"a":\n- 1\n- "b": |\n    x\n    y\n"c": {}'],
  ['std.manifestYamlDoc({ a: [1], yes: 2 }, indent_array_in_object=true, quote_keys=false)', 'a:\n  - 1\n"yes": 2'],
  ['std.manifestYamlStream([1, [2]])', '---\n1\n---\n- 2\n...\n'],
  ['std.manifestJsonEx({ a: [1.5, {}] }, " ")', '{\n "a": [\n  1.5,\n  {\n\n  }\n ]\n}'],
  ['std.manifestIni({ main: { a: 1 }, sections: { s: { x: [1, 2] } } })', 'a = 1\n[s]\nx = 1\nx = 2\n'],
  [
    'std.manifestTomlEx({ a: 1, b: { c: [1, { d: 2 }] }, e: [{ f: 1 }] }, " ")',
    'a = 1\n\n[b]\n c = [\n  1,\n  { d = 2 }\n ]\n\n[[e]]\n f = 1',
  ],
  ['std.manifestPython({ a: [true, null] })', '{"a": [True, None]}'],
  ['std.manifestXmlJsonml(["a", { b: "<" }, "c", ["d"]])', '<a b="&lt;">c<d></d></a>'],
  ['std.mergePatch({ a: 1, b: { c: 1 } }, { a: null, b: { d: 2 } })', { b: { c: 1, d: 2 } }],
  ['std.prune({ a: null, b: [null, {}], c: [1] })', { c: [1] }],
  ['std.sort([3, 1, 2], function(x) -x) + std.uniq([1, 1]) + std.set([2, 1, 2])', [3, 2, 1, 1, 1, 2]],
  ['[std.setUnion([1, 3], [2]), std.setInter([1, 2], [2]), std.setDiff([1, 2], [2])]', [[1, 2, 3], [2], [1]]],
  ['std.foldl(function(a, b) a + b, ["x", "y"], "") + std.foldr(function(a, b) a + b, ["x", "y"], "")', 'xyxy'],
  ['std.join(",", std.map(function(x) "<" + x + ">", ["a", "b"])) + std.join("", std.split("a/b", "/"))', '<a>,<b>ab'],
  [
    '[std.splitLimit("a/b/c", "/", 1), std.splitLimitR("a/b/c", "/", 1)]',
    [
      ['a', 'b/c'],
      ['a/b', 'c'],
    ],
  ],
  ['[std.parseInt("-12"), std.parseHex("ff"), std.parseOctal("17"), std.parseJson("[1]")]', [-12, 255, 15, [1]]],
  ['[std.parseYaml("a: 1"), std.parseYaml("a: 1\\n---\\nb: 2")]', [{ a: 1 }, [{ a: 1 }, { b: 2 }]]],
  ['[std.base64("é"), std.base64Decode("w6k="), std.encodeUTF8("é")]', ['w6k=', 'é', [195, 169]]],
  [
    '[std.objectFields({ b: 1, a:: 2 }), std.objectFieldsAll({ b: 1, a:: 2 }), std.get({ a: 1 }, "x", 9)]',
    [['b'], ['a', 'b'], 9],
  ],
  ['std.mapWithKey(function(k, v) k + v, { a: 1 })', { a: 'a1' }],
  ['[std.minArray([2, 1]), std.maxArray([], onEmpty=0), std.flattenDeepArray([1, [2, [3]]])]', [1, 0, [1, 2, 3]]],
  [
    '[std.escapeStringBash("a\'b"), std.escapeStringXML("<&>"), std.escapeStringDollars("$")]',
    [`'a'"'"'b'`, '&lt;&amp;&gt;', '$$'],
  ],
  ['std.toString(0.1) + " " + std.toString(1e20)', '0.10000000000000001 100000000000000000000'],
  ['std.sha256("a") == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"', true],
  ['std.thisFile', 'main.jsonnet'],
];

test('the standard library', () => {
  for (const [text, value] of library) assert.deepEqual(run(text), value, text);
});

test('imports: code, text, bytes; a missing one fails only where it is reached', () => {
  const files = { 'lib.libsonnet': '{ x: 1, me: std.thisFile }', 'a.txt': 'text' };
  const text =
    'local lib = import "lib.libsonnet"; local none = import "none"; lib { t: importstr "a.txt", b: importbin "a.txt" }';
  assert.deepEqual(run(text, { files }), { x: 1, me: 'lib.libsonnet', t: 'text', b: [116, 101, 120, 116] });
  assert.match(errorOf('local a = import "none"; a').message, /couldn't open import "none"/);
  assert.match(errorOf('import "a" + "b"').message, /Computed imports are not allowed/);
});

test('variables from outside: texts and code, as arguments and as externals', () => {
  const variables = [
    { name: 'text', value: '1 + 1', code: false },
    { name: 'code', value: '1 + 1', code: true },
  ];
  assert.deepEqual(run('[std.extVar("text"), std.extVar("code")]', { externals: variables }), ['1 + 1', 2]);
  assert.deepEqual(run('function(text, code, other="o") [text, code, other]', { arguments: variables }), [
    '1 + 1',
    2,
    'o',
  ]);
  assert.equal(run('1', { arguments: variables }), 1);
  assert.match(errorOf('function(a) a').message, /Missing argument: a/);
  assert.match(errorOf('std.extVar("x")').message, /Undefined external variable: x/);
});

test('an error names its place, and what led there', () => {
  const files = { 'lib.libsonnet': '{\n  f(x):: error "bad " + x,\n}' };
  const error = errorOf('local lib = import "lib.libsonnet";\n{\n  a: lib.f("x"),\n}', { files });
  assert.equal(error.message, 'bad x');
  assert.deepEqual(error.place, { file: 'lib.libsonnet', line: 2, column: 10 });
  assert.deepEqual(error.calls[0], { file: 'main.jsonnet', line: 3, column: 6 });
  for (const [text, message, line] of [
    ['local x = ;\n1', /Unexpected: ";" while parsing terminal/, 1],
    ['{\n  a: 1,\n  a: 2,\n}', /Duplicate field: a/, 3],
    ['1 +\nx', /Unknown variable: x/, 2],
    ['\n\nself', /Can't use self outside of an object/, 3],
    ['{ a: 1 } { b: self.c }', /Field does not exist: c/, 1],
    ['"abc', /Unterminated String/, 1],
    ['{ assert self.a > 1 : "too small", a: 1 }', /too small/, 1],
    ['{ a: function(x) x }', /couldn't manifest function/, undefined],
    ['1 / 0', /Division by zero/, 1],
    ['[1][3]', /Index 3 out of bounds, not within \[0, 1\)/, 1],
  ] as const) {
    const found = errorOf(text);
    assert.match(found.message, message);
    if (line !== undefined) assert.equal(found.place?.line, line, text);
  }
});

test('what would not end is ended: depth, time, size', () => {
  for (const text of [
    'local f(x) = f(x + 1) + 1; f(0)',
    'local a = { b: a.b }; a.b',
    'local a = b, b = a; a',
    `${'['.repeat(5000)}1${']'.repeat(5000)}`,
  ])
    assert.match(errorOf(text).message, /max stack frames exceeded|recursion depth/);
  const slow = errorOf('local f(n) = f(n + 1) tailstrict; f(0)', { limits: { time: 50 } });
  assert.deepEqual([slow.kind, slow.message], ['limit', 'The program takes longer than 0.05 s']);
  for (const text of [
    'std.makeArray(1e9, function(i) i)',
    'std.repeat("x", 1e9)',
    'std.range(0, 1e12)',
    'local d(s, n) = if n == 0 then s else d(s + s, n - 1); d("xx", 60)',
    '"%1000000000d" % 1',
  ])
    assert.equal(errorOf(text, { limits: { size: 100_000 } }).kind, 'limit', text);
});

test('nothing of the machine can be seen: no environment, no files, no clock, no names that are special to JavaScript', () => {
  assert.deepEqual(
    run('{ __proto__: 1, constructor: 2, ["toString"]: 3 }'),
    JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}'),
  );
  assert.match(errorOf('{}.constructor').message, /Field does not exist: constructor/);
  assert.match(errorOf('std.native("x")(1)').message, /Unexpected type null, expected function/);
});
