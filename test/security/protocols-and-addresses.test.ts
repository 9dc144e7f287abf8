import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { startTestServer } from '../../packages/serve/server/testing/start-test-server.ts';
import { HttpClient } from '../../packages/sources/registry/http/http-client.ts';

/** One gRPC message of a request; `compressed` says so in its flag. */
function frame(message: Uint8Array, compressed: boolean): Buffer {
  const head = Buffer.alloc(5);
  head[0] = compressed ? 1 : 0;
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Status and message of a unary gRPC call. The body is never ended, as by a client that has much more to send. */
async function ask(url: string, path: string, body: Uint8Array, headers: Record<string, string> = {}) {
  const session = connect(url);
  session.on('error', () => undefined);
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc+proto',
      te: 'trailers',
      ...headers,
    });
    stream.on('error', () => undefined);
    stream.write(body);
    return await new Promise<{ status: number; message: string }>((resolve, reject) => {
      const look = (found: Record<string, unknown>) => {
        if (found['grpc-status'] === undefined) return;
        resolve({
          status: Number(found['grpc-status']),
          message: decodeURIComponent(String(found['grpc-message'] ?? '')),
        });
      };
      stream.on('response', look);
      stream.on('trailers', look);
      stream.on('close', () => reject(new Error('closed without a status')));
      stream.resume();
    });
  } finally {
    session.destroy();
  }
}

const create = '/application.ApplicationService/Create';
const gzip = { 'grpc-encoding': 'gzip' };

describe('gRPC', () => {
  test('says who may not call before it reads what they send', async (t) => {
    const { server } = await startTestServer(t);
    const bomb = frame(gzipSync(Buffer.alloc(150 << 20)), true);
    // the first bytes of the message alone: who reads before it asks would wait for the rest
    for (const headers of [gzip, { ...gzip, token: 'a.b.c' }, { ...gzip, authorization: 'Bearer a.b.c' }]) {
      const { status } = await ask(server.url, create, bomb.subarray(0, 1000), headers);
      assert.equal(status, 16);
    }
    assert.equal((await ask(server.url, create, bomb, gzip)).status, 16);
  });

  test('reads little from strangers where anybody may call', async (t) => {
    const { server } = await startTestServer(t);
    const login = '/session.SessionService/Create';
    const { status, message } = await ask(server.url, login, frame(Buffer.alloc(100_000), false));
    assert.deepEqual([status, message], [8, 'a request without a token has at most 65536 bytes']);
  });

  test('gives up on what unfolds to much more than its size, and on messages longer than the method needs', async (t) => {
    const { server, login } = await startTestServer(t);
    const headers = { token: await login() };
    const bomb = frame(gzipSync(Buffer.alloc(3 << 20)), true);
    const refused = await ask(server.url, create, bomb, { ...headers, ...gzip });
    assert.equal(refused.status, 8);
    assert.match(refused.message, /larger than configured/);
    const long = await ask(server.url, create, frame(Buffer.alloc(5 << 20), false).subarray(0, 1000), headers);
    assert.equal(long.status, 8);
    const brotli = await ask(server.url, create, bomb, { ...headers, 'grpc-encoding': 'br' });
    assert.equal(brotli.status, 12);
  });
});

describe('What a source names', () => {
  const metadata = ['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]', '0.0.0.0', '2852039166'];

  test('leads git to no link-local or unspecified address', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-outbound-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const git = new GitRepositories({ cacheDir: folder });
    t.after(() => git.close());
    for (const host of metadata)
      for (const url of [
        `http://${host}/team/shop.git`,
        `https://${host}/shop`,
        `ssh://git@${host}/shop`,
        `git://${host}/shop`,
      ])
        await assert.rejects(git.resolve({ url }, 'HEAD'), (error: unknown) => {
          assert.ok(error instanceof DiagnosisError, url);
          assert.match(error.diagnosis.code, /^(AddressRefused|InvalidRepositoryUrl)$/, url);
          return true;
        });
  });

  test('leads registries there neither, nor does a redirect', async (t) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response
        .writeHead(302, { location: `http://${metadata[asked.length % metadata.length]}/latest/meta-data` })
        .end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.yaml`;
    const client = new HttpClient({ attempts: 1 });
    for (const target of [url, url, url, ...metadata.map((host) => `http://${host}/`)])
      await assert.rejects(client.send({ url: target, access: {}, maxBytes: 100 }), /not connected to/, target);
    assert.equal(asked.length, 3);
  });
});
