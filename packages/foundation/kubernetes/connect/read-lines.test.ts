import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeApiServer } from '../fake-api-server.ts';
import { connect } from './api-client.ts';
import { readLines } from './read-lines.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const parts = { longest: 8, longer: 'parts' } as const;

test('lines are those of the text, however it comes in', async () => {
  for (const size of [1, 2, 3, 7, 100])
    assert.deepEqual(await Array.fromAsync(readLines(inPieces('one\n\ntwø\nthree', size))), [
      'one',
      '',
      'twø',
      'three',
    ]);
});

test('a line that is too long is given in parts that are cut between characters', async () => {
  for (const text of ['0123456789abcdefg\nx\n', '1234567ø😀ø😀ø😀\n', '😀'.repeat(9)]) {
    for (const size of [1, 3, 100]) {
      const lines = await Array.fromAsync(readLines(inPieces(text, size), parts));
      assert.equal(lines.join(''), text.replaceAll('\n', ''));
      for (const line of lines) assert.ok(Buffer.byteLength(line) <= 8 && !line.includes('\ufffd'), line);
    }
  }
  const noText = Buffer.alloc(64, 0xbf);
  assert.ok(
    (
      await Array.fromAsync(
        readLines(
          (async function* () {
            yield noText;
          })(),
          parts,
        ),
      )
    ).length <= 12,
  );
});

test('a line without an end keeps no more of it than the longest, or ends the stream where it can have no parts', async () => {
  let given = 0;
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      given += 65_536;
      yield Buffer.alloc(65_536, 'x');
    }
  };
  for await (const line of readLines(endless())) {
    assert.equal(line.length, 1 << 20);
    break;
  }
  assert.ok(given <= 2 << 20, String(given));
  await assert.rejects(
    Array.fromAsync(readLines(endless(), { longest: 1 << 20, longer: () => new Error('too long') })),
    /too long/,
  );
});

test('an API server whose event never ends is told apart, and is not read further', async (t) => {
  const piece = Buffer.alloc(1 << 20, 'x');
  const server = await startFakeApiServer((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more).on('error', () => undefined);
    more();
  });
  t.after(() => server.close());
  const client = connect({ server: server.url }, { caller: { component: 'test', purpose: 'watches' } });
  t.after(() => client.close());
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n' };
  const watch = client.watch(ref, { resourceVersion: '1', signal: new AbortController().signal });
  await assert.rejects(Array.fromAsync(watch), { name: 'DiagnosisError', message: /more than 64 MiB as an event of / });
});

test('a name that leads to another path is refused before anything is sent', async (t) => {
  const server = await startFakeApiServer((_request, response) => {
    response.end('{}');
  });
  t.after(() => server.close());
  const client = connect({ server: server.url }, { caller: { component: 'test', purpose: 'names' } });
  t.after(() => client.close());
  const of = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
  const refused = { name: 'ApiError', status: 400, message: /invalid name "\.\.?" in the path of a request/ };
  for (const [namespace, name] of [
    ['..', 'a'],
    ['n', '..'],
    ['n', '.'],
  ] as const) {
    await assert.rejects(client.get(of(namespace, name)), refused);
    await assert.rejects(client.delete(of(namespace, name)), refused);
    await assert.rejects(Array.fromAsync(client.logs({ namespace, name })), refused);
    await assert.rejects(client.terminal({ namespace, name }, { command: ['sh'] } as never), refused);
  }
  await client.get(of('n', '..a'));
  assert.deepEqual(
    server.requests.map(({ path }) => path),
    ['/api/v1/namespaces/n/configmaps/..a'],
  );
});
