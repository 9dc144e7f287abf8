import {
  type ApiLife,
  apiLives,
  apiVersionOf,
  type Release,
  type Verdict,
  verdictOfRecorded,
} from '../knowledge/api-life.ts';
import { cloudEvent } from './cloud-events.ts';

/** One call of an API that ends, from the API server's audit log. */
export interface AuditCall {
  readonly verdict: Verdict;
  readonly verb: string;
  readonly user: string;
  readonly userAgent: string;
  readonly at: string;
  /** `namespace/name` of the pod that the token was issued for, if the server said so. */
  readonly pod?: string;
}

/** An event of `audit.k8s.io/v1`, as far as callers ask. */
export interface AuditEvent {
  readonly kind?: string;
  readonly items?: readonly AuditEvent[];
  readonly stage?: string;
  readonly verb?: string;
  readonly user?: { username?: string; extra?: Record<string, readonly string[]> };
  readonly userAgent?: string;
  readonly requestURI?: string;
  readonly requestReceivedTimestamp?: string;
  readonly objectRef?: { resource?: string; apiGroup?: string; apiVersion?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Kubernetes' own components are upgraded with it. */
const ownComponents = /^kube(let|-apiserver|-controller-manager|-scheduler|-proxy)\//;
const podName = 'authentication.kubernetes.io/pod-name';
/** Characters before the JSON of a line. */
const longestPrefix = 200;
const serviceAccount = /^system:serviceaccount:([^:]{1,253}):/;
/** Where the clouds' exports put the event: CloudWatch and its queries, Azure Monitor, Event Hubs and Log Analytics, Cloud Logging. */
const wrappers = [
  ...['message', '@message', 'logEvents', 'events', 'results', 'value'],
  ...['properties', 'log', 'log_s', 'records'],
  ...['jsonPayload', 'textPayload', 'protoPayload', 'entries'],
];
/** Lists of queries of rows of fields of events. */
const deepest = 7;

/** Calls of APIs that the release removes or deprecates, in one line of a log, an EventList, or a cloud's export of either. */
export function auditCalls(value: unknown, target: Release): AuditCall[] {
  return eventsOf(value, 0).flatMap((event) => callOf(event, target));
}

/** The same for JSON lines; a line that is no JSON is counted, not guessed at. */
export function auditLines(text: string, target: Release): { calls: AuditCall[]; unread: number } {
  const calls: AuditCall[] = [];
  let unread = 0;
  for (const line of text.split('\n')) {
    const found = auditLine(line, target);
    if (found) calls.push(...found);
    else unread += 1;
  }
  return { calls, unread };
}

/** Calls of one line, before whose JSON the time and the stream may stand, as exports to files and container runtimes write it; undefined if it is none. */
export function auditLine(line: string, target: Release): AuditCall[] | undefined {
  if (!line.trim()) return [];
  const begin = line.search(/[{[]/);
  const value = parsed(line) ?? (begin > 0 && begin < longestPrefix ? parsed(line.slice(begin)) : undefined);
  return value === undefined ? undefined : auditCalls(value, target);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function eventsOf(value: unknown, depth: number): AuditEvent[] {
  if (depth > deepest || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => eventsOf(item, depth + 1));
  const event = value as AuditEvent;
  if (event.kind === 'EventList')
    return (event.items ?? []).flatMap((item) => eventsOf({ kind: 'Event', ...item }, depth + 1));
  if (event.verb && (event.objectRef || event.requestURI)) return [event];
  const ofCloud = cloudEvent(value as Record<string, unknown>);
  if (ofCloud) return [ofCloud];
  return wrappers.flatMap((key) => {
    const inner = (value as Record<string, unknown>)[key];
    return eventsOf(typeof inner === 'string' ? parsed(inner) : inner, depth + 1);
  });
}

function callOf(event: AuditEvent, target: Release): AuditCall[] {
  // a watch is logged when it begins and when it ends; each call counts once
  if (event.stage === 'ResponseStarted' || event.stage === 'RequestReceived') return [];
  if (event.user?.username?.startsWith('system:') && ownComponents.test(event.userAgent ?? '')) return [];
  const { apiGroup: group = '', apiVersion: version = '', resource = '' } = event.objectRef ?? {};
  const { annotations = {} } = event;
  if (!resource || !(lifeOf(group, version, resource) || annotations['k8s.io/deprecated'] === 'true')) return [];
  const told = toldLife({ group, version, resource }, { removed: annotations['k8s.io/removed-release'] ?? '' });
  const verdict = verdictOfRecorded(told, target);
  if (!verdict) return [];
  const user = event.user?.username ?? '';
  const namespace = serviceAccount.exec(user)?.[1];
  const pod = event.user?.extra?.[podName]?.[0];
  return [
    {
      verdict,
      verb: event.verb ?? '',
      user,
      userAgent: event.userAgent ?? '',
      at: event.requestReceivedTimestamp ?? '',
      ...(namespace && pod ? { pod: `${namespace}/${pod}` } : {}),
    },
  ];
}

/**
 * The life of an API that the API server calls deprecated, by what is known of it, else by what the server says: a custom resource has no release in
 * which it ends, and its kind is its resource until its definition is read.
 */
export function toldLife(
  { group, version, resource }: { readonly group: string; readonly version: string; readonly resource: string },
  { removed }: { readonly removed: string },
): ApiLife {
  const known = lifeOf(group, version, resource);
  if (known) return known;
  const api = { group, version, kind: resource };
  const [, major, minor] = /^(\d{1,3})\.(\d{1,4})$/.exec(removed) ?? [];
  if (minor !== undefined) return { ...api, removed: [Number(major), Number(minor)] };
  const warning = `${apiVersionOf(api)} ${resource} is deprecated`;
  return { ...api, definition: { name: `${resource}.${group}`, served: true, warning } };
}

let byResource: Map<string, ApiLife> | undefined;

/** The life of an API by its resource: plurals are those of Kubernetes, which has no irregular ones. */
export function lifeOf(group: string, version: string, resource: string): ApiLife | undefined {
  byResource ??= new Map(
    [...apiLives().values()].map((life) => [`${life.group}/${life.version}/${pluralOf(life.kind)}`, life]),
  );
  return byResource.get(`${group}/${version}/${resource}`);
}

function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (name === 'endpoints') return name;
  if (/(s|x|ch|sh)$/.test(name)) return `${name}es`;
  return name.endsWith('y') && !/[aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}
