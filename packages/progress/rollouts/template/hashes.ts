import type { CanaryStep, PodTemplate } from '@tiphys/api';
import { decodeGo, encodeGo } from './go-struct.ts';

/** Letters that make no words and can't be mistaken for each other. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** The template without what Kubernetes does not know or can't read, such as a malformed quantity. */
export function readablePodTemplate(template: PodTemplate): PodTemplate {
  let hasReadableEphemerals = true;
  const readable = (decodeGo(template, 'PodTemplateSpec', (path) => {
    if (path.startsWith('spec.ephemeralContainers')) hasReadableEphemerals = false;
  }) ?? {}) as PodTemplate;
  if (hasReadableEphemerals || !readable.spec) return readable;
  // Kubernetes drops the whole list for one that it can't read
  const { ephemeralContainers: _, ...spec } = readable.spec;
  return { ...readable, spec };
}

/** The places of a template whose values Kubernetes can't read. */
export function unreadablePlaces(template: PodTemplate): string[] {
  const places: string[] = [];
  decodeGo(template, 'PodTemplateSpec', (path) => places.push(path));
  return places;
}

/**
 * The hash that names a template's ReplicaSet, as Argo Rollouts computes it: FNV-1a of the JSON that Go writes, then of the
 * collision count as eight bytes.
 */
export function podTemplateHash(template: PodTemplate, collisionCount?: number): string {
  return safeText(withCollisions(fnv1a(Buffer.from(encodeGo(template, 'PodTemplateSpec'))), collisionCount));
}

/** The same of controllers built with Kubernetes' libraries before 1.34, which wrote `creationTimestamp: null`. */
export function olderPodTemplateHash(template: PodTemplate, collisionCount?: number): string {
  const text = encodeGo(template, 'PodTemplateSpec');
  const start = '{"metadata":{';
  const stamp = '"creationTimestamp":null';
  const older = `${start}${stamp}${text.startsWith(`${start}}`) ? '' : ','}${text.slice(start.length)}`;
  return safeText(withCollisions(fnv1a(Buffer.from(older)), collisionCount));
}

/** Tells whether the steps of a canary were changed; empty for blue-green. */
export function stepHash(steps: readonly CanaryStep[] | undefined): string {
  return safeText(fnv1a(Buffer.from(encodeGo(steps, '[]CanaryStep'))));
}

function withCollisions(hash: number, collisionCount: number | undefined): number {
  if (collisionCount === undefined) return hash;
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(collisionCount);
  return fnv1a(bytes, hash);
}

function fnv1a(bytes: Uint8Array, start = 0x811c9dc5): number {
  let hash = start;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

function safeText(hash: number): string {
  return [...String(hash)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}
