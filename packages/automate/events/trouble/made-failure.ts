import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';

const madeFails = defineDiagnosis(
  'TriggeredObjectsFail',
  'A trigger of a Sensor acts, and what it makes fails each time',
  'E7',
);

interface Failing {
  readonly sensor: string;
  readonly trigger: string;
  readonly kind: string;
  /** `namespace/name` of the newest that has ended. */
  readonly last: string;
  /** How many in a row have failed. */
  readonly count: number;
  /** Whether none of those that are there has succeeded. */
  readonly all: boolean;
  readonly reason: string;
  /** What explains how the last one ended. */
  readonly cause: Diagnosis | undefined;
}

export function madeFailure({ sensor, trigger, kind, last, count, all, reason, cause }: Failing): Diagnosis {
  const which = count === 1 ? `The ${kind}` : `${all ? 'All' : 'The last'} ${count} ${kind}s`;
  const [namespace, name] = last.split('/');
  return diagnose(madeFails, {
    message: `${which} of trigger ${trigger} failed${count === 1 ? '' : `, last ${last}`}: ${cause?.message ?? reason}`,
    place: { object: sensor, field: `spec.triggers[name=${trigger}]` },
    evidence: { last: `${kind} ${last}`, failed: String(count) },
    remedies: cause?.remedies ?? [
      {
        text: `Correct what the message names in the ${kind} of the trigger; this goes when one succeeds, or when those that failed are deleted`,
        paste: `kubectl describe ${kind.toLowerCase()} ${name} -n ${namespace}`,
      },
    ],
    ...(cause ? { causes: [cause] } : {}),
  });
}
