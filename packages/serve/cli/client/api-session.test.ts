import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ApiSession, RequestError } from './api-session.ts';

test('a refusal keeps its words and status, and the remedies of the diagnoses that come with it', async (t) => {
  const value = {
    code: 'EventNotSent',
    message: 'no',
    remedies: [{ text: 'Name one of them', paste: 'x' }, { odd: 1 }],
  };
  const answers = [
    JSON.stringify({ message: 'Nothing was sent', details: [{ '@type': 'Struct', value }, null, { value: {} }] }),
    JSON.stringify({ error: 'refused', details: 'odd' }),
    'no JSON',
  ];
  const server = createServer((_, response) => response.writeHead(400).end(answers.shift()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const session = new ApiSession(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const refused = async () => {
    const error = await session.request('GET', '/x').then(
      () => assert.fail('it was answered'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof RequestError);
    assert.equal(error.status, 400);
    const { message, remedies } = error.diagnosis;
    return [message, remedies];
  };
  assert.deepEqual(await refused(), ['Nothing was sent', [{ text: 'Name one of them', paste: 'x' }]]);
  assert.deepEqual(await refused(), ['refused', []]);
  assert.deepEqual(await refused(), ['no JSON', []]);
});

test('what is no address of a server is refused as that', () => {
  assert.throws(() => new ApiSession('http://[bad'), /"http:\/\/\[bad" is no address of a server/);
});
