import type { Diagnosis } from '../api/model.ts';

/** Diagnoses that are worth knowing although nothing is wrong. */
const informative = new Set(['GeneratedValuesDiffer', 'GeneratedCertificateExpires', 'LookupRefused']);

/** Whether nothing is wrong. */
export function isInformative({ code }: Diagnosis): boolean {
  return informative.has(code);
}

/** Whether a diagnosis asks for nothing to be done at once. */
export function isNotice(diagnosis: Diagnosis): boolean {
  const { condition } = diagnosis;
  return isInformative(diagnosis) || condition === 'SyncError' || (condition?.endsWith('Warning') ?? false);
}
