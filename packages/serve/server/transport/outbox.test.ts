import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { HttpResponse } from './http-message.ts';
import { Outbox } from './outbox.ts';

/** A client that takes what is written when it is let. */
class SlowClient extends EventEmitter {
  readonly writableEnded = false;
  readonly destroyed = false;
  readonly written: string[] = [];
  takes = true;

  write(text: string): boolean {
    this.written.push(text);
    return this.takes;
  }
}

test('Outbox sends what is put in one turn as one, in its order', async () => {
  const client = new SlowClient();
  const outbox = new Outbox(client as unknown as HttpResponse);
  for (let index = 0; index < 1000; index++) await outbox.put(`${index} `);
  await outbox.flush();
  assert.deepEqual(client.written, [Array.from({ length: 1000 }, (_, index) => `${index} `).join('')]);
  await outbox.put('later');
  await outbox.flush();
  assert.equal(client.written.at(-1), 'later');
});

test('Outbox makes who sends wait for a client that does not take it', async () => {
  const client = new SlowClient();
  client.takes = false;
  const outbox = new Outbox(client as unknown as HttpResponse);
  await outbox.put('first');
  let waited = true;
  const large = outbox.put('x'.repeat(100_000)).then(() => (waited = false));
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([client.written.length, waited], [1, true]);
  client.emit('drain');
  await large;
  await outbox.flush();
  assert.equal(client.written.join('').length, 100_005);
});

test('Outbox ends when the client has gone', async () => {
  const client = new SlowClient();
  client.takes = false;
  const outbox = new Outbox(client as unknown as HttpResponse);
  await outbox.put('first');
  const flushed = outbox.flush();
  await new Promise((resolve) => setImmediate(resolve));
  client.emit('close');
  await flushed;
  assert.deepEqual(client.written, ['first']);
});
