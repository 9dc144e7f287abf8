import { type FieldErrors, isDnsSubdomain } from '@tiphys/apimachinery';

export function validateDriverName(name: string, at: string, errors: FieldErrors): void {
  if (!name) errors.required(at);
  if (name.length > 63) errors.tooLong(at, 63);
  for (const text of isDnsSubdomain(name.toLowerCase())) errors.invalid(at, name, text);
}
