import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapBreaches } from './check-maps.ts';

test('mapBreaches() finds names from outside that are looked up with `in`', () => {
  const of = (code: string) => mapBreaches('a.ts', `export const f = (a: string, b: object) => ${code};`);
  assert.match(of('a in b').join(), /^a\.ts:1: "a in b" .* use Object\.hasOwn$/);
  assert.equal(of('b.x.y in b && !(a in b)').length, 2);
  for (const fine of ["'kind' in b", 'Symbol.iterator in b', 'Object.hasOwn(b, a)']) assert.deepEqual(of(fine), []);
});
