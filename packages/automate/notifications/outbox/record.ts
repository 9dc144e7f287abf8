import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';

/** Label of the Secrets of an outbox; its value is the name of the kind. */
export const outboxLabel = 'tiphys.dev/notifications';
const type = 'tiphys.dev/notification';

/** What is sent, and whom: written once. */
export interface Payload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly trigger: string;
  /** Type and reason of the Event that it tells, for measures; of kinds whose Events are told. */
  readonly event?: { readonly type: string; readonly reason: string };
  /** Key of the state that the notification was decided by. */
  readonly stateKey: string;
  /** Namespace of the settings that subscribed. */
  readonly settingsNamespace: string;
  readonly service: string;
  readonly recipient: string;
  readonly templates: readonly string[];
  /** RFC 3339. */
  readonly at: string;
  /** The object as it was when it was decided: the notification tells of that, however late it is. */
  readonly object: KubeObject;
}

export type DeliveryState = 'queued' | 'sending' | 'delivered' | 'given-up';

/** How far the delivery is: the annotations of the Secret. */
export interface Progress {
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Who sends; while `sending`. */
  readonly holder: string;
  /** When the last attempt began, in milliseconds; 0 before the first. */
  readonly since: number;
  /** Milliseconds since 1970 before which it is not tried again. */
  readonly notBefore: number;
  readonly problem?: Diagnosis | undefined;
}

const annotations = {
  state: 'tiphys.dev/state',
  attempts: 'tiphys.dev/attempts',
  holder: 'tiphys.dev/holder',
  since: 'tiphys.dev/since',
  notBefore: 'tiphys.dev/not-before',
  problem: 'tiphys.dev/problem',
} as const;

/** Name of the record of one decision: the same state of one object decides the same once. */
export function recordName(object: KubeObject, stateKey: string): string {
  const { uid = '', resourceVersion = '' } = object.metadata;
  const hash = createHash('sha256')
    .update(JSON.stringify([uid, resourceVersion, stateKey]))
    .digest('hex');
  return `notification-${hash.slice(0, 32)}`;
}

/** Bytes of what a Secret may hold, with room for the rest of it. */
const largest = 900_000;

export function newRecord(name: string, namespace: string, family: string, payload: Payload): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type,
    metadata: {
      name,
      namespace,
      labels: { [outboxLabel]: family, 'app.kubernetes.io/managed-by': 'tiphys' },
      annotations: {
        [ownerAnnotations.object]: `${payload.namespace}/${payload.name}`,
        [ownerAnnotations.uid]: payload.uid,
        ...progressAnnotations({ state: 'queued', attempts: 0, holder: '', since: 0, notBefore: 0 }),
      },
    },
    data: { payload: packed(payload) },
  };
}

/** Compressed; without what is the largest of it, if it would not fit into a Secret. */
function packed(payload: Payload): string {
  const text = gzipSync(JSON.stringify(payload)).toString('base64');
  if (text.length <= largest) return text;
  const status = { ...(payload.object.status as object), resources: [], history: [] };
  return gzipSync(JSON.stringify({ ...payload, object: { ...payload.object, status } })).toString('base64');
}

/** Undefined for a record that is delivered, or was damaged. */
export function payloadOf(record: KubeObject): Payload | undefined {
  const { payload } = (record.data ?? {}) as { payload?: string };
  if (!payload) return undefined;
  const text = gunzipSync(Buffer.from(payload, 'base64'), { maxOutputLength: 64 << 20 }).toString('utf8');
  return JSON.parse(text) as Payload;
}

const ownerAnnotations = { object: 'tiphys.dev/object', uid: 'tiphys.dev/object-uid' } as const;

/** The object that a record is about. */
export function ownerOf({ metadata }: KubeObject): { key: string; namespace: string; name: string; uid: string } {
  const key = metadata.annotations?.[ownerAnnotations.object] ?? '';
  const [namespace = '', name = ''] = key.split('/');
  return { key, namespace, name, uid: metadata.annotations?.[ownerAnnotations.uid] ?? '' };
}

export function progressOf({ metadata }: KubeObject): Progress {
  const found = metadata.annotations ?? {};
  const problem = found[annotations.problem];
  return {
    state: (found[annotations.state] ?? 'queued') as DeliveryState,
    attempts: Number(found[annotations.attempts] ?? 0),
    holder: found[annotations.holder] ?? '',
    since: Number(found[annotations.since] ?? 0),
    notBefore: Number(found[annotations.notBefore] ?? 0),
    ...(problem ? { problem: JSON.parse(problem) as Diagnosis } : {}),
  };
}

/** Writes the progress into a record that is going to be stored. */
export function setProgress(record: KubeObject, progress: Progress): void {
  const rest = Object.entries(record.metadata.annotations ?? {}).filter(
    ([name]) => !(Object.values(annotations) as string[]).includes(name),
  );
  record.metadata.annotations = { ...Object.fromEntries(rest), ...progressAnnotations(progress) };
}

function progressAnnotations({ state, attempts, holder, since, notBefore, problem }: Progress): Record<string, string> {
  return {
    [annotations.state]: state,
    [annotations.attempts]: String(attempts),
    ...(holder ? { [annotations.holder]: holder } : {}),
    ...(since ? { [annotations.since]: String(since) } : {}),
    ...(notBefore ? { [annotations.notBefore]: String(notBefore) } : {}),
    ...(problem ? { [annotations.problem]: JSON.stringify(problem) } : {}),
  };
}
