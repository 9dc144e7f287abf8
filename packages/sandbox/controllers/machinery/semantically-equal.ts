import { isDeepStrictEqual } from 'node:util';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * The label `pod-template-hash` and the like: 32-bit FNV-1a of the value's canonical JSON, written in the alphabet of
 * Kubernetes' SafeEncodeString. The real one hashes a dump of Go structs, so that the names differ but have the same form.
 */
export function templateHash(value: unknown, collisionCount?: number): string {
  const text = canonicalJson(value) + (collisionCount === undefined ? '' : `#${collisionCount}`);
  return safeEncode(String(fnv32a(text)));
}

export function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** Replaces each character by one that cannot form words (`rand.SafeEncodeString`). */
export function safeEncode(text: string): string {
  let out = '';
  for (const char of text) out += alphabet[char.charCodeAt(0) % alphabet.length];
  return out;
}

/** Equality as `apiequality.Semantic` has it for API objects: absent, null and empty are the same. */
export function semanticallyEqual(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || canonicalJson(a) === canonicalJson(b);
}

function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: unknown) => {
      if (item === null || typeof item !== 'object') return item ?? undefined;
      if (Array.isArray(item)) return item.length > 0 ? item : undefined;
      const entries = Object.entries(item).filter(([, child]) => !isEmpty(child));
      return entries.length > 0
        ? Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
        : undefined;
    }) ?? ''
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}
