import { badRequest, type Resource, StatusError } from '@tiphys/apimachinery';
import type { Store } from '@tiphys/store';

/** Reads the `resourceVersion` of a list; BadRequest for what is none. */
export function parseRevision(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw badRequest(`invalid resource version: ${unreadable(text)}`);
}

/** Reads the one of a get or a watch, where what is none is, as in the real server, an error without a reason. */
export function plainRevision(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new StatusError(500, '', unreadable(text));
}

function unreadable(text: string): string {
  const quoted = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
}

/**
 * Refuses a revision that the store has not reached. kube-apiserver waits for it for three seconds, since another server may
 * have told of it; here no other one can have, so that it is of another store and nothing is gained by waiting.
 */
export function requireReached({ revision: current }: Store, resource: Resource, revision: number): void {
  if (revision <= current) return;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  // Events are not cached by kube-apiserver, which therefore has not waited for them.
  const retry = resource.collection === 'events' ? {} : { retryAfterSeconds: 1 };
  const message = `Timeout: Too large resource version: ${revision}, current: ${current}`;
  throw new StatusError(504, 'Timeout', message, { causes, ...retry });
}
