import { type Rollout, rolloutNames } from '@tiphys/api';
import { type Phase, phaseOf } from '../decide/phase.ts';

const progressing = (message: string): Phase => ({ phase: 'Progressing', message });

/** The phase that people are shown: what the controller wrote, but for a change that it has not seen yet. */
export function shownPhase(rollout: Rollout): Phase {
  const { metadata, status = {} } = rollout;
  if (isBehind(status.observedGeneration, metadata.generation))
    return progressing('waiting for rollout spec update to be observed');
  if (status.controllerPause && !status.pauseConditions?.length) return progressing('waiting for rollout to unpause');
  const workload = metadata.annotations?.[rolloutNames.annotations.workloadGeneration];
  if (rollout.spec.workloadRef && workload && isOther(status.workloadObservedGeneration, Number(workload)))
    return progressing('waiting for rollout spec update to be observed for the reference workload');
  return status.phase ? { phase: status.phase, message: status.message ?? '' } : phaseOf(rollout);
}

/** A text that is no number was written by controllers older than 0.10, and tells nothing. */
function isOther(observed: string | undefined, generation: number | undefined): boolean {
  return observed !== undefined && /^\d{1,15}$/.test(observed) && Number(observed) !== generation;
}

function isBehind(observed: string | undefined, generation: number | undefined): boolean {
  return isOther(observed, generation) && Number(observed) < (generation ?? 0);
}

/** A phase as `status` prints it. */
export function phaseLine({ phase, message }: Phase): string {
  return message ? `${phase} - ${message}` : phase;
}
