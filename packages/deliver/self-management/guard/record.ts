import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type Client, isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import { own, partLabel } from '../state/names.ts';
import type { PodTemplate } from './objects.ts';

const packed = promisify(gzip);
const unpacked = promisify(gunzip);

/** What the guard needs to take a version back, and the proof to try one; kept in a Secret, since settings are in it. */
export interface GuardRecord {
  /** Objects as they were before, without what the API server writes. */
  readonly before: readonly KubeObject[];
  /** What the version adds, by its place. */
  readonly added: readonly ObjectPlace[];
  /** Pods of the controller before and after. */
  readonly running: PodTemplate;
  readonly candidate: PodTemplate;
  /** Restarts that pods of the installation had before, by the pods' UIDs. */
  readonly restarts: Readonly<Record<string, number>>;
  /** Workloads of the installation, those that the version adds among them. */
  readonly processes: readonly ObjectPlace[];
  /** Objects of the version that give rights. */
  readonly rights: readonly KubeObject[];
}

export interface ObjectPlace {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Bytes of a record once unpacked. */
const largest = 64 << 20;

/** An object as it can be written again. */
export function asBefore({ status: _status, ...object }: KubeObject): KubeObject {
  const {
    uid: _uid,
    resourceVersion: _v,
    generation: _g,
    creationTimestamp: _c,
    managedFields: _m,
    ...metadata
  } = object.metadata;
  return { ...object, metadata } as KubeObject;
}

/** Where an object is. */
export function placeOf({ apiVersion, kind, metadata }: KubeObject): ObjectPlace {
  const { name = '', namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
}

const ref = (namespace: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace, name: own.record });

/** Stores a record in the place of the last one. */
export async function writeRecord(client: Client, namespace: string, record: GuardRecord): Promise<void> {
  const data = { record: (await packed(JSON.stringify(record))).toString('base64') };
  const labels = { [partLabel]: 'record' };
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: own.record, namespace, labels },
    data,
  };
  try {
    await client.create(secret, { fieldManager: 'tiphys' });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await client.patch(ref(namespace), 'merge', { metadata: { labels }, data }, { fieldManager: 'tiphys' });
  }
}

/** The stored record; undefined if there is none. */
export async function readRecord(client: Client, namespace: string): Promise<GuardRecord | undefined> {
  const secret = await client.find(ref(namespace));
  const text = ((secret?.data ?? {}) as Record<string, string>).record;
  if (!text) return undefined;
  const bytes = await unpacked(Buffer.from(text, 'base64'), { maxOutputLength: largest });
  return JSON.parse(bytes.toString('utf8')) as GuardRecord;
}
