import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { hidden, isSecretPath } from '../event/hidden-values.ts';
import type { SpecError, SpecProblem } from '../spec/spec-problem.ts';
import { valueAt } from '../spec/value-at.ts';

const specInvalid = defineDiagnosis(
  'EventsSpecInvalid',
  'The spec of an EventBus, an EventSource or a Sensor is wrong, so that nothing of it runs',
);

const longest = 120;

/** What is wrong with the spec of an object, with what stands there. */
export function specFailure(object: KubeObject, { text, field = 'spec', remedy }: SpecProblem): Diagnosis {
  const { kind, metadata } = object;
  return diagnose(specInvalid, {
    message: `The spec is wrong, and nothing of it runs: ${text}`,
    place: { object: `argoproj.io/${kind} ${metadata.namespace}/${metadata.name}`, field },
    evidence: { [field]: shownAt(object, field) },
    remedies: [remedy],
  });
}

/** What a check of the spec of an object found. */
export function specFailures(object: KubeObject, { message, problem }: SpecError): Diagnosis[] {
  return [specFailure(object, problem ?? { text: message, remedy: 'Correct what the message names' })];
}

/** What a field holds, in short; what is secret by its name is hidden. */
function shownAt(object: KubeObject, field: string): string {
  const value = valueAt(object, field);
  if (value === undefined || value === null || value === '') return 'not given';
  if (typeof value === 'object') return Array.isArray(value) ? `a list of ${value.length}` : keysOf(value);
  if (isSecretPath(field)) return hidden;
  const text = JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function keysOf(value: object): string {
  const names = Object.keys(value).sort();
  return names.length === 0 ? 'an object without fields' : `an object with ${names.slice(0, 12).join(', ')}`;
}
