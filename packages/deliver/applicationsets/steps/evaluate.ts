import { type StepOutcome, timestamp } from '@tiphys/controller';
import { formatDiagnosis } from '@tiphys/diagnosis';
import { requeueAfter } from '../generators/evaluate.ts';
import { generateApplications } from '../generators/generate-applications.ts';
import { deletesInReverse } from '../rollout/steps.ts';
import { mayDelete, policyOf } from '../settings/settings.ts';
import { conditionsOf, setConditions } from '../status/conditions.ts';
import { resourcesFinalizer } from '../template/render-application.ts';
import { newWork, refreshAnnotation, retryDelay, type SetPass } from './reconciliation.ts';

/** Diagnoses that a status holds at most. */
const mostDiagnoses = 20;

/**
 * Asks the generators, unless what they said still holds. Upstream rule: if anything fails, nothing is changed; it is tried again
 * by itself.
 */
export async function evaluate(pass: SetPass): Promise<StepOutcome> {
  const { next, context, memory, clock, signal } = pass;
  memory.work = newWork();
  const settings = context.settings();
  const finalizers = next.metadata.finalizers ?? [];
  // the Applications that the policy keeps must be let go before the garbage collector comes
  const holds = (settings.progressiveSyncs && deletesInReverse(next)) || !mayDelete(policyOf(next, settings));
  if (holds && !finalizers.includes(resourcesFinalizer)) {
    next.metadata.finalizers = [...finalizers, resourcesFinalizer];
    await pass.checkpoint();
  }
  const refresh = memory.lookAgain || next.metadata.annotations?.[refreshAnnotation] !== undefined;
  const due = memory.evaluateAt !== undefined && clock.now() >= memory.evaluateAt;
  const known = memory.generationOf === next.metadata.generation ? memory.generation : undefined;
  if (!known || known.failures.length > 0 || memory.stale || refresh || due) {
    // what changes from here on is for the next evaluation
    memory.stale = false;
    memory.lookAgain = false;
    memory.generation = await generateApplications(next, context.sources, { refresh, signal });
    memory.generationOf = next.metadata.generation;
  }
  const times = (next.spec.generators ?? []).map((generator) => requeueAfter(generator, context.sources));
  const wanted = times.filter((time) => time !== undefined);
  if (wanted.length > 0) {
    const again = Math.min(...wanted);
    memory.evaluateAt = clock.now() + again;
    pass.requeueIn(again);
  } else memory.evaluateAt = undefined;
  const { failures = [], gaps = [], notices = [] } = memory.generation ?? {};
  memory.work.diagnoses.push(...gaps, ...notices);
  const [first] = failures;
  if (!first) return 'continue';
  const told = formatDiagnosis(first.diagnosis);
  const message = failures.length > 1 ? `${told} (and ${failures.length - 1} more)` : told;
  setConditions(pass.status, conditionsOf({ kind: 'error', reason: first.reason, message }, false), {
    at: timestamp(clock.now()),
  });
  pass.status.diagnoses = failures.map(({ diagnosis }) => diagnosis).slice(0, mostDiagnoses);
  pass.requeueIn(retryDelay(memory.failures));
  memory.failures += 1;
  return 'stop';
}
