import { systemClock } from '@tiphys/kubernetes';
import type { BusConfig } from '../../spec/event-bus.ts';
import { EventLog } from '../embedded/event-log.ts';
import { openBus } from '../open-bus.ts';

/**
 * Publishes numbers under two keys and consumes both, until it is killed. Says `ready`, then `put KEY NUMBER` when the bus has
 * taken one, and `got KEY NUMBER` before it acknowledges one. Argument: JSON of the bus' configuration, the file of an embedded
 * bus, and the first number; without a number nothing is published.
 */
const { config, file, first } = JSON.parse(process.argv[2] ?? '') as {
  config: BusConfig;
  file?: string;
  first?: number;
};
const say = (line: string) => process.stdout.write(`${line}\n`);
const onError = (error: unknown) => process.stderr.write(`${String(error)}\n`);
const eventLog = file === undefined ? undefined : new EventLog(file, { now: () => Date.now(), onError });
const bus = await openBus({
  config,
  namespace: 'ns',
  name: 'default',
  keys: { secret: async () => '', configMap: async () => '' },
  clock: systemClock,
  log: () => undefined,
  eventLog: eventLog && (() => eventLog),
});
const keys = ['a', 'b'];
for (const key of keys)
  await bus.consume({
    durable: `killed-${key}`,
    eventSourceName: 'source',
    eventName: key,
    onMessage: async ({ body, ack }) => {
      say(`got ${key} ${(JSON.parse(body) as { number: number }).number}`);
      await ack();
    },
    onError,
  });
say('ready');
if (first !== undefined)
  await Promise.all(
    keys.map(async (key) => {
      for (let number = first; ; number++) {
        const body = JSON.stringify({ source: 'source', subject: key, number });
        await bus.publish({ eventSourceName: 'source', eventName: key, id: `${key}-${number}`, body });
        say(`put ${key} ${number}`);
      }
    }),
  );
