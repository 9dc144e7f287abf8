import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { fieldProblems } from '../spec/fields/field-problem.ts';

const ignoredField = defineDiagnosis(
  'EventsFieldIgnored',
  'An EventSource, a Sensor or an EventBus gives a field that has no effect where it stands',
);

const most = 10;

/** Fields of an EventSource, a Sensor or an EventBus that have no effect. */
export function ignoredFields({ kind, metadata, spec }: KubeObject & { readonly spec?: unknown }): Diagnosis[] {
  const object = `argoproj.io/${kind} ${metadata.namespace}/${metadata.name}`;
  const ignored = fieldProblems(spec, kind, 'spec').filter(({ isRefused }) => !isRefused);
  return ignored
    .slice(0, most)
    .map(({ field, text, hint, remedy }) =>
      diagnose(ignoredField, { message: `${text}: ${hint}`, place: { object, field }, remedies: [remedy] }),
    );
}
