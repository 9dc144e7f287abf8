import { type ApiLife, apiLives, type Release, type Verdict, verdictOf } from '../knowledge/api-life.ts';

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

interface AuditEvent {
  readonly kind?: string;
  readonly items?: readonly AuditEvent[];
  readonly stage?: string;
  readonly verb?: string;
  readonly user?: { username?: string; extra?: Record<string, readonly string[]> };
  readonly userAgent?: string;
  readonly requestURI?: string;
  readonly requestReceivedTimestamp?: string;
  readonly objectRef?: { resource?: string; apiGroup?: string; apiVersion?: string };
  readonly responseStatus?: { code?: number };
}

/** Kubernetes' own components are upgraded with it. */
const ownComponents = /^kube(let|-apiserver|-controller-manager|-scheduler|-proxy)\//;
const podName = 'authentication.kubernetes.io/pod-name';
const serviceAccount = /^system:serviceaccount:([^:]{1,253}):/;
/** Where the clouds' exports put the event: CloudWatch, Azure Monitor, Cloud Logging. */
const wrappers = ['message', '@message', 'properties', 'log', 'jsonPayload', 'textPayload', 'protoPayload'];

/** Calls of APIs that the release removes or deprecates, in one line of a log, an EventList, or a cloud's export of either. */
export function auditCalls(value: unknown, target: Release): AuditCall[] {
  return eventsOf(value, 0).flatMap((event) => callOf(event, target));
}

/** The same for JSON lines; a line that is no JSON is counted, not guessed at. */
export function auditLines(text: string, target: Release): { calls: AuditCall[]; unread: number } {
  const calls: AuditCall[] = [];
  let unread = 0;
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    const value = parsed(line);
    if (value === undefined) unread += 1;
    else calls.push(...auditCalls(value, target));
  }
  return { calls, unread };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function eventsOf(value: unknown, depth: number): AuditEvent[] {
  if (depth > 4 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => eventsOf(item, depth + 1));
  const event = value as AuditEvent;
  if (event.kind === 'EventList')
    return (event.items ?? []).flatMap((item) => eventsOf({ kind: 'Event', ...item }, depth + 1));
  if (event.verb && (event.objectRef || event.requestURI)) return [event];
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
  const life = lifeOf(group, version, resource);
  const verdict = life && verdictOf(life, target);
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
