import type { RolloutStatus } from '@tiphys/api';
import { copyJson } from '@tiphys/controller';
import { conditionOf, removeCondition, setCondition } from '../decide/conditions.ts';
import { phaseOf } from '../decide/phase.ts';
import type { FieldError } from '../validate/field-error.ts';
import { diagnoseInvalid } from '../validate/invalid-diagnosis.ts';
import type { RolloutPass } from './turn.ts';

/** An invalid Rollout is looked at again after this time, in milliseconds: what is missing may have been made. */
const invalidRetry = 20_000;

/** More of them would only repeat what one mistake brings. */
const mostTold = 5;

/** Tells by condition, phase and diagnoses that a Rollout is invalid; nothing of it is touched meanwhile. The first problem is the condition's, as upstream. */
export async function refuse(pass: RolloutPass, problems: readonly [FieldError, ...FieldError[]]): Promise<void> {
  const [{ message }] = problems;
  const { before, next } = pass;
  const now = pass.clock.now();
  const text = `The Rollout "${before.metadata.name}" is invalid: ${message}`;
  const status: RolloutStatus = copyJson(before.status ?? {});
  if (conditionOf(status, 'InvalidSpec')?.message !== text) removeCondition(status, 'InvalidSpec');
  setCondition(status, { type: 'InvalidSpec', status: 'True', reason: 'InvalidSpec', message: text }, now);
  status.observedGeneration = String(before.metadata.generation ?? 0);
  const phase = phaseOf({ ...before, status });
  const diagnoses = problems.slice(0, mostTold).map((problem) => diagnoseInvalid(before, problem));
  next.status = { ...status, ...phase, diagnoses };
  await pass.checkpoint();
  pass.requeueIn(invalidRetry);
}
