import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { BodyBudget } from './body-budget.ts';

test('one address gets half of the room, others the rest, and what was read gives it back', async (t) => {
  const budget = new BodyBudget(4_000);
  const server = createServer(async (incoming, response) => {
    const body = await budget.read(incoming, 2_000);
    response.end(body ? String(body.length) : 'refused');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Sends so many bytes from the address, and the rest of the body when it is told to. */
  const send = async (localAddress: string, bytes: number) => {
    const outgoing = request({ port, host: '127.0.0.1', localAddress, method: 'POST' });
    const answer = once(outgoing, 'response').then(async ([response]) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      return text;
    });
    await new Promise((resolve) => outgoing.write(Buffer.alloc(bytes), resolve));
    const end = () => {
      outgoing.end();
      return answer;
    };
    return { answer, end };
  };
  const first = await send('127.0.0.2', 1_900);
  // the server has it once it can answer another on a connection that came later
  assert.equal(await (await send('127.0.0.3', 10)).end(), '10');
  const second = await send('127.0.0.2', 1_000);
  assert.equal(await second.answer, 'refused');
  const other = await send('127.0.0.3', 1_900);
  assert.equal(await other.end(), '1900');
  assert.equal(await first.end(), '1900');
  assert.equal(await (await send('127.0.0.2', 1_900)).end(), '1900');
  assert.equal(await (await send('127.0.0.2', 2_001)).answer, 'refused');
});
