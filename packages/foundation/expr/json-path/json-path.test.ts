import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryJson } from './json-path.ts';

const store = {
  books: [
    { title: 'a', price: 8, tags: ['x'] },
    { title: 'b', price: 12, isbn: '1' },
    { title: 'c', price: 20, isbn: '2', tags: ['y', 'z'] },
  ],
  limit: 10,
  'odd key': { 'q\'"': 1 },
};
const query = (path: string, value: unknown = store) => queryJson(JSON.stringify(value), path);

test('paths find one value, or lists of them', () => {
  for (const [path, expected] of [
    ['$.limit', 10],
    ["$['odd key']['q\\'\"']", 1],
    ['$.books[-1].title', 'c'],
    ['$.books[0,2].title', ['a', 'c']],
    ['$.books[0][title]', undefined],
    ["$.books[0]['title','price']", ['a', 8]],
    ['$.books[*].isbn', ['1', '2']],
    ['$.books[*].tags[*]', [['x'], ['y', 'z']]],
    ['$..title', ['a', 'b', 'c']],
    ['$..tags[0]', ['x', 'y']],
    ['$.books.length', 3],
    ['$.books[(@.length-1)].title', 'c'],
  ] as const)
    if (expected === undefined) assert.throws(() => query(path), /cannot read/);
    else assert.deepEqual(query(path), expected, path);
});

test('slices are those of lists, with steps', () => {
  const letters = ['a', 'b', 'c', 'd', 'e'];
  for (const [path, expected] of [
    ['$[1:3]', ['b', 'c']],
    ['$[-2:]', ['d', 'e']],
    ['$[:2]', ['a', 'b']],
    ['$[7:10]', []],
    ['$[0:5:2]', ['a', 'c', 'e']],
    ['$[::-2]', ['e', 'c', 'a']],
    ['$[3:0:-2]', []],
    ['$[1:(@.length-1)]', ['b', 'c', 'd']],
    ['$[1:3][0]', 'b'],
  ] as const)
    assert.deepEqual(query(path, letters), expected, path);
  assert.throws(() => query('$[0:3:0]', letters), /step 0/);
  assert.throws(() => query('$[1:3]', { a: 1 }), /not one of a list/);
});

test('filters keep what their formula holds for', () => {
  const titles = (filter: string) => query(`$.books[?(${filter})].title`);
  assert.deepEqual(titles('@.isbn'), ['b', 'c']);
  assert.deepEqual(titles('@.price < $.limit'), ['a']);
  assert.deepEqual(titles('@.price >= 12 && @.title != "c"'), ['b']);
  assert.deepEqual(titles("@.title == 'a' || @.price*2 == 40"), ['a', 'c']);
  assert.deepEqual(titles('!(@.price == 12)'), ['a', 'c']);
  assert.deepEqual(titles("@.title in ['a', 'b'] && @.isbn"), ['b']);
  assert.deepEqual(titles("'y' in @.tags"), ['c']);
  assert.deepEqual(titles("@.title =~ '^[bc]$'"), ['b', 'c']);
  assert.deepEqual(titles("@.tags[?(@ == 'z')]"), ['c']);
  assert.deepEqual(titles('@.nothing == 1'), []);
  assert.equal(query('$.books[?(@.price > 10)][0].title'), 'b');
  assert.deepEqual(query('$[?(@.key-50==-100)]', [{ key: -50 }, { key: 50 }]), [{ key: -50 }]);
});

test('what cannot be read or is not there is told', () => {
  for (const path of ['limit', '$.books[', '$.books[?(@.a ==)]', "$['a", '$.a b', `$${'[('.repeat(60)}`])
    assert.throws(() => query(path), /jsonpath: /, path);
  assert.throws(() => query('$.gone.deeper'), /nothing is at \$\.gone\.deeper/);
  assert.throws(() => queryJson('{', '$'), /jsonpath: /);
});
