import type { AppProject } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';

const unsupportedField = defineDiagnosis(
  'UnsupportedField',
  'The field is part of the API but Tiphys cannot act on it yet',
);

/** Field path, a test for its use, and what to do instead. Listed in docs/limits.md. */
const unsupportedProject: readonly [field: string, used: (project: AppProject) => boolean, remedy: string][] = [
  [
    'spec.signatureKeys',
    ({ spec }) => (spec.signatureKeys?.length ?? 0) > 0,
    'Remove the keys: signatures are not verified yet',
  ],
  [
    'spec.sourceIntegrity',
    ({ spec }) => spec.sourceIntegrity !== undefined,
    'Remove it: signatures are not verified yet',
  ],
];

/** A diagnosis for each field in use that would otherwise be ignored. */
export function unsupportedFields(project: AppProject | undefined): Diagnosis[] {
  const ofProject = project ? unsupportedProject.filter(([, used]) => used(project)) : [];
  return ofProject.map(([field, , remedy]) =>
    refusal(field, `AppProject ${project?.metadata.namespace}/${project?.metadata.name}`, remedy),
  );
}

function refusal(field: string, object: string, remedy: string): Diagnosis {
  return diagnose(unsupportedField, {
    message: `${field} is not supported yet`,
    place: { object, field },
    remedies: [remedy],
  });
}
