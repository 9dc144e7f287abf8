import type { FieldErrors } from '@tiphys/apimachinery';

const TEXT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A count, or a percentage of one; at most 100% where `limited`. */
export function validateIntOrPercent(
  value: unknown,
  path: string,
  errors: FieldErrors,
  { limited }: { limited: boolean },
): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'number') {
    if (value < 0) errors.invalid(path, value, 'must be greater than or equal to 0');
  } else if (!/^[0-9]+%$/.test(String(value))) errors.invalid(path, value, TEXT);
  else if (limited) validateAtMostAll(value, path, errors);
}

/** A percentage has to be one of something. */
export function validateAtMostAll(value: unknown, path: string, errors: FieldErrors): void {
  if (/^[0-9]+%$/.test(String(value)) && Number.parseInt(String(value), 10) > 100)
    errors.invalid(path, value, 'must not be greater than 100%');
}
