import assert from 'node:assert/strict';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { connect } from '@nats-io/transport-node';
import { freePort } from '../../../../scripts/testing/free-ports.ts';
import { Inbox } from '../bus/testing/contract.ts';
import { type ServerProcess, skipWithout, startServer } from '../bus/testing/server-binary.ts';
import { act, connections, payload } from './testing/act.ts';

const port = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port;

describe('triggers', () => {
  after(() => connections.close());

  it('slack posts, and keeps threads together', async () => {
    const posted: Record<string, unknown>[] = [];
    const server = createHttp(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      posted.push(JSON.parse(text) as Record<string, unknown>);
      response.end(JSON.stringify({ ok: true, ts: `t${posted.length}` }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env.SLACK_API_URL = `http://127.0.0.1:${port(server)}/`;
    const slack = {
      slackToken: { name: 's', key: 'k' },
      channel: '#general',
      message: 'hi',
      thread: { messageAggregationKey: 'k' },
    };
    assert.equal(await act({ slack }), 'posted to #general');
    await act({ slack });
    assert.deepEqual(
      posted.map(({ channel, thread_ts }) => [channel, thread_ts]),
      [
        ['general', undefined],
        ['general', 't1'],
      ],
    );
    delete process.env.SLACK_API_URL;
    server.close();
    server.closeAllConnections();
  });

  it('custom hands over to a gRPC server', async () => {
    const calls: [string, string[]][] = [];
    const server = createHttp2();
    server.on('stream', async (stream: ServerHttp2Stream, headers) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      const reader = new BinaryReader(Buffer.concat(chunks).subarray(5));
      const fields: string[] = [];
      while (reader.pos < reader.len) {
        reader.tag();
        fields.push(Buffer.from(reader.bytes()).toString());
      }
      const method = String(headers[':path']).split('/').at(-1) ?? '';
      calls.push([method, fields]);
      const writer = new BinaryWriter();
      const body =
        method === 'ApplyPolicy'
          ? writer.tag(1, 0).bool(true).finish()
          : writer.tag(1, 2).bytes(Buffer.from('{"made":1}')).finish();
      const head = Buffer.alloc(5);
      head.writeUInt32BE(body.length, 1);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.concat([head, body]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const parameters = [{ src: { dependencyName: 'dep', dataKey: 'body.name' }, dest: 'name' }];
    await act({ custom: { serverURL: `127.0.0.1:${port(server)}`, spec: { a: 'b' }, parameters, payload } });
    assert.deepEqual(calls, [
      ['FetchResource', ['"a": "b"\n']],
      ['Execute', ['{"made":1,"name":"web"}', '{"name":"web"}']],
      ['ApplyPolicy', ['{"made":1}']],
    ]);
    server.close();
  });

  describe('nats', { skip: skipWithout('nats-server', 'go install github.com/nats-io/nats-server/v2@latest') }, () => {
    let server: ServerProcess;
    let url: string;
    before(async () => {
      const at = await freePort();
      server = await startServer('nats-server', () => ['-a', '127.0.0.1', '-p', String(at)], /Server is ready/);
      url = `nats://127.0.0.1:${at}`;
    });
    after(async () => {
      await connections.close();
      await server?.stop();
    });
    it('publishes', async () => {
      const connection = await connect({ servers: url });
      const inbox = new Inbox();
      connection.subscribe('out', { callback: (_error, message) => inbox.add(message.string()) });
      await connection.flush();
      assert.equal(await act({ nats: { url, subject: 'out', payload } }), 'published on out');
      assert.deepEqual(await inbox.until(1), ['{"name":"web"}']);
      await connection.close();
    });
  });
});
