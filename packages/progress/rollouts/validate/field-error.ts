/** One thing that is wrong with a field, in the words of Kubernetes' API machinery. */
export interface FieldError {
  readonly path: string;
  /** With the path, as in `spec.replicas: Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string;
}

export function invalid(path: string, value: unknown, detail: string): FieldError {
  return { path, message: `${path}: Invalid value: ${printed(value)}: ${detail}` };
}

export function required(path: string, detail: string): FieldError {
  return { path, message: `${path}: Required value: ${detail}` };
}

export function internal(path: string, detail: string): FieldError {
  return { path, message: `${path}: Internal error: ${detail}` };
}

function printed(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

export function nonNegative(path: string, value: number): FieldError[] {
  return value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}
