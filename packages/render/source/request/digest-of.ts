import { createHash } from 'node:crypto';

/** SHA-256 of a value as JSON, in hexadecimal. Keys count in the order in which they were set. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
