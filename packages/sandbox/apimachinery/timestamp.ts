import { type Clock, timestamp as written } from '@tiphys/kubernetes';

/** The clock's time as `metadata.creationTimestamp` writes it. */
export function timestamp(clock: Clock, plusSeconds = 0): string {
  return written(clock.now() + plusSeconds * 1000);
}
