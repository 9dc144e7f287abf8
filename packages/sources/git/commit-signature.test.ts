import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as openpgp from 'openpgp';
import { splitSignature, verifyCommit } from './commit-signature.ts';

const unsigned = Buffer.from(
  'tree 0123456789012345678901234567890123456789\nauthor Zoë <zoe@example.com> 1700000000 +0000\ncommitter Zoë <zoe@example.com> 1700000000 +0000\n\nA message\n\nwith  parts\n',
);

async function makeKey(options: { keyExpirationTime?: number; date?: Date } = {}) {
  const { privateKey, publicKey } = await openpgp.generateKey({
    type: 'ecc',
    userIDs: [{ name: 'Zoë', email: 'zoe@example.com' }],
    format: 'object',
    ...options,
  });
  return { privateKey, armored: publicKey.armor(), id: publicKey.getKeyID().toHex().toUpperCase() };
}

/** The raw object as `git commit -S` writes it. */
async function sign(key: Awaited<ReturnType<typeof makeKey>>, payload: Buffer, date?: Date): Promise<Buffer> {
  const message = await openpgp.createMessage({ binary: new Uint8Array(payload) });
  const armored = (await openpgp.sign({
    message,
    signingKeys: key.privateKey,
    detached: true,
    ...(date ? { date } : {}),
  })) as string;
  const [first, ...rest] = armored.replaceAll('\r', '').trimEnd().split('\n');
  const header = [`gpgsig ${first}`, ...rest.map((line) => ` ${line}`)].join('\n');
  const text = payload.toString('latin1');
  const at = text.indexOf('\n\n');
  return Buffer.from(`${text.slice(0, at)}\n${header}${text.slice(at)}`, 'latin1');
}

test('what was signed is the commit without its signature, byte for byte', async () => {
  const signed = await sign(await makeKey(), unsigned);
  const { payload, signature, author } = splitSignature(signed);
  assert.ok(payload.equals(unsigned));
  assert.match(signature ?? '', /^-----BEGIN PGP SIGNATURE-----\n[\s\S]*-----END PGP SIGNATURE-----\n$/);
  assert.equal(author, 'Zoë <zoe@example.com>');
  assert.equal(splitSignature(unsigned).signature, undefined);
});

test('a good signature names its key; one of a stranger, one that was tampered with and none at all are told apart', async () => {
  const [own, other] = await Promise.all([makeKey(), makeKey()]);
  const signed = await sign(own, unsigned);
  const author = 'Zoë <zoe@example.com>';
  assert.deepEqual(await verifyCommit(signed, [other.armored, own.armored]), {
    result: 'signed',
    keyId: own.id,
    author,
  });
  assert.deepEqual(await verifyCommit(signed, [other.armored, 'no key']), {
    result: 'signed with key not in keyring',
    keyId: own.id,
    author,
  });
  const changed = Buffer.from(signed.toString('latin1').replace('A message', 'B message'), 'latin1');
  assert.equal((await verifyCommit(changed, [own.armored])).result, 'bad signature');
  assert.deepEqual(await verifyCommit(unsigned, [own.armored]), { result: 'unsigned', keyId: '', author });
});

test('a revoked key signs nothing any more; a signature by SSH is none of OpenPGP', async () => {
  const key = await makeKey();
  const signed = await sign(key, unsigned);
  const { publicKey } = await openpgp.revokeKey({ key: key.privateKey, format: 'armored' });
  assert.equal((await verifyCommit(signed, [publicKey])).result, 'signed with revoked key');
  const ssh = Buffer.from(
    unsigned
      .toString('latin1')
      .replace('\n\n', '\ngpgsig -----BEGIN SSH SIGNATURE-----\n x\n -----END SSH SIGNATURE-----\n\n'),
    'latin1',
  );
  assert.equal((await verifyCommit(ssh, [key.armored])).result, 'unsigned');
});
