import { goTimeString } from '../../event/go-time.ts';
import { missing, type SpecProblem, wrong } from '../../spec/spec-problem.ts';
import { PulsarClient } from '../../wire/pulsar/client.ts';
import type { PulsarConnection } from '../../wire/pulsar/connection.ts';
import { command, type Frame } from '../../wire/pulsar/frames.ts';
import { messagesOf, type PulsarMessage } from '../../wire/pulsar/messages.ts';
import { pulsarProblem as clientProblem, type PulsarSpec } from '../../wire/pulsar/problem.ts';
import { bodyOf, eventData, type Metadata } from '../event-data.ts';
import { type Listen, type SourceContext, untilAborted } from '../source.ts';
import { take } from './mqtt.ts';

export interface PulsarSourceSpec extends PulsarSpec {
  readonly topics?: readonly string[];
  readonly type?: string;
  readonly jsonBody?: boolean;
  readonly metadata?: Metadata;
}

/** Messages that the broker may send ahead. */
const permits = 100;
const types = new Map([
  ['', 0],
  ['exclusive', 0],
  ['shared', 1],
]);
const individual = 0;

export function pulsarProblem(spec: PulsarSourceSpec): SpecProblem | undefined {
  if (!spec.topics?.length) return missing('topics', 'topics must be specified');
  if (!types.has(spec.type ?? ''))
    return wrong('type', `type ${spec.type} is not known; it is exclusive or shared`, 'Write exclusive or shared');
  return clientProblem(spec);
}

/** Takes messages of topics in a subscription that has the name of the event; each is acknowledged when it is on the bus. */
export const listen: Listen<PulsarSourceSpec> = async (context, ready) => {
  const { spec, keys, clock, signal } = context;
  const client = await PulsarClient.of(spec, keys, clock);
  const handled: (() => Promise<void>)[] = [];
  try {
    for (const topic of spec.topics ?? [])
      for (const partition of await client.partitions(topic))
        handled.push(await subscribe(context, await client.broker(partition), partition));
    ready();
    await Promise.race([untilAborted(signal), client.lost()]);
  } finally {
    await Promise.allSettled(handled.map((last) => last()));
    await client.close();
  }
};

/** Subscribes to one topic; gives what resolves when the messages that came so far are handled. */
async function subscribe(
  context: SourceContext<PulsarSourceSpec>,
  connection: PulsarConnection,
  topic: string,
): Promise<() => Promise<void>> {
  const consumer = connection.id();
  let turn: Promise<void> = Promise.resolve();
  let taken = 0;
  connection.onMessage(consumer, (frame) => {
    turn = turn.then(async () => {
      if (context.signal.aborted) return;
      taken += await handle(context, frame);
      connection.send(command.ack, { 1: consumer, 2: individual, 3: frame.fields.bytes(2) });
      if (taken < permits / 2) return;
      connection.send(command.flow, { 1: consumer, 2: taken });
      taken = 0;
    });
    // what is not on the bus comes again with the next connection
    turn.catch(() => connection.close());
  });
  await connection.ask(command.subscribe, 5, {
    1: topic,
    2: context.eventName,
    3: types.get(context.spec.type ?? ''),
    4: consumer,
    6: context.sourceName,
  });
  connection.send(command.flow, { 1: consumer, 2: permits });
  return () => turn;
}

/** Puts the messages of a frame on the bus; gives how many they are. */
async function handle(context: SourceContext<PulsarSourceSpec>, frame: Frame): Promise<number> {
  let messages: readonly PulsarMessage[];
  try {
    messages = messagesOf(frame);
  } catch (error) {
    context.failed(error);
    return frame.message?.metadata.number(11) || 1;
  }
  const { jsonBody, metadata } = context.spec;
  for (const { key, publishTime, body } of messages)
    await take(context, () =>
      eventData({ key, publishTime: goTimeString(publishTime, 'UTC'), body: bodyOf(body, jsonBody) }, metadata),
    );
  return messages.length;
}
