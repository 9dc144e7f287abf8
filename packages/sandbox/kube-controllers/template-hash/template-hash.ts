import type { PodTemplate } from '../machinery/workload-model.ts';
import { dumpGo } from './go-dump.ts';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** The label `pod-template-hash`, and the one of a DaemonSet's pods: the same as kube-controller-manager's (`ComputeHash`). */
export function templateHash(template: PodTemplate, collisionCount?: number): string {
  const collisions = Buffer.alloc(collisionCount === undefined ? 0 : 8);
  if (collisionCount !== undefined) collisions.writeUInt32LE(collisionCount);
  return safeEncode(String(fnv32a(Buffer.concat([Buffer.from(dumpGo('v1.PodTemplateSpec', template)), collisions]))));
}

/** Replaces each character by one that cannot form words (`rand.SafeEncodeString`). */
export function safeEncode(text: string): string {
  let out = '';
  for (const char of text) out += alphabet[char.charCodeAt(0) % alphabet.length];
  return out;
}

function fnv32a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
