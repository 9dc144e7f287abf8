import { type Clock, type KubeObject, timestamp } from '@tiphys/kubernetes';
import type { FlowCall } from '../common/caller.ts';
import { type LogOptions, podLines } from './pod-lines.ts';
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

/** Lines that pods of Argo Events wrote as JSON, one pod after the other; with `follow` those of all pods as they come. */
export async function* eventLogs(call: FlowCall, request: EventLogs): AsyncIterable<object> {
  const { namespace, name, label, podLogOptions = {} } = request;
  const isWanted = wantedLines(request.grep);
  const pods = await call.client.list<KubeObject>(
    { apiVersion: 'v1', kind: 'Pod', namespace },
    { labelSelector: name ? `${label}=${name}` : label, signal: call.signal },
  );
  const options = { ...podLogOptions, ...(podLogOptions.container ? {} : { container: 'main' }) };
  for (const { metadata } of pods.items) {
    for await (const { text } of podLines(call, { namespace, name: metadata.name ?? '' }, options)) {
      if (!isWanted(text)) continue;
      const entry = entryOf(text, request, metadata.labels?.[label] ?? '');
      if (entry) yield { namespace, ...entry };
    }
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
    level: value('level'),
    msg: value('msg') || text,
    ...(Number.isNaN(time) ? {} : { time: timestamp(time) }),
    ...(type === 'eventSourceType' ? { eventSourceType: value(type), eventName: value('eventName') } : {}),
    ...(type === 'triggerName' ? { triggerName: value(type), dependencyName: value('dependencyName') } : {}),
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
