import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { fieldProblems } from '../spec/fields/field-problem.ts';

const ignoredField = defineDiagnosis(
  'EventsFieldIgnored',
  'An EventSource, a Sensor or an EventBus gives a field that has no effect where it stands',
);

/** Fields of an EventSource, a Sensor or an EventBus that have no effect. */
export function ignoredFields({ kind, metadata, spec }: KubeObject & { readonly spec?: unknown }): Diagnosis[] {
  const object = `argoproj.io/${kind} ${metadata.namespace}/${metadata.name}`;
  return fieldProblems(spec, kind, 'spec').map(({ field, text, remedy }) =>
    diagnose(ignoredField, { message: `${text}: ${remedy}`, place: { object, field }, remedies: [sentence(remedy)] }),
  );
}

function sentence(remedy: string): string {
  if (remedy.startsWith('it belongs to ')) return `Move it to ${remedy.slice('it belongs to '.length)}`;
  return remedy.startsWith('there are ')
    ? 'Correct or remove it'
    : `${remedy.slice(0, 1).toUpperCase()}${remedy.slice(1)}`;
}
