import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, OwnerReference, ResourceRef } from '@tiphys/kubernetes';
import type { RoutingContext } from './types.ts';

/** JSON data of no known kind. */
export type Json = Record<string, unknown>;

/** The spec of an object of no known kind. */
export function specOf<T extends object = Json>(object: KubeObject): T {
  return (object.spec ?? {}) as T;
}

/** An object with another spec. */
export function withSpec(object: KubeObject, changes: Json): KubeObject {
  return { ...object, spec: { ...specOf(object), ...changes } };
}

export function ownedBy(rollout: KubeObject): OwnerReference {
  const { apiVersion, kind, metadata } = rollout;
  const { name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function isControlledBy(object: KubeObject, rollout: KubeObject): boolean {
  return object.metadata.ownerReferences?.find(({ controller }) => controller)?.uid === rollout.metadata.uid;
}

export function readObject(
  { client, signal }: RoutingContext,
  ref: ResourceRef & { name: string },
): Promise<KubeObject | undefined> {
  return client.find(ref, { signal });
}

/** Reads an object that must be there; the API server's own NotFound is thrown if it is not. */
export function needObject(
  { client, signal }: RoutingContext,
  ref: ResourceRef & { name: string },
): Promise<KubeObject> {
  return client.get(ref, { signal });
}

/**
 * Writes an object if it differs from what was read, with the version that it rests on: a write of somebody else between the two
 * is a Conflict, and the next pass decides anew. Answers whether it was written.
 */
export async function writeChange(
  { client, signal }: RoutingContext,
  before: KubeObject,
  after: KubeObject,
): Promise<boolean> {
  if (isSame(before, after)) return false;
  await client.update(after, { signal });
  return true;
}

/** Does what changes an object of a router; that it fails is reported by a Warning of the reason, too. */
export async function warned<T>(
  { event }: RoutingContext,
  { reason, what }: { reason: string; what: string },
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    event('Warning', reason, `${what}: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
}

export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}
