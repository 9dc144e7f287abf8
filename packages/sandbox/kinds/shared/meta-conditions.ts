import { type FieldErrors, qualifiedNameProblems } from '@tiphys/apimachinery';

/** A `metav1.Condition`. */
export interface Condition {
  type?: string;
  status?: string;
  observedGeneration?: number;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
}

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

const REASON_TEXT =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

const MAX_REASON = 1024;

const MAX_MESSAGE = 32 * 1024;

/** Conditions of the common type, each of another type. */
export function validateMetaConditions(conditions: readonly Condition[], path: string, errors: FieldErrors): void {
  for (const [index, { type = '', status = '', observedGeneration = 0, ...told }] of conditions.entries()) {
    const at = `${path}[${index}]`;
    if (conditions.findIndex((other) => (other.type ?? '') === type) < index) errors.duplicate(`${at}.type`, type);
    for (const text of qualifiedNameProblems(type)) errors.invalid(`${at}.type`, type, text);
    if (!['False', 'True', 'Unknown'].includes(status))
      errors.notSupported(`${at}.status`, status, ['False', 'True', 'Unknown']);
    if (observedGeneration < 0)
      errors.invalid(`${at}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero');
    if (!told.lastTransitionTime) errors.required(`${at}.lastTransitionTime`);
    const { reason = '', message = '' } = told;
    if (!reason) errors.required(`${at}.reason`);
    else if (!REASON.test(reason)) errors.invalid(`${at}.reason`, reason, REASON_TEXT);
    if (Buffer.byteLength(reason) > MAX_REASON) errors.tooLong(`${at}.reason`, MAX_REASON);
    if (Buffer.byteLength(message) > MAX_MESSAGE) errors.tooLong(`${at}.message`, MAX_MESSAGE);
  }
}
