import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ManualClock } from '@tiphys/sandbox';
import { EmbeddedBus } from '../bus/embedded/embedded-bus.ts';
import { EventLog } from '../bus/embedded/event-log.ts';
import { encodeEvent } from '../event/cloud-event.ts';
import type { Dependency, Sensor, SensorSpec, Trigger, TriggerTemplate } from '../spec/sensor.ts';
import { Journal } from '../trace/journal.ts';
import { SensorRunner, type SensorRunnerOptions } from './sensor-runner.ts';

const soon = async () => {
  for (let i = 0; i < 40; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** A sensor on a bus of its own, and what it did: seconds since the start, the trigger, the ids of its events. */
class Running {
  readonly clock: ManualClock;
  readonly done: string[] = [];
  readonly failed: string[] = [];
  readonly logged: string[] = [];
  readonly #log = new EventLog(':memory:', { now: () => 0, onError: (error) => assert.fail(String(error)) });
  readonly #bus: EmbeddedBus;
  #runner: SensorRunner | undefined;
  #sent = 0;

  constructor(context: TestContext, start: string) {
    this.clock = new ManualClock(start);
    this.#bus = new EmbeddedBus(this.#log, 'ns/default', this.clock);
    context.after(async () => {
      await this.#runner?.close();
      await this.#bus.close();
      this.#log.close();
    });
    this.#start = this.clock.now();
  }

  readonly #start: number;

  get problems() {
    return this.#runner?.problems;
  }

  async run(spec: SensorSpec, closedFor = 0): Promise<void> {
    await this.#runner?.close();
    await this.advance(closedFor);
    const sensor = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Sensor',
      metadata: { name: 's', namespace: 'ns' },
      spec,
    } as Sensor;
    const options = { sensor, bus: this.#bus, clock: this.clock, random: () => 0, journal: new Journal(this.clock) };
    this.#runner = new SensorRunner({ ...options, log: this.#heard } as unknown as SensorRunnerOptions);
    await this.#runner.start();
  }

  readonly #heard = (_level: string, text: string, fields: Record<string, unknown> = {}) => {
    const at = `${(this.clock.now() - this.#start) / 1000} ${String(fields.triggerName)}`;
    const ids = (fields.triggeredByEvents ?? []) as string[];
    if (text.startsWith('Successfully')) this.done.push(`${at} ${[...ids].sort().join('+')}`);
    else if (text === 'Failed to execute a trigger') this.failed.push(at);
    else if (text.startsWith('{')) this.logged.push(text);
  };

  async send(event: string, body: unknown = {}, id = String(++this.#sent)): Promise<void> {
    const time = new Date(this.clock.now()).toISOString();
    const type = { source: 'src', type: 'webhook', subject: event, datacontenttype: 'application/json' };
    const message = encodeEvent({ id, ...type, time, data: JSON.stringify(body) });
    await this.#bus.publish({ eventSourceName: 'src', eventName: event, id, body: message });
    await soon();
  }

  async advance(seconds: number): Promise<void> {
    for (let left = seconds * 4; left > 0; left -= 1) {
      await this.clock.advance(Math.min(left, 1) * 250);
      await soon();
      // long waits pass at once, between their appointments
      if (left > 400) {
        await this.clock.advance((left - 401) * 250);
        left = 401;
      }
    }
  }
}

const on = (...names: string[]): Dependency[] =>
  names.map((name) => ({ name, eventSourceName: 'src', eventName: name }));
const trigger = (name: string, of: Partial<TriggerTemplate> = {}, more: Trigger = {}): Trigger => ({
  template: { name, log: {}, ...of },
  ...more,
});
/** An action that fails: its parameter cannot be filled. */
const fails: Trigger = { parameters: [{ src: { dependencyName: 'a', dataKey: 'none' }, dest: 'log.intervalSeconds' }] };
const running = async (context: TestContext, spec: SensorSpec, start = '2026-01-01T00:00:00Z') => {
  const made = new Running(context, start);
  await made.run(spec);
  return made;
};

describe('conditions of a running sensor', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ['a && b', 'aab', ['0 t 2+3']],
    ['a && b', 'abba', ['0 t 1+2', '0 t 3+4']],
    ['a || b', 'abc', ['0 t 1', '0 t 2']],
    ['(a || b) && c', 'abc', ['0 t 1+2+3']],
    ['a || b && c', 'bca', ['0 t 1+2', '0 t 3']],
    ['(a||b)&&c', 'cb', ['0 t 1+2']],
    ['a && (b || (c && d))', 'cad', ['0 t 1+2+3']],
    // all that the trigger has is cleared, and takes part
    ['(a && b) || (c && d)', 'acdb', ['0 t 1+2+3']],
    ['', 'abcd', ['0 t 1+2+3+4']],
    ['a && a', 'a', ['0 t 1']],
  ];
  for (const [conditions, events, done] of rows)
    it(`${conditions || 'none'}: ${events}`, async (context) => {
      const made = await running(context, { dependencies: on(...'abcd'), triggers: [trigger('t', { conditions })] });
      for (const event of events) await made.send(event);
      assert.deepEqual(made.done, done);
    });

  it('tell names apart that differ in - and _ alone, and take either where one is there', async (context) => {
    const [a, b, c] = on('a', 'b', 'c') as [Dependency, Dependency, Dependency];
    const dependencies = [
      { ...a, name: 'x-y' },
      { ...b, name: 'x_y' },
      { ...c, name: 'only-one' },
    ];
    const triggers = ['x-y', 'x_y', 'only_one'].map((conditions) => trigger(conditions, { conditions }));
    const made = await running(context, { dependencies, triggers });
    for (const event of 'abc') await made.send(event);
    assert.deepEqual(made.done, ['0 x-y 1', '0 x_y 2', '0 only_one 3']);
  });
  it('keep a trigger alone from running that names what is not there', async (context) => {
    const triggers = [trigger('t', { conditions: 'a && x' }), trigger('u', { conditions: 'a' })];
    const made = await running(context, { dependencies: on('a'), triggers });
    await made.send('a');
    assert.deepEqual([made.done, [...(made.problems ?? new Map()).keys()]], [['0 u 1'], ['t']]);
  });
  it('have one event for two dependencies, each as its filters say', async (context) => {
    const half = (name: string, comparator: string): Dependency => ({
      name,
      eventSourceName: 'src',
      eventName: 'e',
      filters: { data: [{ path: 'n', type: 'number', value: ['5'], comparator }] },
    });
    const made = await running(context, {
      dependencies: [half('a', '>'), half('b', '<=')],
      triggers: [trigger('t', { conditions: 'a && b' })],
    });
    for (const n of [9, 8, 1]) await made.send('e', { n });
    assert.deepEqual(made.done, ['0 t 2+3']);
  });
  it('are cleared at the time of a zone, also where nothing ran at that time', async (context) => {
    const conditionsReset = [{ byTime: { cron: '0 1 * * *', timezone: 'Europe/Berlin' } }];
    const spec = {
      dependencies: on('a', 'b'),
      triggers: [trigger('t', { conditionsReset }), trigger('kept')],
    };
    const made = await running(context, spec, '2026-01-01T23:59:00Z');
    await made.send('a');
    await made.advance(90);
    await made.send('b');
    assert.deepEqual(made.done, ['90 kept 1+2']);
    await made.run(spec, 86_400);
    await made.send('a');
    assert.deepEqual(made.done, ['90 kept 1+2']);
  });
  it('forget what they had when their trigger is another one', async (context) => {
    const dependencies = on('a', 'b');
    const made = await running(context, { dependencies, triggers: [trigger('t'), trigger('kept')] });
    await made.send('a');
    await made.run({ dependencies, triggers: [trigger('t', { log: { intervalSeconds: 1 } }), trigger('kept')] });
    await made.send('b');
    assert.deepEqual(made.done, ['0 kept 1+2']);
  });
});

