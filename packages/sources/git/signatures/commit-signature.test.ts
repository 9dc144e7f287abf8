import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as openpgp from 'openpgp';
import { GitRepositories } from '../git-repositories.ts';
import { startGitServer, TestRepository } from '../testing/index.ts';
import { splitSignature, verifyCommit, verifySigned } from './commit-signature.ts';
import { readSshKeys } from './ssh-signature.ts';

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

test('signatures by SSH are verified against keys in the form of authorized_keys', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-ssh-signature-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const repository = new TestRepository(join(folder, 'signed'));
  for (const kind of ['ed25519', 'rsa -b 2048', 'ecdsa -b 256', 'ecdsa -b 521']) {
    const [type = '', ...bits] = kind.split(' ');
    const file = join(folder, `key-${type}-${bits.join('')}`);
    execFileSync('ssh-keygen', ['-q', '-N', '', '-t', type, ...bits, '-f', file]);
    const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${file}`, '-c', 'commit.gpgsign=true'];
    repository.git(...sign, 'commit', '--quiet', '--allow-empty', '--message', `by ${type}`);
    const raw = execFileSync('git', ['cat-file', 'commit', 'HEAD'], { cwd: repository.path });
    const own = readSshKeys(`# people\nann@example.com namespaces="git" ${readFileSync(`${file}.pub`, 'utf8')}`);
    const result = async (content: Buffer, keys: typeof own) => verifySigned(content, { openpgp: [], ssh: keys });
    assert.deepEqual(await result(raw, own), {
      result: 'signed',
      keyId: own[0]?.id ?? '',
      author: 'Test Author <author@example.com>',
    });
    const changed = Buffer.from(raw.toString('latin1').replace(`by ${type}`, `BY ${type}`), 'latin1');
    assert.equal((await result(changed, own)).result, 'bad signature', type);
    const stranger = readSshKeys('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIiJTVNIBHGg0kBU7Lj2p9P3YBCLQ5zqrmFXr4LLbT4u x');
    assert.equal((await result(raw, stranger)).result, 'signed with key not in keyring');
    assert.equal((await verifyCommit(raw, [])).result, 'unsigned');
  }
});

test('a signed tag is verified, and a history back to the signed commit that seals it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-history-'));
  const repositories = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
  t.after(async () => {
    await repositories.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-N', '', '-t', 'ed25519', '-f', file]);
  const keys = { openpgp: [], ssh: readSshKeys(readFileSync(`${file}.pub`, 'utf8')) };
  const origin = new TestRepository(join(folder, 'origin'));
  const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${file}`];
  const signed = (message: string) => {
    origin.git(...sign, 'commit', '--quiet', '--allow-empty', '-S', '--message', message);
    return origin.git('rev-parse', 'HEAD');
  };
  const unsigned = origin.commit({ a: 'a' }, 'No signature');
  origin.git(...sign, 'tag', '-s', 'v1.0.0', '-m', 'One', unsigned);
  origin.git('tag', '-a', 'v1.1.0', '-m', 'Not signed', unsigned);
  const server = await startGitServer(folder);
  t.after(() => server.close());
  const results = async (commit: string, revision: string, deep: boolean) => {
    const found: string[] = [];
    const asked = { commit, revision, deep, keys };
    for await (const { revision: name, result } of repositories.signatures({ url: `${server.url}/origin` }, asked))
      found.push(`${name.slice(0, 7)} ${result}`);
    return found;
  };
  assert.deepEqual(await results(unsigned, unsigned, false), [`${unsigned.slice(0, 7)} unsigned`]);
  assert.deepEqual(await results(unsigned, 'v1.0.0', false), ['v1.0.0 signed']);
  assert.deepEqual(await results(unsigned, '1.*', false), ['v1.1.0 unsigned']);
  assert.deepEqual(await results(unsigned, 'v1.0.0', true), ['v1.0.0 signed', `${unsigned.slice(0, 7)} unsigned`]);
  const second = signed('Second');
  assert.deepEqual(
    (await results(second, 'main', true)).map((line) => line.slice(8)),
    ['signed', 'unsigned'],
  );
  const seal = signed('Seal\n\nArgocd-gpg-seal: reviewed');
  const after = signed('After');
  assert.deepEqual(await results(seal, 'main', true), [`${seal.slice(0, 7)} signed`]);
  assert.deepEqual(await results(after, 'main', true), [`${after.slice(0, 7)} signed`, `${seal.slice(0, 7)} signed`]);
});
