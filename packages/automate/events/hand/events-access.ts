import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { Client, Clock, KubeObject } from '@tiphys/kubernetes';
import type { EventLog } from '../bus/embedded/event-log.ts';
import type { BusPool } from '../control/bus-pool.ts';
import { connectedBus } from '../control/connected-bus.ts';
import type { EventsContext } from '../control/context.ts';
import type { ConnectedBus } from '../control/workers.ts';
import { decodeEvent, encodeEvent, eventTime, newEventId } from '../event/cloud-event.ts';
import { compactJson } from '../json/compact.ts';
import { JsonSyntaxError, parseNode } from '../json/node.ts';
import { eventsOf } from '../source/validate-event-source.ts';
import type { EventSource } from '../spec/event-source.ts';
import type { FlowCount } from '../trace/flow.ts';
import type { Journal, JournalEntry, JournalQuery } from '../trace/journal.ts';
import { withUnheard } from '../trace/unheard.ts';

const notSent = defineDiagnosis('EventNotSent', 'An event could not be put on its bus by hand');

/** An event of a source, named as in its spec. */
export interface EventName {
  readonly namespace: string;
  /** Name of the EventSource. */
  readonly source: string;
  readonly event: string;
}

/** What people do with events: look at their ways, send one, have the last ones come again. */
export interface EventsAccess {
  /** The ways of the last events of this process, the newest first. */
  ways(query: JournalQuery): readonly JournalEntry[];
  /** The way of an event by its id or the beginning of it. */
  way(namespace: string, id: string): JournalEntry | undefined;
  /** What happened to events since this process started, counted. */
  flow(): readonly FlowCount[];
  /** Calls back with each count that has changed. Returns the way to stop it. */
  onFlow(listener: (count: FlowCount) => void): () => void;
  /** Puts an event on the bus as if its source had heard it; `data` is JSON. Gives its id. Throws `EventNotSent`. */
  send(name: EventName, data: string): Promise<string>;
  /**
   * Puts the last events of a source that its bus still has on it again, the oldest first, with ids of their own, so that nobody
   * takes them for those that came. Gives the new ids. Throws `EventNotSent`.
   */
  replay(name: EventName, last: number): Promise<readonly string[]>;
}

interface AccessOptions {
  readonly context: EventsContext;
  readonly pool: BusPool;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly client: Client;
  /** True while this process runs what uses the embedded bus. */
  readonly leads: () => boolean;
}

const mostReplayed = 1000;

/** The access to the events of this process. */
export function eventsAccess(options: AccessOptions): EventsAccess {
  const { journal, context } = options;
  const explained = (entries: readonly JournalEntry[]) => {
    const { sources, sensors, settings } = context;
    return withUnheard(entries, { sources, sensors, inPods: settings().deployment === 'dedicated' });
  };
  return {
    ways: (query) => explained(journal.list(query)),
    way: (namespace, id) => {
      const found = journal.find(namespace, id);
      return found && explained([found])[0];
    },
    flow: () => journal.flow(),
    onFlow: (listener) => journal.subscribe(listener),
    send: (name, data) => send(options, name, data),
    replay: (name, last) => replay(options, name, last),
  };
}

async function send(options: AccessOptions, name: EventName, data: string): Promise<string> {
  const { type, bus } = target(options, name);
  const text = jsonOf(data);
  const id = newEventId();
  await publish(options, { name, type, bus, id, data: text, how: 'sent by hand' });
  return id;
}

async function replay(options: AccessOptions, name: EventName, last: number): Promise<readonly string[]> {
  const { type, bus } = target(options, name);
  if (!bus.config.embedded)
    throw refused(name, 'only the embedded bus can be asked for events that have been', [
      'Replay on a bus with `spec.embedded`, or send the event again: tiphys events send',
    ]);
  const log: EventLog = options.context.eventLog();
  const subject = `${name.source}.${name.event}`;
  const most = Math.max(1, Math.min(mostReplayed, last));
  const ids: string[] = [];
  for (const { body } of log.last(`${name.namespace}/${bus.name}`, most, subject)) {
    const before = decodeEvent(body);
    const id = newEventId();
    await publish(options, { name, type, bus, id, data: before.data, how: `replay of ${before.id}` });
    ids.push(id);
  }
  return ids;
}

/** The type of the event and the bus of its source. */
function target({ context, leads }: AccessOptions, name: EventName): { type: string; bus: ConnectedBus } {
  const source = context.sources.get(`${name.namespace}/${name.source}`);
  if (!source)
    throw refused(name, `there is no EventSource ${name.source} in namespace ${name.namespace}`, [
      'Look at the names: kubectl get eventsources -A',
    ]);
  const event = eventsOf((source as EventSource & KubeObject).spec).find((each) => each.name === name.event);
  if (!event) {
    const names = eventsOf(source.spec).map((each) => each.name);
    throw refused(name, `EventSource ${name.source} has no event ${name.event}; it has ${names.join(', ') || 'none'}`, [
      'Name one of them',
    ]);
  }
  const bus = connectedBus(context, source);
  if (bus.config.embedded && !leads())
    throw refused(name, 'its embedded bus is in another replica', ['Ask the replica that holds the lease']);
  return { type: event.type.eventType, bus };
}

async function publish(
  { pool, journal, clock }: AccessOptions,
  {
    name,
    type,
    bus,
    id,
    data,
    how,
  }: { name: EventName; type: string; bus: ConnectedBus; id: string; data: string | undefined; how: string },
): Promise<void> {
  const { namespace, source, event } = name;
  const about = { id, namespace, eventSource: source, event, type };
  journal.add(about, { kind: 'received', text: how });
  const body = encodeEvent({
    id,
    source,
    type,
    subject: event,
    time: eventTime(clock.now()),
    datacontenttype: 'application/json',
    data,
  });
  const { bus: opened, release } = await pool.use(namespace, bus.name, bus.config);
  try {
    await opened.publish({ eventSourceName: source, eventName: event, id, body });
    journal.add(about, { kind: 'published', text: 'stored by the bus' });
  } finally {
    await release();
  }
}

function jsonOf(data: string): string {
  try {
    return compactJson(parseNode(data));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw failure(notSent, {
      message: `The data is no JSON: ${error.message}`,
      place: { field: 'data' },
      remedies: ['Give JSON, such as {"body": {"by": "me"}}'],
    });
  }
}

function refused({ namespace, source, event }: EventName, why: string, remedies: readonly string[]) {
  return failure(notSent, {
    message: `Nothing was sent: ${why}`,
    place: { object: `EventSource ${namespace}/${source}`, field: event },
    remedies: [...remedies],
  });
}
