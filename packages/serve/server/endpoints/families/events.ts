import { setTimeout as pause } from 'node:timers/promises';
import { DiagnosisError, formatDiagnosis } from '@tiphys/diagnosis';
import type { EventName, EventsAccess, FlowCount } from '@tiphys/events';
import type { KubeObject } from '@tiphys/kubernetes';
import { requireClusterRight } from '../../context/cluster-right.ts';
import type { ServerContext } from '../../context/server-context.ts';
import { readBounded } from '../../families/bounded-list.ts';
import { eventBusSummary, eventSourceSummary, sensorSummary } from '../../families/event-view.ts';
import { BodyBudget } from '../../http/body-budget.ts';
import type { Call } from '../../rpc/call.ts';
import { decodePart } from '../../rpc/decode-part.ts';
import { failedPrecondition, invalidArgument, notFound } from '../../rpc/rpc-error.ts';
import { isGone, write } from '../../transport/http-message.ts';
import { type OwnRequest, postOwn, serveOwn, streamOwn } from '../own-api.ts';

const base = '/api/tiphys/v1/events';
const one = /^\/api\/tiphys\/v1\/events\/ways\/([a-z0-9-]{1,63})\/([^/]{1,200})$/;
const apiVersion = 'argoproj.io/v1alpha1';
/** Bytes of one request. */
const largest = 1024 * 1024;
const budget = new BodyBudget(8 * largest);
const mostWays = 1000;
/** Milliseconds in which counts are gathered before they are told. */
const gathering = 250;
const elsewhere =
  'The events run in another process, which has their ways: ask the one that has them, `tiphys up` without a role or with --role events.';

/**
 * Argo Events of the control plane's cluster; undefined for other paths. To read needs `clusters, get, *`, to send `clusters, update, *`.
 * - `GET /api/tiphys/v1/events/buses`, `…/sources`, `…/sensors`: the first 500, each with its conditions and diagnoses; a sensor's triggers with what
 *   they guarantee (`guarantee.delivery`: `at most once`, `at least once` or `exactly once`, and why).
 * - `GET …/ways?namespace=&source=&sensor=&limit=`: what became of the last events, the newest first; `GET …/ways/NAMESPACE/ID`: of one.
 * - `GET …/flow`: server-sent events; how often what happened to the events of each source on their way to each trigger since the
 *   process started, first all of it, then what changed, gathered for a quarter of a second.
 * - `POST …/send`: `{"namespace", "source", "event", "data"}`, `data` is what the source would have made of it.
 * - `POST …/replay`: `{"namespace", "source", "event", "last"}`.
 */
export function serveEvents(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (!asked.path.startsWith(`${base}/`)) return undefined;
  const read = (answer: (call: Call) => unknown) =>
    serveOwn(asked, '/cluster.ClusterService/List', async (call) => {
      await requireClusterRight(context, call, 'get');
      return await answer(call);
    });
  const list = (kind: string, of: typeof eventBusSummary | typeof eventSourceSummary) =>
    read((call) => readBounded(context.client, { apiVersion, kind }, { of: of as never, signal: call.signal }));
  if (asked.path === `${base}/buses`) return list('EventBus', eventBusSummary);
  if (asked.path === `${base}/sources`) return list('EventSource', eventSourceSummary);
  if (asked.path === `${base}/sensors`) return read((call) => sensorsOf(context, call));
  if (asked.path === `${base}/ways`) return read(() => waysOf(context, asked.request.url ?? ''));
  if (asked.path === `${base}/flow`)
    return streamOwn(asked, '/cluster.ClusterService/List', {
      before: (call) => requireClusterRight(context, call, 'get'),
      send: (call) => sendFlow(context, call, asked),
    });
  const [, namespace, id] = one.exec(asked.path) ?? [];
  if (namespace !== undefined && id !== undefined) return read(() => wayOf(context, namespace, decodePart(id)));
  const verb = asked.path.slice(base.length + 1);
  if (verb !== 'send' && verb !== 'replay') return undefined;
  return postOwn(asked, '/cluster.ClusterService/Update', async (call) => {
    await requireClusterRight(context, call, 'update');
    const body = bodyOf(await budget.read(asked.request, largest));
    const access = accessOf(context);
    const name = nameOf(body);
    context.log('info', `events: ${verb}`, { ...name, by: call.identity?.subject ?? 'anonymous' });
    if (verb === 'replay') return { ids: await byHand(access.replay(name, lastOf(body))) };
    return { id: await byHand(access.send(name, JSON.stringify(body.data ?? {}))) };
  });
}

