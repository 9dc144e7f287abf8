import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createDeflate } from 'node:zlib';
import type { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { systemClock } from '@tiphys/kubernetes';
import { startGitServer, TestRepository } from '../../packages/sources/git/testing/index.ts';

const fetchTimeout = 123_456;

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-hostile-git-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function listen(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const packet = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, '0')), content]);
const inBand = (content: Buffer): Buffer => packet(Buffer.concat([Buffer.from([1]), content]));

/** A pack of one blob that says it has a terabyte, for as long as somebody reads it; `onSent` hears how many bytes went out. */
function sendEndlessPack(response: ServerResponse, onSent: (bytes: number) => void): void {
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
  const size = [0xb0 | 0x0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
  response.write(packet(Buffer.from('packfile\n')));
  response.write(inBand(Buffer.from([...Buffer.from('PACK'), 0, 0, 0, 2, 0, 0, 0, 1, ...size])));
  const packed = createDeflate({ level: 0 });
  let sent = 0;
  packed.on('data', (chunk: Buffer) => {
    sent += chunk.length;
    onSent(sent);
    if (response.write(inBand(chunk))) return;
    packed.pause();
    response.once('drain', () => packed.resume());
  });
  // git packs again what it writes: only what does not get smaller fills the disk
  const block = randomBytes(64 * 1024);
  const feed = () => {
    if (!response.destroyed) packed.write(block, feed);
  };
  response.on('close', () => packed.destroy());
  packed.on('error', () => response.destroy());
  feed();
}

/** Hands a request on to an honest server. */
function pass(to: string, asked: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const { method, headers } = asked;
  requestHttp(`${to}${asked.url}`, { method, headers: { ...headers, 'content-length': body.length } }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  })
    .on('error', () => response.destroy())
    .end(body);
}

test('a pack that never ends is given up in its time, and leaves nothing on the disk', async (t) => {
  const folder = temporary(t);
  const commit = new TestRepository(join(folder, 'shop')).commit({ 'a.yaml': 'a: 1\n' });
  const honest = await startGitServer(folder);
  t.after(() => honest.close());
  const flowing = Promise.withResolvers<void>();
  const url = await listen(
    t,
    createServer((asked, response) => {
      void buffer(asked).then((body) => {
        if (!body.includes('command=fetch')) return pass(honest.url, asked, body, response);
        sendEndlessPack(response, (bytes) => bytes > 8 * 1024 * 1024 && flowing.resolve());
      });
    }),
  );
  const cacheDir = join(folder, 'cache');
  const clock = {
    ...systemClock,
    now: () => systemClock.now(),
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      milliseconds === fetchTimeout
        ? Promise.race([flowing.promise, systemClock.sleep(milliseconds, signal)])
        : systemClock.sleep(milliseconds, signal),
  };
  const git = new GitRepositories({ cacheDir, clock, timeouts: { fetch: fetchTimeout } });
  t.after(() => git.close());
  await git.resolve({ url: `${url}/shop` }, 'HEAD');
  await assert.rejects(git.open({ url: `${url}/shop` }, commit), /did not finish within|GitTimeout/);
  const left = readdirSync(cacheDir, { recursive: true, encoding: 'utf8' }).filter((name) => /tmp_|\.lock$/.test(name));
  assert.deepEqual(left, []);
});

/** A server that answers honestly but to the requests whose body says so. */
async function between(
  t: TestContext,
  honest: string,
  command: string,
  answer: (response: ServerResponse) => void,
): Promise<string> {
  return listen(
    t,
    createServer((asked, response) => {
      void buffer(asked).then((body) =>
        body.includes(command) ? answer(response) : pass(honest, asked, body, response),
      );
    }),
  );
}

test('a list of refs that never ends is given up before it fills the memory', async (t) => {
  const folder = temporary(t);
  new TestRepository(join(folder, 'shop')).commit({ 'a.yaml': 'a: 1\n' });
  const honest = await startGitServer(folder);
  t.after(() => honest.close());
  const url = await between(t, honest.url, 'command=ls-refs', (response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
    let count = 0;
    const refs = () => {
      const lines = Array.from({ length: 500 }, () => {
        count += 1;
        return packet(Buffer.from(`${'ab'.repeat(20)} refs/heads/${String(count).padStart(200, 'x')}\n`));
      });
      // a look at the clock between two writes: the other end of the connection is guarded by this process
      if (!response.destroyed) response.write(Buffer.concat(lines), () => setImmediate(refs));
    };
    refs();
  });
  const git = new GitRepositories({ cacheDir: join(folder, 'cache'), limits: { refs: 64 * 1024 ** 2 } });
  t.after(() => git.close());
  await assert.rejects(git.resolve({ url: `${url}/shop` }, 'HEAD'), (error: DiagnosisError) => {
    assert.equal(error.diagnosis.code, 'GitAnswerTooLarge');
    assert.match(error.diagnosis.message, /git ls-remote took \d+ MiB of memory; the limit is 64 MiB/);
    assert.equal(error.diagnosis.place?.remote, `${url}/shop`);
    return true;
  });
});

test('a fetch of more than the limit is given up, and leaves nothing on the disk', async (t) => {
  const folder = temporary(t);
  const commit = new TestRepository(join(folder, 'shop')).commit({ 'a.yaml': 'a: 1\n' });
  const honest = await startGitServer(folder);
  t.after(() => honest.close());
  const url = await between(t, honest.url, 'command=fetch', (response) => sendEndlessPack(response, () => {}));
  const cacheDir = join(folder, 'cache');
  const git = new GitRepositories({ cacheDir, limits: { fetch: 4 * 1024 ** 2 } });
  t.after(() => git.close());
  await git.resolve({ url: `${url}/shop` }, 'HEAD');
  await assert.rejects(git.open({ url: `${url}/shop` }, commit), /git fetch took \d+ MiB of disk; the limit is 4 MiB/);
  const left = readdirSync(cacheDir, { recursive: true, encoding: 'utf8' }).filter((name) => /tmp_|\.lock$/.test(name));
  assert.deepEqual(left, []);
});

test('a redirect takes neither git nor the credentials of a repository anywhere', async (t) => {
  const elsewhere: (string | undefined)[] = [];
  const thief = await listen(
    t,
    createServer((asked, response) => {
      elsewhere.push(asked.headers.authorization);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    }),
  );
  const targets = [
    `${thief}/shop`,
    `${thief.replace('127.0.0.1', 'localhost')}/shop`,
    'file:///etc',
    'ssh://git@127.0.0.1/x',
    'ext::sh -c id',
  ];
  for (const target of targets)
    for (const status of [301, 302, 307, 308]) {
      const url = await listen(
        t,
        createServer((asked, response) => {
          asked.resume();
          response.writeHead(status, { location: `${target}/info/refs?service=git-upload-pack` }).end();
        }),
      );
      const git = new GitRepositories({ cacheDir: temporary(t) });
      for (const credentials of [{ username: 'me', password: 'TELLTALE' }, { bearerToken: 'TELLTALE' }])
        await assert.rejects(git.resolve({ url: `${url}/shop`, credentials }, 'HEAD'), (error: Error) => {
          assert.match(error.message, /redirect|moved|another address/i, `${status} ${target}`);
          assert.doesNotMatch(error.message, /TELLTALE/);
          return true;
        });
      await git.close();
    }
  assert.deepEqual(elsewhere, []);
});
