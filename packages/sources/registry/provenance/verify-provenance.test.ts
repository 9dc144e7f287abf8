import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sha256 } from '../access/archive-cache.ts';
import { RegistryError } from '../access/registry-error.ts';
import { type ChartSigner, makeSigner, packageChart } from '../testing/index.ts';
import { verifyProvenance } from './verify-provenance.ts';

const archive = packageChart('web', '1.0.0');
const fileName = 'web-1.0.0.tgz';
let folder = '';
let signer: ChartSigner;
let keyRing = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-keys-'));
  signer = await makeSigner();
  keyRing = await ring('ring.gpg', signer.publicKey);
});
after(() => rm(folder, { recursive: true, force: true }));

async function ring(name: string, data: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, data);
  return path;
}

const verify = (provenance: string, changes: { archive?: Uint8Array; fileName?: string; keyRing?: string } = {}) =>
  verifyProvenance({ archive, fileName, keyRing, provenance: Buffer.from(provenance), ...changes });

async function refusal(work: Promise<unknown>, words: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof RegistryError, String(error));
    assert.equal(error.diagnosis.code, 'ChartSignatureRefused');
    assert.match(error.goMessage, words);
    return true;
  });
}

for (const kind of ['rsa', 'ecc'] as const) {
  test(`a package signed by a known ${kind} key is believed`, async () => {
    const own = await makeSigner(kind);
    const provenance = await own.sign(archive, fileName);
    const verification = await verify(provenance, { keyRing: await ring(`${kind}.gpg`, own.publicKey) });
    assert.deepEqual(verification, {
      signedBy: ['Tests <tests@example.com>'],
      fingerprint: own.fingerprint,
      digest: `sha256:${sha256(archive)}`,
    });
  });
}

test('key rings may be armoured, several together, or a keybox', async () => {
  const provenance = await signer.sign(archive, fileName);
  const other = await makeSigner();
  const armored = await ring('ring.asc', `${other.armoredKey}\n${signer.armoredKey}`);
  assert.equal((await verify(provenance, { keyRing: armored })).fingerprint, signer.fingerprint);
  const keybox = await ring('pubring.kbx', keyboxOf([other.publicKey, signer.publicKey]));
  assert.equal((await verify(provenance, { keyRing: keybox })).fingerprint, signer.fingerprint);
});

test('CVE-2026-35205: what is not proved is refused: no key, no signature, other bytes, another name', async () => {
  const provenance = await signer.sign(archive, fileName);
  const stranger = await ring('stranger.gpg', (await makeSigner()).publicKey);
  await refusal(verify(provenance, { keyRing: stranger }), /signature made by unknown entity/);
  await refusal(verify('nothing signed'), /signature block not found/);
  await refusal(
    verify('-----BEGIN PGP SIGNED MESSAGE-----\n\nx\n-----BEGIN PGP SIGNATURE-----\n-----END PGP SIGNATURE-----'),
    /./,
  );
  await refusal(
    verify(provenance, { archive: packageChart('web', '6.6.6') }),
    /sha256 sum does not match for web-1.0.0.tgz/,
  );
  await refusal(
    verify(provenance, { fileName: 'web-2.0.0.tgz' }),
    /does not contain a SHA for a file named "web-2.0.0.tgz"/,
  );
  await refusal(verify(provenance.replace('sha256:', 'sha256:0')), /invalid signature/);
  await refusal(
    verify(provenance, { keyRing: join(folder, 'none.gpg') }),
    /failed to load keyring: open .*no such file/,
  );
  await refusal(verify(provenance, { keyRing: await ring('empty.gpg', '') }), /unknown entity|failed to load keyring/);
  await refusal(
    verify(provenance, { keyRing: await ring('broken.kbx', keyboxOf([signer.publicKey]).subarray(0, 60)) }),
    /failed to load keyring/,
  );
});

/** GnuPG's file: a header, then a blob for each key. */
function keyboxOf(keys: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(32);
  header.writeUInt32BE(32);
  header[4] = 1;
  header.write('KBXf', 8);
  const blobs = keys.map((key) => {
    const blob = Buffer.alloc(32 + key.length);
    blob.writeUInt32BE(blob.length);
    blob[4] = 2;
    blob.writeUInt32BE(32, 8);
    blob.writeUInt32BE(key.length, 12);
    blob.set(key, 32);
    return blob;
  });
  return Buffer.concat([header, ...blobs]);
}
