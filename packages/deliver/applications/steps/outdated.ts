import { CacheStopped } from '@tiphys/engine';
import { isConflict } from '@tiphys/kubernetes';

/**
 * Whether a pass rests on what is no more: somebody else wrote the application between two stages, or its cluster is followed anew. The next pass
 * goes on from what is stored.
 */
export function isOutdated(error: unknown): boolean {
  return isConflict(error) || error instanceof CacheStopped;
}
