import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { RequestError } from './client.ts';
import { readJsonLines } from './json-lines.ts';

async function serving(t: TestContext, status: number, parts: readonly string[]): Promise<string> {
  const server = createServer((_request, response) => {
    response.statusCode = status;
    for (const part of parts) response.write(part);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function read(url: string): Promise<number[]> {
  const items: number[] = [];
  await readJsonLines<number>(url, new AbortController().signal, (more) => items.push(...more));
  return items;
}

test('readJsonLines() reads lines and events that are cut anywhere, and the last without an end', async (t) => {
  const url = await serving(t, 200, [
    '{"result":1}\n{"res',
    'ult":2}\n:\n\ndata: {"result":3} \n\nda',
    'ta: {"result":4}',
  ]);
  assert.deepEqual(await read(url), [1, 2, 3, 4]);
});

test('readJsonLines() throws what the server refuses, after what came before', async (t) => {
  const items: number[] = [];
  const url = await serving(t, 200, [
    '{"result":1}\n{"error":{"http_code":400,"message":"too many pods"}}\n{"result":2}\n',
  ]);
  await assert.rejects(
    readJsonLines<number>(url, new AbortController().signal, (more) => items.push(...more)),
    (error: RequestError) => error.status === 400 && error.message === 'too many pods',
  );
  assert.deepEqual(items, [1]);
  const refused = await serving(t, 403, ['{"code":7,"message":"permission denied"}']);
  await assert.rejects(read(refused), new RequestError(403, 'permission denied'));
});
