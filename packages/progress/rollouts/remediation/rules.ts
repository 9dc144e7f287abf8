import { conditionHolds } from '@tiphys/analysis';
import type { Rollout } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { goDuration } from '@tiphys/go';
import { parseDocuments } from '@tiphys/yaml';

/** Annotations of a Rollout: the rules, which people write, and how far they are. */
export const remediationAnnotations = {
  rules: 'tiphys.dev/remediation',
  state: 'tiphys.dev/remediation-state',
} as const;

export const remedies = ['restart', 'abort', 'rollback', 'notify'] as const;
export type Remedy = (typeof remedies)[number];

/** One rule of the annotation `tiphys.dev/remediation`: when something holds for a time, something is done, a number of times. */
export interface RemediationRule {
  /** An expression over `rollout`. */
  readonly when: string;
  /** Milliseconds for which it must hold. */
  readonly for: number;
  readonly do: Remedy;
  /** How often for one revision. */
  readonly atMost: number;
}

export const remediationInvalid = defineDiagnosis(
  'RolloutRemediationInvalid',
  'A remediation rule of a Rollout cannot be read, so nothing is remedied',
);

const mostRules = 10;
const mostTimes = 10;
const defaultTimes = 3;
const largest = 8 * 1024;
const fields = new Set(['when', 'for', 'do', 'atMost']);

/** The rules of a Rollout. Throws `RolloutRemediationInvalid` with the field that is wrong. */
export function rulesOf(rollout: Rollout): readonly RemediationRule[] {
  const text = rollout.metadata.annotations?.[remediationAnnotations.rules];
  if (text === undefined) return [];
  if (text.length > largest) throw invalid(rollout, `it has more than ${largest} characters`);
  let value: unknown;
  try {
    value = parseDocuments(text, { file: remediationAnnotations.rules }).documents[0]?.value;
  } catch (error) {
    throw invalid(rollout, (error as Error).message);
  }
  const all = Array.isArray(value) ? value : [value];
  if (all.length > mostRules) throw invalid(rollout, `it has more than ${mostRules} rules`);
  return all.map((each: unknown) => {
    const rule = ruleOf(rollout, each);
    holds(rule, rollout);
    return rule;
  });
}

function ruleOf(rollout: Rollout, value: unknown): RemediationRule {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(rollout, 'a rule is a map with when, for, do and atMost');
  const given = new Map<string, unknown>(Object.entries(value));
  for (const name of given.keys()) if (!fields.has(name)) throw invalid(rollout, `it has the unknown field ${name}`);
  const when = given.get('when');
  const action = given.get('do');
  const atMost = given.get('atMost') ?? defaultTimes;
  if (typeof when !== 'string' || when === '') throw invalid(rollout, 'when is an expression');
  if (!remedies.includes(action as Remedy)) throw invalid(rollout, `do is one of ${remedies.join(', ')}`);
  if (!Number.isInteger(atMost) || Number(atMost) < 1 || Number(atMost) > mostTimes)
    throw invalid(rollout, `atMost is a number from 1 to ${mostTimes}`);
  return { when, for: durationOf(rollout, given.get('for')), do: action as Remedy, atMost: Number(atMost) };
}

function durationOf(rollout: Rollout, value: unknown): number {
  const milliseconds = goDuration(String(value ?? ''));
  if (milliseconds !== undefined && milliseconds >= 0) return milliseconds;
  throw invalid(rollout, 'for is a duration, such as 90s or 5m');
}

/** Whether what a rule waits for is so now. Throws `RolloutRemediationInvalid` if that cannot be told. */
export function holds({ when }: RemediationRule, rollout: Rollout): boolean {
  try {
    return conditionHolds(when, { name: 'rollout', value: rollout });
  } catch (error) {
    throw invalid(rollout, `when: ${(error as Error).message}`);
  }
}

function invalid({ metadata }: Rollout, why: string): Error {
  return failure(remediationInvalid, {
    message: `The annotation ${remediationAnnotations.rules} is not understood: ${why}`,
    place: { object: `Rollout ${metadata.namespace}/${metadata.name}`, field: 'metadata.annotations' },
    remedies: [
      `Write it as in docs/rollouts.md, such as {when: 'rollout.status.phase == "Degraded"', for: 5m, do: restart}`,
    ],
  });
}
