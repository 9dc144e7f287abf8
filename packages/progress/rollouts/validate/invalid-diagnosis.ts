import type { Rollout } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { FieldError } from './field-error.ts';

const invalidSpec = defineDiagnosis(
  'RolloutInvalid',
  'The spec of a Rollout is not valid, so that nothing of it is touched',
  'O9',
);

const referenceMissing = defineDiagnosis(
  'RolloutReferenceMissing',
  'A Rollout refers to a Service, a route or a template that is not there',
  'O5',
);

/** Longer values say no more. */
const longestValue = 300;

/** One thing that is wrong with a Rollout, with the field as the Rollout has it and what mends it. */
export function diagnoseInvalid({ metadata, spec }: Rollout, error: FieldError): Diagnosis {
  const { detail, value, remedies, isMissing = false, finding } = error;
  const object = `argoproj.io/Rollout ${metadata.namespace}/${metadata.name}`;
  const field = actualField(error.path, spec.strategy);
  // of what was found out elsewhere the field is known here alone
  if (finding) return { ...finding, place: { field, ...finding.place, object } };
  return diagnose(isMissing ? referenceMissing : invalidSpec, {
    message: `${field}: ${detail}`,
    place: { object, field },
    evidence: { found: (value === undefined ? undefined : (writtenAt(spec, field) ?? value))?.slice(0, longestValue) },
    remedies: remedies ?? [
      value === undefined
        ? `Set ${field}; \`tiphys rollouts lint -f FILE\` looks at a manifest before it is applied`
        : `Correct ${field}; \`tiphys rollouts lint -f FILE\` looks at a manifest before it is applied`,
    ],
  });
}

/** What the Rollout itself has at a field, as JSON: upstream's words for it may be what became of it. Undefined if it has nothing there. */
function writtenAt(spec: Rollout['spec'], field: string): string | undefined {
  let value: unknown = { spec };
  for (const [step] of field.matchAll(/[^.[\]]+/g)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return JSON.stringify(value);
}

/** Upstream's words leave the kind of the strategy out of some paths: the field is told where the Rollout has it. */
function actualField(path: string, { blueGreen, canary }: Rollout['spec']['strategy']): string {
  if (path === 'spec.strategy.strategy') return 'spec.strategy';
  const [, rest] = /^spec\.strategy\.(?!canary\b|blueGreen\b)(.+)$/.exec(path) ?? [];
  if (rest === undefined || (!blueGreen && !canary)) return path;
  return `spec.strategy.${blueGreen ? 'blueGreen' : 'canary'}.${rest}`;
}