/** What cannot be sent because of its name or its bus is for the caller to change. */
async function byHand<T>(sent: Promise<T>): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    if (!(error instanceof DiagnosisError) || error.diagnosis.code !== 'EventNotSent') throw error;
    throw invalidArgument(formatDiagnosis(error.diagnosis), [error.diagnosis]);
  }
}

function lastOf({ last = 1 }: Readonly<Record<string, unknown>>): number {
  if (typeof last === 'number' && Number.isInteger(last) && last >= 1 && last <= mostWays) return last;
  throw invalidArgument(`last is ${JSON.stringify(last)}, it must be a whole number from 1 to ${mostWays}`);
}

async function sensorsOf({ client }: ServerContext, { signal }: Call) {
  const readers = await import('@tiphys/events');
  const of = (sensor: KubeObject) => sensorSummary(sensor, readers);
  return await readBounded(client, { apiVersion, kind: 'Sensor' }, { of, signal });
}

function waysOf({ eventWays }: ServerContext, url: string) {
  if (!eventWays) return { items: [], note: elsewhere };
  const { searchParams } = new URL(url, 'http://localhost');
  const pick = (name: string) => searchParams.get(name) || undefined;
  const most = Math.min(mostWays, Number(pick('limit') ?? 100) || 100);
  return {
    items: eventWays.ways({
      namespace: pick('namespace'),
      eventSource: pick('source'),
      sensor: pick('sensor'),
      most,
    }),
  };
}

async function sendFlow({ eventWays }: ServerContext, call: Call, { response }: OwnRequest): Promise<void> {
  const send = (counts: readonly FlowCount[], note?: string) =>
    write(response, `data: ${JSON.stringify({ result: { counts, ...(note ? { note } : {}) } })}\n\n`);
  const ended = new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve(), { once: true }));
  await send(eventWays?.flow() ?? [], eventWays ? undefined : elsewhere);
  const changed = new Map<string, FlowCount>();
  let wake: () => void = () => undefined;
  const unsubscribe = eventWays?.onFlow((count) => {
    const { count: _count, last: _last, ...of } = count;
    changed.set(JSON.stringify(of), count);
    wake();
  });
  try {
    while (!isGone(response) && !call.signal.aborted) {
      if (changed.size === 0) await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))]);
      await Promise.race([ended, pause(gathering, undefined, { ref: false })]);
      const counts = [...changed.values()];
      changed.clear();
      if (counts.length > 0) await send(counts);
    }
  } finally {
    unsubscribe?.();
  }
}

function wayOf(context: ServerContext, namespace: string, id: string) {
  const found = accessOf(context).way(namespace, id);
  if (!found) throw notFound(`No event ${id} is known in namespace ${namespace}: the last ${mostWays} are kept`);
  return found;
}

function accessOf({ eventWays }: ServerContext): EventsAccess {
  if (!eventWays) throw failedPrecondition(elsewhere);
  return eventWays;
}

function nameOf(body: Readonly<Record<string, unknown>>): EventName {
  const text = (field: string) => {
    const value = body[field];
    if (typeof value === 'string' && value !== '') return value;
    throw invalidArgument(`The body has no ${field}: it wants {"namespace", "source", "event"}`);
  };
  return { namespace: text('namespace'), source: text('source'), event: text('event') };
}

function bodyOf(bytes: Buffer | undefined): Readonly<Record<string, unknown>> {
  if (!bytes) throw invalidArgument(`The body has more than ${largest} bytes`);
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // told below
  }
  throw invalidArgument('The body is no JSON object');
}
