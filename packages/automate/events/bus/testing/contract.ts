import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import type { Bus, ConsumerOptions, Delivery } from '../bus.ts';

/** How a test gets a bus. Each call is another connection to the same one. */
export interface BusUnderTest {
  open(): Promise<Bus>;
}

const timeout = 120_000;

/** Collects what a consumer gets, and waits for it. */
export class Inbox {
  readonly bodies: string[] = [];
  #waiting: { count: number; done: () => void }[] = [];

  add(body: string): void {
    this.bodies.push(body);
    for (const { count, done } of this.#waiting) if (this.bodies.length >= count) done();
  }

  async until(count: number): Promise<readonly string[]> {
    if (this.bodies.length >= count) return this.bodies;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => reject(new Error(`got ${JSON.stringify(this.bodies)}, waited for ${count}`)),
      timeout,
    );
    this.#waiting.push({ count, done: resolve });
    await promise.finally(() => clearTimeout(timer));
    return this.bodies;
  }
}

const random = () => randomBytes(4).toString('hex');
const options = (
  source: string,
  onMessage: (delivery: Delivery) => Promise<void>,
  durable = `d${random()}`,
): ConsumerOptions => ({
  durable,
  eventSourceName: source,
  eventName: 'e',
  onMessage,
  onError: () => undefined,
});
const message = (eventSourceName: string, value: string, id = random()) => ({
  eventSourceName,
  eventName: 'e',
  id,
  // some buses find out of the envelope whom a message is for
  body: JSON.stringify({ source: eventSourceName, subject: 'e', value }),
});
const valueOfBody = (body: string) => (JSON.parse(body) as { value: string }).value;

/** What every bus must do, as tests. */
export function busContract(under: () => BusUnderTest): void {
  it('delivers in order, what comes after the consumer was made', async () => {
    const bus = await under().open();
    const source = `s${random()}`;
    await bus.publish(message(source, '"before"'));
    const inbox = new Inbox();
    await bus.consume(
      options(source, async (delivery) => {
        await delivery.ack();
        inbox.add(valueOfBody(delivery.body));
      }),
    );
    for (let i = 0; i < 20; i++) await bus.publish(message(source, String(i)));
    await bus.publish(message(`${source}x`, '"elsewhere"'));
    assert.deepEqual(
      await inbox.until(20),
      Array.from({ length: 20 }, (_, i) => String(i)),
    );
    await bus.close();
  });

  it('keeps the place of a consumer while it is away', async () => {
    const bus = await under().open();
    const [source, durable] = [`s${random()}`, `d${random()}`];
    const inbox = new Inbox();
    const take = async (delivery: Delivery) => {
      await delivery.ack();
      inbox.add(valueOfBody(delivery.body));
    };
    const consumer = await bus.consume(options(source, take, durable));
    await bus.publish(message(source, '1'));
    await inbox.until(1);
    await consumer.close();
    await bus.publish(message(source, '2'));
    await bus.close();
    const again = await under().open();
    await again.consume(options(source, take, durable));
    assert.deepEqual(await inbox.until(2), ['1', '2']);
    await again.close();
  });

  it('delivers again what was not acknowledged', async () => {
    const bus = await under().open();
    const source = `s${random()}`;
    const inbox = new Inbox();
    let failures = 2;
    await bus.consume(
      options(source, async (delivery) => {
        inbox.add(`${valueOfBody(delivery.body)} ${failures}`);
        if (failures-- > 0) throw new Error('not yet');
        await delivery.ack();
      }),
    );
    await bus.publish(message(source, '1'));
    assert.deepEqual(await inbox.until(3), ['1 2', '1 1', '1 0']);
    await bus.close();
  });

  it('hands on nothing behind a message that was not acknowledged', async () => {
    const bus = await under().open();
    const source = `s${random()}`;
    const inbox = new Inbox();
    let failures = 1;
    await bus.consume(
      options(source, async (delivery) => {
        const value = valueOfBody(delivery.body);
        inbox.add(value);
        if (value === '2' && failures-- > 0) throw new Error('not yet');
        await delivery.ack();
      }),
    );
    for (let i = 0; i < 5; i++) await bus.publish(message(source, String(i)));
    assert.deepEqual(await inbox.until(6), ['0', '1', '2', '2', '3', '4']);
    await bus.close();
  });

  it('gives each durable consumer every message', async () => {
    const bus = await under().open();
    const source = `s${random()}`;
    const inboxes = [new Inbox(), new Inbox()];
    for (const inbox of inboxes)
      await bus.consume(
        options(source, async (delivery) => {
          await delivery.ack();
          inbox.add(valueOfBody(delivery.body));
        }),
      );
    await bus.publish(message(source, '1'));
    for (const inbox of inboxes) assert.deepEqual(await inbox.until(1), ['1']);
    await bus.close();
  });

  it('keeps state of sensors', async () => {
    const bus = await under().open();
    const sensor = `sensor-${random()}`;
    const state = await bus.state(sensor);
    await state.put('a/dep-1', '{"x":1}');
    await state.put('b/dep-2', '2');
    await state.put('a/dep-1', '{"x":2}');
    await state.delete('b/dep-2');
    await bus.close();
    const again = await under().open();
    assert.deepEqual([...(await (await again.state(sensor)).entries())], [['a/dep-1', '{"x":2}']]);
    await again.close();
  });
}

/** For buses that know the ids of messages: the same one twice is one message. */
export function duplicateContract(under: () => BusUnderTest): void {
  it('stores a message with the id of another one once', async () => {
    const bus = await under().open();
    const source = `s${random()}`;
    const inbox = new Inbox();
    await bus.consume(
      options(source, async (delivery) => {
        await delivery.ack();
        inbox.add(valueOfBody(delivery.body));
      }),
    );
    const id = random();
    for (const body of ['1', '1', '1']) await bus.publish(message(source, body, id));
    await bus.publish(message(source, '2'));
    assert.deepEqual(await inbox.until(2), ['1', '2']);
    await bus.close();
  });
}
