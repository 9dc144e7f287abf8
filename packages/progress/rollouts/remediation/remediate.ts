import type { Rollout, RolloutStatus } from '@tiphys/api';
import { timestamp } from '@tiphys/controller';
import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import { hashOf, type ReplicaSet, type ReplicaSets, revisionOf } from '../objects/replica-set.ts';
import { templateOfRevision } from '../verbs/undo.ts';
import { holds, type RemediationRule, remediationAnnotations, rulesOf } from './rules.ts';

const remediationExhausted = defineDiagnosis(
  'RolloutRemediationExhausted',
  'What a Rollout was to be remedied of goes on after all tries',
);

/** What is needed of a pass over a Rollout. */
export interface Remediable {
  /** As it was read. */
  readonly rollout: Rollout;
  /** The copy that is written. */
  readonly pass: { readonly next: Rollout };
  readonly sets: ReplicaSets;
  readonly desired: ReplicaSet;
  readonly status: RolloutStatus;
  readonly revision: number;
  readonly namespace: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly pauses: { abort(message: string): void };
  event(type: 'Normal' | 'Warning', reason: string, message: string): void;
  requeueIn(milliseconds: number): void;
}

/** How far one rule is; kept in an annotation, so that a number of tries outlives the process. */
interface RuleState {
  /** RFC 3339; absent while it does not hold. */
  since?: string;
  done: number;
}

interface State {
  /** The revision that the tries are counted for. */
  hash: string;
  rules: RuleState[];
}

/**
 * Follows the remediation rules of a Rollout and does what is due, at most one thing in a pass. Conditions are asked of the Rollout as it
 * was read. What was done is noted with the change itself, before anything else can happen.
 */
export function remediate(turn: Remediable, status: Pick<RolloutStatus, 'diagnoses'>): void {
  const { next } = turn.pass;
  const read = rulesAndProblem(turn.rollout);
  if ('problem' in read) {
    tell(status, read.problem);
    return;
  }
  const { rules } = read;
  const before = next.metadata.annotations?.[remediationAnnotations.state];
  if (rules.length === 0 && before === undefined) return;
  const state = stateOf(before, hashOf(turn.desired), rules.length);
  let isDone = false;
  rules.forEach((rule, index) => {
    const each = state.rules[index] as RuleState;
    if (!holds(rule, turn.rollout)) {
      delete each.since;
      return;
    }
    each.since ??= timestamp(turn.now);
    const left = Date.parse(each.since) + rule.for - turn.now;
    if (each.done >= rule.atMost) {
      if (left <= 0) tell(status, exhausted(turn, rule));
      return;
    }
    if (left > 0 || isDone) {
      turn.requeueIn(Math.max(left, 0));
      return;
    }
    isDone = true;
    each.done += 1;
    each.since = timestamp(turn.now);
    const what = act(turn, rule);
    const times = `${each.done} of ${rule.atMost}`;
    turn.event('Warning', 'RolloutRemedied', `${what}, since ${rule.when} held for ${rule.for / 1000} s (${times})`);
    turn.requeueIn(rule.for);
  });
  const after = rules.length === 0 ? undefined : JSON.stringify(state);
  if (after === before) return;
  const { [remediationAnnotations.state]: _, ...others } = next.metadata.annotations ?? {};
  next.metadata.annotations = after === undefined ? others : { ...others, [remediationAnnotations.state]: after };
}

export function rulesAnnotated({ metadata }: Rollout): boolean {
  return metadata.annotations?.[remediationAnnotations.rules] !== undefined;
}

function rulesAndProblem(rollout: Rollout): { rules: readonly RemediationRule[] } | { problem: Diagnosis } {
  try {
    return { rules: rulesOf(rollout) };
  } catch (error) {
    return { problem: diagnosisOf(error) };
  }
}

/** Another revision, or an annotation that cannot be read, begins to count anew. */
function stateOf(text: string | undefined, hash: string, count: number): State {
  const fresh = () => ({ hash, rules: Array.from({ length: count }, () => ({ done: 0 })) });
  if (text === undefined) return fresh();
  try {
    const { hash: noted, rules } = JSON.parse(text) as Partial<State>;
    if (noted !== hash || !Array.isArray(rules) || rules.length !== count) return fresh();
    return {
      hash,
      rules: rules.map(({ since, done }) => ({
        ...(Number.isNaN(Date.parse(since ?? '')) ? {} : { since: String(since) }),
        done: Number.isInteger(done) && done >= 0 ? done : 0,
      })),
    };
  } catch {
    return fresh();
  }
}

/** Does it, and says what was done. */
function act(turn: Remediable, { do: remedy }: RemediationRule): string {
  const { next } = turn.pass;
  switch (remedy) {
    case 'restart':
      next.spec.restartAt = timestamp(turn.now);
      return 'Restarted';
    case 'notify':
      return 'Told';
    case 'abort':
      turn.pauses.abort('Aborted by a remediation rule');
      return 'Aborted';
    case 'rollback':
      return rollBack(turn);
  }
}

/** An update under way goes back to stable; a finished one gives way to the template of the revision before. */
function rollBack(turn: Remediable): string {
  const { status, sets, rollout } = turn;
  if (status.stableRS && status.stableRS !== hashOf(turn.desired)) {
    turn.pauses.abort('Rolled back by a remediation rule');
    return 'Rolled back to the stable revision';
  }
  const earlier = sets.all.filter((set: ReplicaSet) => revisionOf(set) < turn.revision);
  if (earlier.length === 0 || rollout.spec.workloadRef)
    return 'Could not roll back, as there is no earlier template of its own';
  const { revision, template } = templateOfRevision(rollout, sets.all, 0);
  turn.pass.next.spec.template = template;
  return `Rolled back to the template of revision ${revision}`;
}

function exhausted(turn: Remediable, { when, atMost, do: remedy }: RemediationRule): Diagnosis {
  return diagnose(remediationExhausted, {
    message: `${when} still holds, and ${remedy} has been done ${atMost === 1 ? 'once' : `${atMost} times`}: nothing more is done by itself`,
    place: { object: `argoproj.io/Rollout ${turn.namespace}/${turn.rollout.metadata.name}` },
    remedies: ['Look at the other diagnoses and Events of the Rollout', 'The count begins anew with the next revision'],
  });
}

function tell(status: Pick<RolloutStatus, 'diagnoses'>, diagnosis: Diagnosis): void {
  status.diagnoses = [...(status.diagnoses ?? []), diagnosis];
}
