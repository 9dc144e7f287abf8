import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as openpgp from 'openpgp';
import { startTestServer } from '../testing/start-test-server.ts';

async function makeKey(name: string) {
  const userIDs = [{ name, email: `${name}@example.com` }];
  const { publicKey, privateKey } = await openpgp.generateKey({ type: 'ecc', userIDs, format: 'object' });
  return { id: publicKey.getKeyID().toHex().toUpperCase(), armored: publicKey.armor(), secret: privateKey.armor() };
}

test('public keys are added, listed without their data, given and removed', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  const [anna, zoe] = [await makeKey('anna'), await makeKey('zoe')];
  const add = (keyData: string) => call('/api/v1/gpgkeys', { token, body: { keyData } });
  const list = async () => {
    const { body } = await call('/api/v1/gpgkeys', { token });
    const items = (body.items ?? []) as { keyID: string; owner: string; subType: string; keyData?: string }[];
    return items.map(({ keyID, owner, subType, keyData }) => [keyID, owner, subType, keyData]);
  };
  assert.equal((await add(anna.armored)).status, 200);
  const both = await add(`${anna.armored}\n${zoe.armored}`);
  assert.deepEqual(both.body.skipped, [anna.id]);
  assert.deepEqual(
    await list(),
    [
      [anna.id, 'anna <anna@example.com>', 'ed25519', undefined],
      [zoe.id, 'zoe <zoe@example.com>', 'ed25519', undefined],
    ].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
  const seen = await call(`/api/v1/gpgkeys/${zoe.id}`, { token });
  assert.match(String(seen.body.keyData), /BEGIN PGP PUBLIC KEY BLOCK/);
  assert.equal((await call(`/api/v1/gpgkeys?keyID=${zoe.id}`, { token, method: 'DELETE' })).status, 200);
  assert.deepEqual(
    (await list()).map(([id]) => id),
    [anna.id],
  );
  assert.match(String((await call(`/api/v1/gpgkeys/${zoe.id}`, { token })).body.message), /no such key/);
  for (const text of ['', 'no key', zoe.secret]) assert.notEqual((await add(text)).status, 200);
  assert.equal((await call('/api/v1/gpgkeys/short', { token })).status, 400);
});
