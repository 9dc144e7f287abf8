import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDocuments, parseYaml, printYaml, YamlError } from './index.ts';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });

test('scalars have the types that go-yaml gives them', () => {
  const cases: [string, unknown][] = [
    ['yes', true],
    ['Off', false],
    ['~', null],
    ['', null],
    ['010', 8],
    ['0x1F', 31],
    ['0b11', 3],
    ['0o17', 15],
    ['1_000', 1000],
    ['1e3', 1000],
    ['.5', 0.5],
    ['2001-01-01', '2001-01-01'],
    ['12:30:45', '12:30:45'],
    ['"yes"', 'yes'],
    ['!!str 12', '12'],
    ['!!float 1', 1],
    ['<<', '<<'],
    ['08', 8],
  ];
  for (const [text, value] of cases) assert.deepEqual(parseYaml(`a: ${text}`), { a: value }, text);
});

test('merge keys, aliases, block scalars and duplicate keys read as in go-yaml', () => {
  const text =
    'base: &b {x: 1, z: 2}\nuse:\n  <<: *b\n  z: 3\nkeep: |+\n  a\n\nfold: >-\n  a\n  b\n\n  c\ndup: 1\ndup: 2\n1: one\n';
  assert.deepEqual(parseYaml(text), {
    base: { x: 1, z: 2 },
    use: { x: 1, z: 3 },
    keep: 'a\n\n',
    fold: 'a b\nc',
    dup: 2,
    1: 'one',
  });
});

test('what go-yaml refuses is refused in its words, with the true place', () => {
  const cases: [string, string, number][] = [
    ['a: b: c', 'yaml: mapping values are not allowed in this context', 1],
    ['a: 1\nb\nc: 2', "yaml: line 3: could not find expected ':'", 3],
    ['a:\n\t- b', 'yaml: line 2: found character that cannot start any token', 2],
    ['{{ .x }}: y', 'yaml: invalid map key: map[interface {}]interface {}{".x":interface {}(nil)}', 1],
    ['a: [1,', 'yaml: line 1: did not find expected node content', 1],
    ['b: 1\na: [1,\n', 'yaml: line 2: did not find expected node content', 2],
    ['b: 1\na: {b: 1\nc: 2\n', "yaml: line 2: did not find expected ',' or '}'", 2],
    ['b: 1\na: "x\nc: 2\n', 'yaml: line 4: found unexpected end of stream', 2],
    ['a: *none', "yaml: unknown anchor 'none' referenced", 1],
    ['a: &x [*x]', "yaml: anchor 'x' value contains itself", 1],
    ['a: \u0001', 'yaml: control characters are not allowed', 1],
    ['a: !!int x', 'yaml: cannot decode !!str `x` as a !!int', 1],
    ['a: .nan', 'json: unsupported value: NaN', 1],
  ];
  for (const [text, message, line] of cases) {
    assert.throws(
      () => parseYaml(text, { file: 'f.yaml' }),
      (error: unknown) => {
        assert.ok(error instanceof YamlError);
        assert.equal(error.goMessage, message);
        assert.equal(error.diagnosis.place?.line, line, text);
        assert.equal(error.diagnosis.cause === 'M9' || error.diagnosis.cause === 'M15', true);
        return true;
      },
    );
  }
});

test('documents know their lines and those of their fields', () => {
  const { documents } = parseDocuments('# head\na: 1\n---\nb:\n  - x\n  - z: |\n      text\n      more\n...\n');
  assert.deepEqual(
    documents.map(({ value }) => value),
    [{ a: 1 }, { b: ['x', { z: 'text\nmore\n' }] }],
  );
  assert.deepEqual(
    documents.map(({ line, endLine }) => [line, endLine]),
    [
      [2, 2],
      [3, 8],
    ],
  );
  assert.equal(documents[1]?.lineOf(['b', 1, 'z']), 6);
  assert.equal(documents[1]?.lineOf(['b', 'nowhere']), 4);
});

test('alias bombs, depth, size and numbers of documents end in a diagnosis', () => {
  let bomb = 'a0: &a0 [x, x, x, x, x, x, x, x, x]\n';
  for (let i = 1; i < 12; i++) bomb += `a${i}: &a${i} [${`*a${i - 1}, `.repeat(9)}x]\n`;
  const bounded = (text: string, limits = {}): void => {
    assert.throws(
      () => parseDocuments(text, { limits }),
      (error: unknown) => error instanceof YamlError && error.diagnosis.code === 'YamlLimitExceeded',
    );
  };
  bounded(bomb);
  bounded('['.repeat(5000));
  bounded('x'.repeat(100), { size: 10 });
  bounded('a\n---\n'.repeat(20), { documents: 10 });
  assert.throws(() => parseYaml(Buffer.from([0x61, 0x3a, 0x20, 0xff])), /invalid leading UTF-8 octet/);
});

test('tags construct nothing', () => {
  assert.equal(parseYaml('!!python/object/apply:os.system [x]') instanceof Object, true);
  assert.equal(parseYaml('!!js/function "return 1"'), 'return 1');
  assert.deepEqual(Object.keys(parseYaml('__proto__: {a: 1}') as object), ['__proto__']);
});

test('strings are quoted as go-yaml quotes them', () => {
  const cases: [string, string][] = [
    ['yes', '"yes"'],
    ['', '""'],
    ['1.0', '"1.0"'],
    ['12:30', '"12:30"'],
    ['2001-01-01', '"2001-01-01"'],
    ['a: b', "'a: b'"],
    ['- a', "'- a'"],
    ["it's", "it's"],
    ['tab\t', '"tab\\t"'],
    ['😀', '"\\U0001F600"'],
    ['a\nb', '|-\n  a\n  b'],
    [' a\n', '|2\n   a'],
  ];
  for (const [value, text] of cases) assert.equal(printYaml(value), `${text}\n`, value);
});

test('floats, key order, folding and the indentation of lists are those of each dialect', () => {
  const value = { a10: 1e6, a2: 1234567.5, B: [1, [2, { x: [] }]], long: 'word '.repeat(20).trim() };
  assert.equal(
    printYaml(value),
    `B:\n- 1\n- - 2\n  - x: []\na2: 1.2345675e+06\na10: 1000000\nlong: ${'word '.repeat(14)}word\n  ${'word '.repeat(5).trim()}\n`.replace(
      `${'word '.repeat(14)}word\n  ${'word '.repeat(5).trim()}`,
      `${'word '.repeat(15)}word\n  ${'word '.repeat(4).trim()}`,
    ),
  );
  assert.equal(
    printYaml(value, { dialect: 'v3' }),
    `B:\n  - 1\n  - - 2\n    - x: []\na2: 1.2345675e+06\na10: 1e+06\nlong: ${value.long}\n`,
  );
});

test('what is printed reads back as itself', () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => !/[\ufeff\ufffe\uffff]/.test(text)),
      fc.constantFrom('yes', '~', '1e3', '- a', 'a: b', ' x', 'x ', 'a\nb', 'a\n\n', '#', '<<', '0x1'),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.constantFrom('a', 'b1', 'b10', 'on', '1', 'k e y', 'k: v', 'two\nlines', 'x'.repeat(130)),
        tie('value'),
        { maxKeys: 4, noNullPrototype: true },
      ),
    ),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      assert.deepEqual(parseYaml(printYaml(value as never)), value);
      assert.deepEqual(parseYaml(printYaml(value as never, { dialect: 'v3' })), value);
    }),
    { numRuns: 300 },
  );
});
