import type { Diagnosis } from '../api/model.ts';

export interface DiagnosisGroup {
  readonly diagnosis: Diagnosis;
  /** The same cause at other places. */
  readonly others: readonly Diagnosis[];
}

/** One cause is reported once, however many objects it holds up. */
export function groupDiagnoses(diagnoses: readonly Diagnosis[]): DiagnosisGroup[] {
  const groups = new Map<string, Diagnosis[]>();
  for (const diagnosis of diagnoses) {
    const key = `${diagnosis.code} ${diagnosis.message}`;
    groups.set(key, [...(groups.get(key) ?? []), diagnosis]);
  }
  return [...groups.values()].map(([diagnosis, ...others]) => ({ diagnosis: diagnosis as Diagnosis, others }));
}
