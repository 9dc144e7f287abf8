import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatAddress, parseAddress } from './parse-address.ts';

/** As Go's netip writes them. */
const addresses = [
  ['10.0.0.1', '10.0.0.1'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['0:0:1:0:0:1:1:1', '::1:0:0:1:1:1'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
  ['2001:DB8:0:0:1:0:0:0', '2001:db8:0:0:1::'],
] as const;

it('Addresses leave out the longest run of zeros, the first of those that are as long', () => {
  for (const [given, written] of addresses) assert.equal(formatAddress(parseAddress(given)), written);
});
