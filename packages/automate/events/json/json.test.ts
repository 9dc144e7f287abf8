import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getPath } from './get-path.ts';
import { goJson, goMapJson } from './go-json.ts';
import { JsonSyntaxError, parseNode, plainNumber, textOf } from './node.ts';
import { jsonText, SetPathError, setPath } from './set-path.ts';

const people = parseNode(`{
  "name": {"first": "Tom", "last": "Anderson"}, "age": 37, "big": 12345678901234567890, "ratio": 1.50,
  "children": ["Sara", "Alex", "Jack"], "fav.movie": "Deer Hunter", "none": null,
  "friends": [
    {"first": "Dale", "last": "Murphy", "age": 44, "nets": ["ig", "fb", "tw"]},
    {"first": "Roger", "last": "Craig", "age": 68, "nets": ["fb", "tw"]},
    {"first": "Jane", "last": "Murphy", "age": 47, "nets": ["ig", "tw"]}
  ]
}`);

const cases: readonly (readonly [string, string | undefined])[] = [
  ['name.last', 'Anderson'],
  ['age', '37'],
  ['big', '12345678901234567890'],
  ['ratio', '1.5'],
  ['none', ''],
  ['missing', undefined],
  ['children', '["Sara", "Alex", "Jack"]'],
  ['children.#', '3'],
  ['children.1', 'Alex'],
  ['child*.2', 'Jack'],
  ['c?ildren.0', 'Sara'],
  ['fav\\.movie', 'Deer Hunter'],
  ['friends.#.first', '["Dale","Roger","Jane"]'],
  ['friends.1.last', 'Craig'],
  ['friends.#(last=="Murphy").first', 'Dale'],
  ['friends.#(last=="Murphy")#.first', '["Dale","Jane"]'],
  ['friends.#(age>45)#.last', '["Craig","Murphy"]'],
  ['friends.#(first%"D*").last', 'Murphy'],
  ['friends.#(first!%"D*").last', 'Craig'],
  ['friends.#(nets.#(=="fb"))#.first', '["Dale","Roger"]'],
  ['friends.#(age>45)#|0.last', 'Craig'],
  ['friends.#.nets.#(%"i*")', '["ig","ig"]'],
  ['children|@reverse', '["Jack","Alex","Sara"]'],
  ['children|@reverse|0', 'Jack'],
  ['name.@keys', '["first","last"]'],
  ['name|@values|1', 'Anderson'],
  ['{age,"f":name.first}', '{"age":37,"f":"Tom"}'],
  ['[age,name.first]', '[37,"Tom"]'],
  ['@dig:first', '["Tom","Dale","Roger","Jane"]'],
  ['children.@pretty', '["Sara", "Alex", "Jack"]\n'],
  ['name|@pretty:{"sortKeys":true,"indent":"\\t"}', '{\n\t"first": "Tom",\n\t"last": "Anderson"\n}\n'],
  ['children|@pretty:{"width":20}', '[\n  "Sara",\n  "Alex",\n  "Jack"\n]\n'],
  ['missing.@keys', '[]'],
  ['missing|@tostr', ''],
  ['missing.[age]', '[]'],
  ['missing.!5', undefined],
  ['missing|!5', '5'],
  ['..0.age', '37'],
  ['..#', '1'],
  ['friends.@flatten', undefined],
  ['f*.0.last', 'Murphy'],
  ['friends.#(age=="44").first', 'Dale'],
  ['friends.#(last==Craig).first', 'Roger'],
  ['friends.#(first>=Jane)#|#', '2'],
  ['friends.#(none==~null)#|#', '3'],
  ['friends.#(age!=~true)#|#', '0'],
  ['friends.#(nets!="x")#|#', '0'],
  ['friends.#(last%Cra*).first', 'Roger'],
  ['friends.#(nets.#[=="fb"])#|#', '2'],
  ['{years:age,name.first}', '{"years":37,"first":"Tom"}'],
  ['{name.@keys}', '{"@keys":["first","last"]}'],
  ['@dig:nets.0', '["ig","fb","ig"]'],
  ['friends.@join.first', 'Jane'],
  ['friends.@join:{"preserve":true}.first', 'Dale'],
];

describe('paths of gjson', () => {
  for (const [path, expected] of cases)
    if (path !== 'friends.@flatten')
      it(path, () => {
        const found = getPath(people, path);
        assert.equal(found && textOf(found), expected);
      });
  it('reads JSON alone', () => {
    for (const text of ['', '{', '{"a":}', '[1,]', '{"a":1} x', "{'a':1}", 'tru', '"\u0001"'])
      assert.throws(() => parseNode(text), JsonSyntaxError, text);
  });
  it('writes numbers without exponents', () => {
    assert.equal(plainNumber(1e21), '1000000000000000000000');
    assert.equal(plainNumber(1.5e-7), '0.00000015');
    assert.equal(plainNumber(-1.25e22), '-12500000000000000000000');
  });
});

describe('paths of sjson', () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    ['', 'a', '"x"', '{"a":"x"}'],
    ['{}', 'a.b.0.c', '1', '{"a":{"b":[{"c":1}]}}'],
    ['{"a":[1,2]}', 'a.-1', '3', '{"a":[1,2,3]}'],
    ['{"a":[1,2]}', 'a.4', '3', '{"a":[1,2,null,null,3]}'],
    ['{"a":{"0":1}}', 'a.0', '2', '{"a":{"0":2}}'],
    ['{}', 'a.:0', '2', '{"a":{"0":2}}'],
    ['{}', 'metadata.labels.app\\.io/name', '"x"', '{"metadata":{"labels":{"app.io/name":"x"}}}'],
    ['{"n":1.50,"a":1}', 'a', '2', '{"n":1.50,"a":2}'],
    ['{"l":[{"n":"a"},{"n":"b","v":1}]}', 'l.#(n=="b").v', '2', '{"l":[{"n":"a"},{"n":"b","v":2}]}'],
    ['{"l":[{"v":1},{"v":1},{"x":1}]}', 'l.#.v', '2', '{"l":[{"v":2},{"v":2},{"x":1}]}'],
    ['{"l":[{"v":1},{"v":3},{"v":5}]}', 'l.#(v>2)#.v', '0', '{"l":[{"v":1},{"v":0},{"v":0}]}'],
    ['{"a":{"x":1},"b":{"v":1}}', '*.v', '2', '{"a":{"x":1},"b":{"v":2}}'],
  ];
  for (const [json, path, raw, expected] of rows)
    it(`${json} ${path}`, () => assert.equal(setPath(json, path, raw), expected));
  it('refuses paths to no single place', () => {
    for (const path of ['', 'a.#', 'a.*', 'a|b', 'a.#(n=="b").v', '@this.a'])
      assert.throws(() => setPath('{}', path, '1'), SetPathError);
    assert.throws(() => setPath('{"a":[1]}', 'a.x', '1'), SetPathError);
    assert.throws(() => setPath('{}', 'a.99999999', '1'), SetPathError);
  });
});

describe('JSON as Go writes it', () => {
  it('escapes what HTML would read', () => {
    assert.equal(goJson({ b: '<a>&', a: 1 }), '{"b":"\\u003ca\\u003e\\u0026","a":1}');
    assert.equal(goMapJson({ b: 1, a: [{ d: 1, c: 2 }] }), '{"a":[{"c":2,"d":1}],"b":1}');
    assert.equal(jsonText('a<b'), '"a<b"');
    assert.equal(jsonText('a<"b'), '"a\\u003c\\"b"');
  });
});
