import type { Application, ApplicationSet } from '@tiphys/api';
import { stepOfEach } from './steps.ts';

/**
 * The Applications to be deleted next when a set is deleted in reverse order: those of the last step that has any, those of no step
 * before all. Empty when none is left, so that the set may go.
 */
export function nextDeletions(set: ApplicationSet, current: readonly Application[]): readonly Application[] {
  const stepOf = stepOfEach(set, current);
  const rank = ({ metadata }: Application) => stepOf.get(metadata.name ?? '') ?? Number.POSITIVE_INFINITY;
  const last = Math.max(...current.map(rank));
  return current.filter((application) => rank(application) === last);
}
