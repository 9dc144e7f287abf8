import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { registryCredentials } from './docker-config.ts';
import { RegistryError } from './registry-error.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-docker-config-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const auth = (text: string): string => Buffer.from(text).toString('base64');

test('the first file that knows a registry counts; users may have a colon in their password', async () => {
  const first = await file('first.json', { auths: { 'a.test': { auth: auth('u:p:q') } } });
  const second = await file('second.json', {
    auths: {
      'a.test': { auth: auth('other:x') },
      'https://legacy.test/v1/': { auth: auth('old:way') },
      'https://index.docker.io/v1/': { auth: auth('hub:x') },
      'token.test': { identitytoken: 'refresh' },
      'plain.test': { username: 'n', password: 'p' },
    },
  });
  const ask = async (registry: string) => {
    const { from: _, ...rest } = (await registryCredentials([first, second], registry)) ?? {};
    return rest;
  };
  assert.deepEqual(await ask('a.test'), { username: 'u', password: 'p:q' });
  assert.deepEqual(await ask('legacy.test'), { username: 'old', password: 'way' });
  assert.deepEqual(await ask('registry-1.docker.io'), { username: 'hub', password: 'x' });
  assert.deepEqual(await ask('token.test'), { identityToken: 'refresh' });
  assert.deepEqual(await ask('plain.test'), { username: 'n', password: 'p' });
  assert.equal(await registryCredentials([join(folder, 'none.json')], 'a.test'), undefined);
  assert.equal(await registryCredentials([await file('empty.json', ' ')], 'a.test'), undefined);
});

test('a file that can not be read is named, and what is in it is not told', async () => {
  for (const content of ['{"auths": MARKER', '"MARKER"', { auths: { 'a.test': { auth: auth('MARKER') } } }]) {
    const path = await file('broken.json', content);
    await assert.rejects(registryCredentials([path], 'a.test'), (error) => {
      assert.ok(error instanceof RegistryError);
      assert.equal(error.diagnosis.code, 'RegistryCredentialsFileInvalid');
      assert.ok(error.message.includes(path) && !JSON.stringify(error.diagnosis).includes('MARKER'));
      return true;
    });
  }
});

test('a helper program is asked, without a shell; one that is not there or fails is named', async () => {
  const program = join(folder, 'docker-credential-tests');
  await writeFile(
    program,
    `#!/bin/sh\nread address\ncase "$address" in\n  a.test) echo '{"Username":"u","Secret":"s"}' ;;\n  t.test) echo '{"Username":"<token>","Secret":"refresh"}' ;;\n  none.test) echo 'credentials not found in native keychain'; exit 1 ;;\n  *) echo MARKER; exit 3 ;;\nesac\n`,
  );
  await chmod(program, 0o755);
  const path = process.env.PATH;
  process.env.PATH = `${folder}:${path}`;
  try {
    const config = await file('helper.json', { credsStore: 'tests', credHelpers: { 'evil.test': 'x; touch pwned' } });
    assert.equal((await registryCredentials([config], 'a.test'))?.password, 's');
    assert.equal((await registryCredentials([config], 't.test'))?.identityToken, 'refresh');
    assert.equal(await registryCredentials([config], 'none.test'), undefined);
    await assert.rejects(registryCredentials([config], 'broken.test'), /docker-credential-tests: exit status 3/);
    await assert.rejects(registryCredentials([config], 'evil.test'), /invalid credential helper/);
    const absent = await file('absent.json', { credsStore: 'not-there' });
    await assert.rejects(registryCredentials([absent], 'a.test'), /docker-credential-not-there/);
  } finally {
    process.env.PATH = path;
  }
});
