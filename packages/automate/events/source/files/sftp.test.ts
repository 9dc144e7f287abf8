import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../../../scripts/testing/free-ports.ts';
import { type ServerProcess, skipWithout, startServer } from '../../bus/testing/server-binary.ts';
import { startSource } from '../testing/started-source.ts';

/** A private key as OpenSSH reads it, and its public one for `authorized_keys`. */
function keyPair(): { pem: string; line: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const field = (bytes: Buffer) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(bytes.length);
    return Buffer.concat([head, bytes]);
  };
  // a number whose first bit is set would be a negative one
  const number = (text: string) => field(Buffer.concat([Buffer.alloc(1), Buffer.from(text, 'base64url')]));
  const blob = Buffer.concat([field(Buffer.from('ssh-rsa')), field(Buffer.from(e, 'base64url')), number(n)]);
  return {
    pem: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    line: `ssh-rsa ${blob.toString('base64')}\n`,
  };
}

describe('SFTP, by OpenSSH', { skip: skipWithout('sshd', 'apt install openssh-server') }, () => {
  let server: ServerProcess | undefined;
  let directory: string;
  let address: string;
  const own = keyPair();
  before(async () => {
    const port = await freePort();
    address = `127.0.0.1:${port}`;
    directory = mkdtempSync(join(tmpdir(), 'tiphys-sftp-'));
    // where its processes without rights live; only root's server asks for it
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
    server = await startServer(
      'sshd',
      (folder) => {
        writeFileSync(join(folder, 'host'), keyPair().pem, { mode: 0o600 });
        writeFileSync(join(folder, 'keys'), own.line);
        const lines = [
          ...[`ListenAddress ${address}`, `HostKey ${folder}/host`, `AuthorizedKeysFile ${folder}/keys`],
          ...['StrictModes no', 'UsePAM no', 'PidFile none', 'PermitRootLogin yes', 'Subsystem sftp internal-sftp'],
        ];
        writeFileSync(join(folder, 'config'), `${lines.join('\n')}\n`);
        return ['-D', '-e', '-f', join(folder, 'config')];
      },
      /Server listening/,
    );
  });
  after(async () => {
    await server?.stop();
    if (directory) rmSync(directory, { recursive: true });
  });

  it('tells of files that come, change and go', async (context) => {
    const key = (name: string) => ({ name: 's', key: name });
    const spec = {
      eventType: 'CREATE|WRITE|CHMOD|REMOVE',
      watchPathConfig: { directory, pathRegexp: '\\.txt$' },
      address: key('address'),
      username: key('user'),
      sshKeySecret: key('key'),
      pollIntervalDuration: '10ms',
    };
    const secrets = { address, user: `${userInfo().username}\n`, key: own.pem };
    const source = await startSource('sftp', spec, secrets);
    context.after(() => source.close());
    const seen = async (count: number) => {
      const { name, op } = JSON.parse((await source.inbox.until(count))[count - 1] ?? '') as {
        name: string;
        op: number;
      };
      return [name, op];
    };
    const file = join(directory, 'a.txt');
    writeFileSync(join(directory, 'a.swp'), 'x');
    writeFileSync(file, 'x');
    assert.deepEqual(await seen(1), [file, 1]);
    writeFileSync(file, 'longer');
    assert.deepEqual(await seen(2), [file, 2]);
    chmodSync(file, 0o600);
    assert.deepEqual(await seen(3), [file, 16]);
    rmSync(file);
    assert.deepEqual(await seen(4), [file, 4]);
  });

  it('fails where the server does not know the key', async () => {
    const key = (name: string) => ({ name: 's', key: name });
    const secrets = { address, user: userInfo().username, key: keyPair().pem };
    const watchPathConfig = { directory, path: 'a' };
    const spec = {
      eventType: 'CREATE',
      watchPathConfig,
      address: key('address'),
      username: key('user'),
      sshKeySecret: key('key'),
    };
    await assert.rejects(startSource('sftp', spec, secrets), /authentication/i);
  });
});
