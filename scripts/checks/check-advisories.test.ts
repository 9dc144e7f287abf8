import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAdvisories } from './check-advisories.ts';

test('checkAdvisories() wants a test that there is, or a reason', () => {
  const row = (proof: string) => `| CVE-2020-1 | read | ${proof} |\n`.repeat(142);
  const here = '(../scripts/checks/check-advisories.test.ts)';
  assert.deepEqual(checkAdvisories(row(`"wants a test that there is" in [x]${here}`)), []);
  assert.deepEqual(checkAdvisories(row('Not ours: there is no such part of the product')), []);
  for (const proof of [
    '',
    'yes',
    'Not ours: no',
    `"a title of ${'nothing'}" in [x]${here}`,
    '"x" in [x](../none.test.ts)',
  ])
    assert.equal(checkAdvisories(row(proof)).length, 142, proof);
  assert.match(checkAdvisories('').join(), /there were 142/);
});
