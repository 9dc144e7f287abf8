import type { KubeObject } from '@tiphys/kubernetes';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const mask = '++++++++';
type Fields = Record<string, unknown>;

/**
 * The objects with the values of Secrets replaced: equal values by equal marks, different ones by different marks, so
 * that a difference stays visible and nothing else does. Covers `data`, `stringData`, the nested copy that client-side
 * apply leaves in an annotation (CVE-2026-45737), and annotations that are declared sensitive. Other kinds are returned as they are.
 */
export function maskSecrets<T extends readonly (KubeObject | undefined)[]>(
  objects: T,
  sensitiveAnnotations: readonly string[] = [],
): T {
  if (!objects.some(isSecret)) return objects;
  const marks = new Map<string, Map<string, string>>();
  const markOf = (key: string, value: unknown): string => {
    const known = marks.get(key) ?? new Map<string, string>();
    marks.set(key, known);
    const text = JSON.stringify(value);
    const mark = known.get(text) ?? mask + '+'.repeat(known.size);
    known.set(text, mark);
    return mark;
  };
  return objects.map((object) =>
    object && isSecret(object) ? maskObject(object, markOf, sensitiveAnnotations) : object,
  ) as unknown as T;
}

function isSecret(object: KubeObject | undefined): boolean {
  return object?.kind === 'Secret' && object.apiVersion === 'v1';
}

function maskObject(
  object: KubeObject,
  markOf: (key: string, value: unknown) => string,
  sensitive: readonly string[],
): KubeObject {
  const masked: KubeObject = { ...object };
  for (const field of ['data', 'stringData'] as const) {
    if (object[field] === undefined || object[field] === null) continue;
    masked[field] =
      typeof object[field] === 'object' ? maskValues(object[field] as Fields, markOf) : markOf('', object[field]);
  }
  const annotations = object.metadata.annotations;
  if (annotations)
    masked.metadata = { ...object.metadata, annotations: maskAnnotations(annotations, markOf, sensitive) };
  return masked;
}

function maskValues(values: Fields, markOf: (key: string, value: unknown) => string): Fields {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, markOf(`data.${key}`, value)]));
}

function maskAnnotations(
  annotations: Record<string, string>,
  markOf: (key: string, value: unknown) => string,
  sensitive: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => {
      if (sensitive.includes(key)) return [key, markOf(`annotation.${key}`, value)];
      if (key !== lastApplied) return [key, value];
      return [key, maskLastApplied(value, markOf, sensitive)];
    }),
  );
}

/** An annotation that does not parse is hidden whole: what it holds cannot be told. */
function maskLastApplied(
  text: string,
  markOf: (key: string, value: unknown) => string,
  sensitive: readonly string[],
): string {
  let nested: unknown;
  try {
    nested = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return mask;
    throw error;
  }
  if (typeof nested !== 'object' || nested === null) return mask;
  const object = nested as KubeObject;
  return JSON.stringify(maskObject({ ...object, metadata: object.metadata ?? {} }, markOf, sensitive));
}
