import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { addressBytes, derElements, integer, objectId, sequence, TruncatedDer, tagged, time } from './der.ts';

const hex = (bytes: Buffer) => bytes.toString('hex');

describe('writing DER', () => {
  test('lengths take as many bytes as they need', () => {
    for (const [size, head] of [
      [0, '0400'],
      [127, '047f'],
      [128, '048180'],
      [255, '0481ff'],
      [256, '04820100'],
      [65_536, '0483010000'],
    ] as const)
      assert.equal(hex(tagged(0x04, Buffer.alloc(size))).slice(0, head.length), head);
  });

  test('integers are not negative and as short as they can be', () => {
    assert.equal(hex(integer(Buffer.from([0, 0, 5]))), '020105');
    assert.equal(hex(integer(Buffer.from([0x80]))), '02020080');
    assert.equal(hex(integer(Buffer.from([0]))), '020100');
  });

  test('object identifiers, as OpenSSL writes them', () => {
    assert.equal(hex(objectId('1.2.840.10045.4.3.2')), '06082a8648ce3d040302');
    assert.equal(hex(objectId('2.5.29.17')), '0603551d11');
  });

  test('times change their form in 2050', () => {
    assert.equal(
      time(Date.UTC(2049, 11, 31, 23, 59, 59))
        .subarray(2)
        .toString(),
      '491231235959Z',
    );
    assert.equal(
      time(Date.UTC(2050, 0, 1))
        .subarray(2)
        .toString(),
      '20500101000000Z',
    );
  });

  test('addresses', () => {
    assert.equal(hex(addressBytes('10.0.0.255')), '0a0000ff');
    assert.equal(hex(addressBytes('fd00::1:2')), 'fd000000000000000000000000010002');
    assert.equal(hex(addressBytes('::')), '0'.repeat(32));
    assert.equal(hex(addressBytes('1:2:3:4:5:6:7:8')), '00010002000300040005000600070008');
  });
});

describe('reading DER', () => {
  test('what OpenSSL wrote is read back as it is', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const spki = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })).export({
      type: 'spki',
      format: 'der',
    });
    const [whole] = derElements(spki);
    const parts = derElements(whole?.content ?? Buffer.alloc(0));
    assert.deepEqual(
      parts.map(({ tag }) => tag),
      [0x30, 0x03],
    );
    assert.equal(hex(sequence(...parts.map(({ raw }) => raw))), hex(spki));
  });

  test('what is cut off, and what has no length, is refused', () => {
    const whole = sequence(integer(Buffer.alloc(300, 1)));
    for (const size of [1, 2, 3, 10, whole.length - 1])
      assert.throws(() => derElements(whole.subarray(0, size)).map(({ content }) => derElements(content)), RangeError);
    assert.throws(() => derElements(Buffer.from('3080', 'hex')), /indefinite/);
    assert.throws(() => derElements(Buffer.from('3084ffff', 'hex')), TruncatedDer);
  });
});
