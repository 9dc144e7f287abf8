import { type KubeObject, parseApiVersion } from '@tiphys/kubernetes';
import { annotationNames } from './annotations.ts';
import { isObject, type JsonObject } from './fields.ts';

/** What stands for a hidden value; a different length says that two values differ. All are base64, since clients decode them. */
const maskAt = (index: number): string => '+'.repeat(8 + 4 * index);

/** Whether the object itself is a Secret, whatever anybody says it is. */
export function isSecret(object: KubeObject | undefined): boolean {
  if (object === undefined || typeof object.kind !== 'string') return false;
  // what is written wrongly will be no object, but is as secret
  return object.kind.toLowerCase() === 'secret' && parseApiVersion(object.apiVersion).group === '';
}

/**
 * Copies of the objects with every value of `data` and `stringData` hidden, also inside of the annotation
 * `last-applied-configuration` and in the named annotations. Equal values get the same mask at the same key.
 * Objects that are no Secrets are given back as they are, but for the sensitive annotations.
 */
export function maskSecrets<T extends readonly (KubeObject | undefined)[]>(
  objects: T,
  sensitiveAnnotations: readonly string[] = [],
): T {
  const seen = new Map<string, unknown[]>();
  const masked = objects.map((object) => {
    if (!object) return object;
    const copy = { ...object, metadata: { ...object.metadata } };
    if (
      copy.metadata.annotations &&
      sensitiveAnnotations.some((name) => Object.hasOwn(copy.metadata.annotations ?? {}, name))
    ) {
      copy.metadata.annotations = hideAnnotations(copy.metadata.annotations, sensitiveAnnotations, seen);
    }
    return isSecret(object) ? hideSecret(copy, sensitiveAnnotations, seen) : copy;
  });
  return masked as unknown as T;
}

/** One object as it may be shown. */
export function maskSecret<T extends KubeObject>(object: T, sensitiveAnnotations: readonly string[] = []): T {
  return maskSecrets([object], sensitiveAnnotations)[0] as T;
}

function hideSecret(secret: KubeObject, sensitive: readonly string[], seen: Map<string, unknown[]>): KubeObject {
  for (const field of ['data', 'stringData'])
    if (isObject(secret[field])) secret[field] = hideValues(secret[field], field, seen);
  const last = secret.metadata.annotations?.[annotationNames.lastApplied];
  if (last !== undefined)
    secret.metadata.annotations = {
      ...secret.metadata.annotations,
      [annotationNames.lastApplied]: hideLastApplied(last, sensitive, seen),
    };
  return secret;
}

function hideLastApplied(text: string, sensitive: readonly string[], seen: Map<string, unknown[]>): string {
  try {
    const last: unknown = JSON.parse(text);
    if (!isObject(last)) return maskAt(0);
    const { data, stringData } = last;
    if (isObject(data)) last['data'] = hideValues(data, 'data', seen);
    // as the server stores it, so that clients which expect no plain values find none
    if (isObject(stringData)) {
      last['data'] = { ...(last['data'] as JsonObject | undefined), ...hideValues(stringData, 'stringData', seen) };
      delete last['stringData'];
    }
    const metadata = last['metadata'];
    if (isObject(metadata) && isObject(metadata['annotations'])) {
      const annotations = metadata['annotations'] as Record<string, string>;
      delete annotations[annotationNames.lastApplied];
      metadata['annotations'] = hideAnnotations(annotations, sensitive, seen);
    }
    return JSON.stringify(last);
  } catch {
    // what cannot be read cannot be shown to hold no secret
    return maskAt(0);
  }
}

function hideAnnotations(
  annotations: Record<string, string>,
  names: readonly string[],
  seen: Map<string, unknown[]>,
): Record<string, string> {
  const hidden = hideValues(
    Object.fromEntries(Object.entries(annotations).filter(([name]) => names.includes(name))),
    'annotations',
    seen,
  );
  return { ...annotations, ...(hidden as Record<string, string>) };
}

function hideValues(values: JsonObject, field: string, seen: Map<string, unknown[]>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const plain = field === 'stringData' ? Buffer.from(String(value)).toString('base64') : value;
      const id = `${field === 'stringData' ? 'data' : field}/${name}`;
      const known = seen.get(id) ?? [];
      seen.set(id, known);
      if (!known.includes(plain)) known.push(plain);
      return [name, maskAt(known.indexOf(plain))];
    }),
  );
}

/** Text in place of a Secret's value in a list of differences. */
export function maskedValue(value: unknown, other: unknown): unknown {
  if (value === undefined) return undefined;
  return other === undefined || other === value ? maskAt(0) : maskAt(1);
}
