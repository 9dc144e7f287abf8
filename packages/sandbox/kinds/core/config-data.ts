import { isDeepStrictEqual } from 'node:util';
import type { FieldErrors } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import { configKeyProblems } from '../shared/field-rules.ts';

export function validateKeys(data: object | undefined, path: string, errors: FieldErrors): void {
  for (const key of Object.keys(data ?? {}))
    for (const text of configKeyProblems(key)) errors.invalid(`${path}[${key}]`, key, text);
}

/** `immutable: true` can't be taken back and forbids changes of the data. */
export function validateImmutable(
  object: KubeObject,
  old: KubeObject,
  fields: readonly string[],
  errors: FieldErrors,
): void {
  if (old.immutable !== true) return;
  if (object.immutable !== true) errors.forbidden('immutable', 'field is immutable when `immutable` is set');
  for (const field of fields)
    if (!isDeepStrictEqual(object[field], old[field]))
      errors.forbidden(field, 'field is immutable when `immutable` is set');
}

/** Bytes that ConfigMaps and Secrets hold at most. */
export const MAX_DATA = 1024 * 1024;

export function decodedSize(data: object): number {
  return Object.values(data as Record<string, string>).reduce(
    (sum, text) => sum + Buffer.byteLength(text ?? '', 'base64'),
    0,
  );
}
