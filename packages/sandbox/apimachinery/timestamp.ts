import type { Clock } from '@tiphys/kubernetes';

/** The clock's time as `metadata.creationTimestamp` writes it. */
export function timestamp(clock: Clock, plusSeconds = 0): string {
  return `${new Date(clock.now() + plusSeconds * 1000).toISOString().slice(0, 19)}Z`;
}
