import { createHash } from 'node:crypto';
import { type Diagnosis, diagnosisOf } from '@tiphys/diagnosis';
import { compile, type Program } from '@tiphys/expr';
import { sprintf, type ValueMap } from '@tiphys/template';
import type { Condition } from '../model/notification.ts';

/** What a condition of a trigger found. */
export interface ConditionResult {
  /** `[0].HASH`: which condition of the trigger, with what text. Part of the keys of the state. */
  readonly key: string;
  /** The condition as it is written. */
  readonly when: string;
  readonly triggered: boolean;
  /** What it is sent once for; empty for once each time that the condition begins to hold. */
  readonly oncePer: string;
  readonly templates: readonly string[];
  /** Why the condition, or `oncePer`, could not be evaluated; it does not hold then. */
  readonly problem?: Diagnosis;
}

interface Compiled {
  readonly condition: Condition;
  readonly key: string;
  readonly when: Program | Diagnosis;
  readonly oncePer?: Program | Diagnosis;
}

/** A trigger that can be asked about objects. */
export class Trigger {
  readonly #conditions: readonly Compiled[];

  constructor(conditions: readonly Condition[]) {
    this.#conditions = conditions.map((condition, i) => {
      const { when, oncePer } = condition;
      return {
        condition,
        key: `[${i}].${hashOf(when)}`,
        when: compiled(when || 'false'),
        ...(oncePer ? { oncePer: compiled(oncePer) } : {}),
      };
    });
  }

  /** What is wrong with its expressions. */
  problems(): Diagnosis[] {
    return this.#conditions.flatMap(({ when, oncePer }) => [when, oncePer].filter(isDiagnosis));
  }

  /** The conditions that no `when` restricts: they hold at each Event that the trigger is named after. */
  atEvents(): ConditionResult[] {
    return this.#conditions
      .filter(({ condition }) => !condition.when)
      .map(({ condition, key }) => ({ key, when: '', triggered: true, oncePer: '', templates: condition.send }));
  }

  evaluate(variables: ValueMap, now: () => number): ConditionResult[] {
    return this.#conditions.map(({ condition, key, when, oncePer }) => {
      const result = { key, when: condition.when, templates: condition.send, oncePer: '' };
      const held = run(when, variables, now);
      if (isDiagnosis(held)) return { ...result, triggered: false, problem: held };
      if (held.value !== true) return { ...result, triggered: false };
      if (!oncePer) return { ...result, triggered: true };
      const once = run(oncePer, variables, now);
      if (isDiagnosis(once)) return { ...result, triggered: true, problem: once };
      return { ...result, triggered: true, oncePer: sprintf('%v', [once.value]) };
    });
  }
}

type Outcome = { readonly value: ReturnType<Program['run']> } | Diagnosis;

const isDiagnosis = (value: unknown): value is Diagnosis =>
  value !== null && typeof value === 'object' && 'code' in value && 'message' in value;

function compiled(text: string): Program | Diagnosis {
  try {
    return compile(text);
  } catch (error) {
    return diagnosisOf(error);
  }
}

function run(program: Program | Diagnosis, variables: ValueMap, now: () => number): Outcome {
  if (isDiagnosis(program)) return program;
  try {
    return { value: program.run(variables, { now }) };
  } catch (error) {
    return diagnosisOf(error);
  }
}

/** As upstream's keys have it: SHA-1, base64url without padding. */
function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64url');
}
