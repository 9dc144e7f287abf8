import { type Clock, timestamp } from '@tiphys/kubernetes';
import type { FlowCall } from '../common/caller.ts';
import { LogQueue } from './log-queue.ts';
import type { LogOptions } from './pod-lines.ts';
import { byStart, followPods, type Pod, PodReader } from './pod-reader.ts';
import { wantedLines } from './wanted-lines.ts';

/** What is asked for: lines of one event source or sensor, or of all of a namespace. */
export interface EventLogRequest {
  readonly namespace: string;
  readonly name?: string;
  readonly eventName?: string;
  readonly eventSourceType?: string;
  readonly triggerName?: string;
  readonly grep?: string;
  readonly podLogOptions?: LogOptions;
}

interface EventLogs extends EventLogRequest {
  /** Of the pods, with the name of what they run. */
  readonly label: string;
  /** Of a line, with the same. */
  readonly field: string;
  /** Of a line that narrows it further. */
  readonly type: 'eventSourceType' | 'triggerName';
  readonly clock: Clock;
}

type Line = Readonly<Record<string, unknown>>;

/**
 * Lines that pods of Argo Events wrote as JSON, in the order of their times; with `follow` also what they, and pods that come later, write
 * from then on, until the caller goes.
 */
export async function* eventLogs({ client, ...caller }: FlowCall, request: EventLogs): AsyncIterable<object> {
  const { namespace, name, label, clock, podLogOptions = {} } = request;
  const abort = new AbortController();
  const signal = AbortSignal.any([caller.signal, abort.signal]);
  const call = { client, signal };
  const queue = new LogQueue<object>(clock, signal);
  const reader = new PodReader<object>({
    call,
    namespace,
    options: podLogOptions,
    isWanted: wantedLines(request.grep),
    entryOf: ({ text }, pod) => {
      const entry = entryOf(text, request, pod.labels?.[label] ?? '');
      return entry && { namespace, ...entry };
    },
    queue,
  });
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace };
  const selectors = { labelSelector: name ? `${label}=${name}` : label };
  const work = async () => {
    const pods = await client.list<Pod>(ref, { ...selectors, signal });
    for (const pod of pods.items.sort(byStart)) reader.take(pod);
    const from = pods.metadata.resourceVersion ?? '';
    if (podLogOptions.follow) await followPods(call, { ref, selectors, from, clock }, (pod) => reader.take(pod));
    await reader.done();
  };
  queue.endWith(work());
  try {
    yield* queue.entries();
  } finally {
    abort.abort();
  }
}

function entryOf(text: string, request: EventLogs, name: string): object | undefined {
  const line = parsed(text);
  const { eventName, type, field } = request;
  const wantedType = request[type];
  const value = (key: string) => (typeof line[key] === 'string' ? (line[key] as string) : '');
  if (eventName && value('eventName') !== eventName) return undefined;
  if (wantedType && value(type) !== wantedType) return undefined;
  const time = Date.parse(value('ts'));
  return {
    [field]: value(field) || name,
    level: value('level') || 'info',
    msg: value('msg') || text,
    time: timestamp(Number.isNaN(time) ? request.clock.now() : time),
    ...(type === 'eventSourceType' ? { eventSourceType: value(type), eventName: value('eventName') } : {}),
    ...(type === 'triggerName'
      ? { triggerName: value(type), dependencyName: value('dependencyName'), eventContext: value('eventContext') }
      : {}),
  };
}

function parsed(text: string): Line {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Line) : {};
  } catch (error) {
    // not every line is written by a logger
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
