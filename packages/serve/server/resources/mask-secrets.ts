import { isSecret, maskSecrets as maskValues } from '@tiphys/engine';
import type { KubeObject } from '@tiphys/kubernetes';

/**
 * The objects with the values of Secrets replaced by marks, equal values by equal ones, so that a difference stays
 * visible and nothing else does. `stringData` is shown as the `data` that the API server makes of it.
 */
export function maskSecrets<T extends readonly (KubeObject | undefined)[]>(
  objects: T,
  sensitiveAnnotations: readonly string[] = [],
): T {
  return maskValues(
    objects.map((object) => (isSecret(object) ? normalizeSecret(object as KubeObject) : object)) as unknown as T,
    sensitiveAnnotations,
  );
}

function normalizeSecret(secret: KubeObject): KubeObject {
  const { stringData, data, ...rest } = secret;
  const values = { ...fieldsOf(data), ...fieldsOf(stringData, (text) => Buffer.from(text).toString('base64')) };
  return Object.keys(values).length > 0 || data !== undefined ? { ...rest, data: values } : secret;
}

/** What is no object holds no keys, but may hold a secret: it is not shown at all. */
function fieldsOf(value: unknown, encode: (text: string) => unknown = (text) => text): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, typeof item === 'string' ? encode(item) : item]),
  );
}
