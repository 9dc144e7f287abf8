import type { Diagnosis } from '@tiphys/diagnosis';

/** One thing that is wrong with a field, in the words of Kubernetes' API machinery. */
export interface FieldError {
  readonly path: string;
  /** With the path, as in `spec.replicas: Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string;
  /** What is wrong, without path and value. */
  readonly detail: string;
  /** The value, as it is printed; absent where one is missing. */
  readonly value?: string;
  /** What mends it, where the detail does not say. */
  readonly remedies?: readonly string[];
  /** Something that the Rollout refers to is not there. */
  readonly isMissing?: boolean;
  /** What was found where something that the Rollout refers to cannot be used; it is told as it is. */
  readonly finding?: Diagnosis;
}

/** What is known of an error beside its words. */
type More = Pick<FieldError, 'remedies' | 'isMissing' | 'finding'>;

export function invalid(path: string, value: unknown, detail: string, more: More = {}): FieldError {
  const shown = printed(value);
  return { path, message: `${path}: Invalid value: ${shown}: ${detail}`, detail, value: shown, ...more };
}

export function required(path: string, detail: string, more: More = {}): FieldError {
  return { path, message: `${path}: Required value: ${detail}`, detail: detail || 'a value is required', ...more };
}

export function internal(path: string, detail: string): FieldError {
  return { path, message: `${path}: Internal error: ${detail}`, detail };
}

function printed(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

export function nonNegative(path: string, value: number): FieldError[] {
  return value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}