describe('actions of a running sensor', () => {
  const strategy = { steps: 3, duration: '2s', factor: 2, jitter: 0 };
  const dlq = (of: Trigger): Trigger => ({ ...fails, atLeastOnce: true, dlqTrigger: of });
  const limited = (requestsPerUnit: number, unit: string) => ({ rateLimit: { unit, requestsPerUnit } });
  const rows: readonly (readonly [string, Trigger, { failed?: string[]; done?: string[] }])[] = [
    ['with a strategy', { ...fails, atLeastOnce: true, retryStrategy: strategy }, { failed: ['0 t', '2 t', '6 t'] }],
    [
      'with a factor of 0, which is 1',
      { ...fails, atLeastOnce: true, retryStrategy: { ...strategy, factor: '0' } },
      { failed: ['0 t', '2 t', '4 t'] },
    ],
    [
      'without steps: 5',
      { ...fails, atLeastOnce: true, retryStrategy: { jitter: '0', factor: '1.5' } },
      { failed: ['0 t', '1 t', '2.5 t', '4.75 t', '8.125 t'] },
    ],
    ['without atLeastOnce: once', { ...fails, retryStrategy: strategy }, { failed: ['0 t'] }],
    ['without a strategy: once', { ...fails, atLeastOnce: true }, { failed: ['0 t'] }],
    [
      'with dead letters that fail, and have their own',
      dlq({
        ...trigger('d', {}, dlq(trigger('e', {}, { atLeastOnce: true }))),
        retryStrategy: { steps: 2, duration: '3s', jitter: 0 },
      }),
      { failed: ['0 t', '0 d', '3 d'], done: ['3 e 1'] },
    ],
    [
      'each of them within the rate',
      { ...fails, atLeastOnce: true, retryStrategy: strategy, ...limited(6, 'Minute') },
      { failed: ['0 t', '10 t', '20 t'] },
    ],
  ];
  for (const [what, of, { failed = [], done = [] }] of rows)
    it(`are tried again ${what}`, async (context) => {
      const made = await running(context, { dependencies: on('a'), triggers: [{ ...trigger('t'), ...of }] });
      await made.send('a');
      await made.advance(30);
      assert.deepEqual([made.failed, made.done], [failed, done]);
    });
  it('are spaced evenly by the rate of their own trigger, and none is dropped', async (context) => {
    const triggers = [trigger('t', {}, limited(2, 'Second')), trigger('u')];
    const made = await running(context, { dependencies: on('a'), triggers });
    for (let i = 0; i < 4; i++) await made.send('a');
    await made.advance(3);
    const of = (name: string) => made.done.filter((text) => text.includes(` ${name} `));
    assert.deepEqual(of('t'), ['0 t 1', '0.5 t 2', '1 t 3', '1.5 t 4']);
    assert.deepEqual(of('u'), ['0 u 1', '0 u 2', '0 u 3', '0 u 4']);
  });
  it('see what the transform made, and no event of one id twice', async (context) => {
    const [a] = on('a') as [Dependency];
    const filters = { exprs: [{ expr: 'n == 4', fields: [{ name: 'n', path: 'n' }] }] };
    const dependencies = [{ ...a, transform: { jq: '.n *= 2' }, filters }];
    const made = await running(context, { dependencies, triggers: [trigger('t')] });
    for (const [n, id] of [
      [4, 'x'],
      [2, 'y'],
      [2, 'y'],
    ] as const)
      await made.send('a', { n }, id);
    assert.deepEqual([made.done, made.logged], [['0 t y'], ['{"n":4}']]);
  });
});
