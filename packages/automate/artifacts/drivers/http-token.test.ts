import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openStore } from '../index.ts';

for (const [type, answer] of [
  ['application/json', '{"access_token": "given", "token_type": "bearer"}'],
  ['text/plain', 'access_token=given&token_type=bearer\n'],
  ['application/x-www-form-urlencoded', 'token_type=bearer&access_token=given'],
] as const)
  test(`a token that a provider gives as ${type} is used`, async (t) => {
    const server = createServer((request, response) => {
      if (request.url === '/token') return void response.setHeader('content-type', type).end(answer);
      response.statusCode = request.headers.authorization === 'Bearer given' ? 200 : 401;
      response.end('content');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const secrets = new Map([
      ['id', 'client'],
      ['secret', 'known'],
      ['url', `${url}/token`],
    ]);
    const reference = (key: string) => ({ name: 's', key });
    const oauth2 = {
      clientIDSecret: reference('id'),
      clientSecretSecret: reference('secret'),
      tokenURLSecret: reference('url'),
    };
    const store = await openStore(
      { http: { url: `${url}/file`, auth: { oauth2 } } },
      { ambient: false, secret: async ({ key }) => secrets.get(key) ?? '' },
    );
    assert.equal(await text(await store.read()), 'content');
    await store.close();
  });
