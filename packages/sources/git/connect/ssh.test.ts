import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { freePort } from '../../../../scripts/testing/free-ports.ts';
import { GitRepositories } from '../git-repositories.ts';
import { TestRepository } from '../testing/index.ts';

const sshd = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find(existsSync);
const skip = sshd && spawnSync('ssh', ['-V']).status === 0 ? false : 'needs ssh and sshd';
const folder = mkdtempSync(join(tmpdir(), 'tiphys-ssh-'));
const stop: (() => void)[] = [];

after(() => {
  for (const end of stop) end();
  rmSync(folder, { recursive: true, force: true });
});

function keyPair(name: string): string {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  return readFileSync(join(folder, name), 'utf8');
}

async function answers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail('sshd did not start');
}

/** A SOCKS 5 proxy that wants user name and password; returns its port. */
async function startSocks(reached: string[], user: string, password: string): Promise<number> {
  return await listen((socket) => {
    const steps: ((data: Buffer) => void)[] = [
      () => socket.write(Buffer.from([5, 2])),
      (data) => {
        const name = data.subarray(2, 2 + (data[1] ?? 0)).toString();
        const secret = data.subarray(3 + name.length).toString();
        socket.write(Buffer.from([1, name === user && secret === password ? 0 : 1]));
      },
      (data) => {
        const host = data.subarray(5, 5 + (data[4] ?? 0)).toString();
        forward(socket, host, data.readUInt16BE(5 + host.length), reached, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      },
    ];
    const next = (data: Buffer) => {
      const step = steps.shift();
      if (steps.length === 0) socket.off('data', next);
      step?.(data);
    };
    socket.on('data', next);
  });
}

/** A proxy that knows CONNECT alone. */
async function startConnect(reached: string[]): Promise<number> {
  return await listen((socket) => {
    socket.once('data', (data) => {
      const [host = '', port] = (/^CONNECT (\S+)/.exec(data.toString())?.[1] ?? '').split(':');
      forward(socket, host, Number(port), reached, Buffer.from('HTTP/1.1 200 OK\r\n\r\n'));
    });
  });
}

function forward(socket: Socket, host: string, port: number, reached: string[], answer: Buffer): void {
  reached.push(`${host}:${port}`);
  const upstream = connect({ host, port }, () => {
    socket.write(answer);
    socket.pipe(upstream);
    upstream.pipe(socket);
  });
  upstream.on('error', () => socket.destroy());
}

async function listen(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  stop.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('repositories are read by SSH with a key and known hosts; what fails says which of them', { skip }, async () => {
  keyPair('host');
  const client = keyPair('client');
  const stranger = keyPair('stranger');
  const port = await freePort();
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  writeFileSync(join(folder, 'authorized'), readFileSync(join(folder, 'client.pub')));
  writeFileSync(
    join(folder, 'sshd_config'),
    `ListenAddress 127.0.0.1\nPort ${port}\nHostKey ${join(folder, 'host')}\nAuthorizedKeysFile ${join(folder, 'authorized')}\nStrictModes no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin yes\n`,
  );
  const daemon = spawn(sshd ?? '', ['-D', '-e', '-f', join(folder, 'sshd_config')], { stdio: 'ignore' });
  stop.push(() => daemon.kill());
  await answers(port);

  const origin = new TestRepository(join(folder, 'shop'));
  const head = origin.commit({ 'a.yaml': 'a: 1\n' });
  const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
  const url = `ssh://${userInfo().username}@127.0.0.1:${port}${origin.path}`;
  const knownHosts = `[127.0.0.1]:${port} ${readFileSync(join(folder, 'host.pub'), 'utf8')}`;
  const causeOf = async (credentials: object, at = url) => {
    const error = await git.resolve({ url: at, credentials }, 'main').then(
      () => assert.fail('it was read'),
      (caught: unknown) => caught,
    );
    assert.ok(error instanceof DiagnosisError, String(error));
    return `${error.diagnosis.cause} ${error.diagnosis.message}`;
  };
  try {
    const repository = { url, credentials: { sshPrivateKey: client.trimEnd(), knownHosts } };
    assert.equal((await git.resolve(repository, 'main')).commit, head);
    const tree = await git.open(repository, head);
    assert.equal(Buffer.from(await tree.read('a.yaml')).toString(), 'a: 1\n');
    assert.equal(
      (await git.resolve({ url, credentials: { sshPrivateKey: client, insecure: true } }, 'main')).commit,
      head,
    );

    const named = {
      url: url.replace('127.0.0.1', 'localhost'),
      credentials: { sshPrivateKey: client, knownHosts: knownHosts.replace('127.0.0.1', 'localhost') },
    };
    assert.equal((await git.resolve(named, 'main')).commit, head, 'by its address, with the key of its name');

    assert.match(
      await causeOf({ sshPrivateKey: stranger, knownHosts }),
      /^R1 .*refused the credential \(SSH private key\)/,
    );
    assert.match(await causeOf({ sshPrivateKey: client }), /^R4 The SSH host key of 127\.0\.0\.1 is not known/);
    const other = readFileSync(join(folder, 'stranger.pub'), 'utf8');
    assert.match(
      await causeOf({ sshPrivateKey: client, knownHosts: `[127.0.0.1]:${port} ${other}` }),
      /^R4 The SSH host 127\.0\.0\.1 shows another key \(ED25519 SHA256:/,
    );
    assert.match(await causeOf({ sshPrivateKey: client, knownHosts }, `${url}-nothing`), /^R2 /);
    const reached: string[] = [];
    const socks = await startSocks(reached, 'u', 'p w');
    const http = await startConnect(reached);
    for (const proxy of [`socks5://u:p%20w@127.0.0.1:${socks}`, `http://127.0.0.1:${http}`]) {
      reached.length = 0;
      assert.equal(
        (await git.resolve({ url, credentials: { ...repository.credentials, proxy } }, 'main')).commit,
        head,
      );
      assert.deepEqual(reached, [`127.0.0.1:${port}`], proxy);
      const exempt = { ...repository.credentials, proxy, noProxy: 'example.com,127.0.0.1' };
      await git.resolve({ url, credentials: exempt }, 'main');
      assert.equal(reached.length, 1, 'not where it is exempt');
    }
    assert.match(
      await causeOf({ sshPrivateKey: client, knownHosts, proxy: `socks5://u:wrong@127.0.0.1:${socks}` }),
      /the SOCKS proxy refused user name and password/,
    );

    const hashed = join(folder, 'hashed');
    writeFileSync(hashed, knownHosts);
    execFileSync('ssh-keygen', ['-q', '-H', '-f', hashed]);
    const withHash = { sshPrivateKey: client, knownHosts: readFileSync(hashed, 'utf8') };
    assert.ok(withHash.knownHosts.startsWith('|1|'));
    assert.equal((await git.resolve({ url, credentials: withHash }, 'main')).commit, head, 'hashed names of hosts');
  } finally {
    await git.close();
  }
});
