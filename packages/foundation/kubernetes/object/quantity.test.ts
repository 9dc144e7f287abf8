import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalQuantity, compareQuantities } from './quantity.ts';

describe('A quantity', () => {
  for (const [given, expected] of [
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['0.5', '500m'],
    ['1.5Gi', '1536Mi'],
    ['128974848', '128974848'],
    ['1e3', '1e3'],
    ['0', '0'],
    ['-2', '-2'],
    ['100Ki', '100Ki'],
    ['1500', '1500'],
    ['2000', '2k'],
    ['lots', undefined],
    ['', undefined],
  ] as const)
    it(`is ${expected === undefined ? 'refused' : `written ${expected}`} for ${JSON.stringify(given)}`, () =>
      assert.equal(canonicalQuantity(given), expected));

  it('is compared by its value', () => {
    assert.equal(compareQuantities('1Gi', '1024Mi'), 0);
    assert.equal(compareQuantities('999m', '1'), -1);
    assert.equal(compareQuantities('1k', '999'), 1);
  });
});
