import type { DefinitionVersion, FieldErrors } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';

type Scale = NonNullable<NonNullable<DefinitionVersion['subresources']>['scale']>;

/**
 * What a Scale shows of a custom resource: numbers of replicas and a text as selector, where they are there at all. A
 * write of the status alone is not asked for the replicas that are wanted.
 */
export function validateScale(
  object: KubeObject,
  scale: Omit<Scale, 'specReplicasPath'> & { specReplicasPath: string | undefined },
  errors: FieldErrors,
): void {
  for (const path of [scale.specReplicasPath, scale.statusReplicasPath]) {
    if (path === undefined) continue;
    const { value, problem } = accessed(object, path, 'int64');
    if (problem) errors.invalid(path, 0, problem);
    else if (typeof value !== 'number') continue;
    else if (value < 0) errors.invalid(path, value, 'should be a non-negative integer');
    else if (value > 2147483647) errors.invalid(path, value, 'should be less than or equal to 2147483647');
  }
  const { labelSelectorPath: path } = scale;
  const { problem } = path ? accessed(object, path, 'string') : {};
  if (path && problem) errors.invalid(path, '', problem);
}

/** The value at a path like `.spec.size`; what is in the way is reported as apimachinery's accessors do. */
function accessed(object: KubeObject, path: string, wanted: 'int64' | 'string'): { value?: unknown; problem?: string } {
  const fields = path.replace(/^\./, '').split('.');
  let value: unknown = object;
  for (const [index, field] of fields.entries()) {
    if (value === null || value === undefined) return {};
    if (typeof value !== 'object' || Array.isArray(value))
      return { problem: refusal(fields.slice(0, index + 1), value, 'map[string]interface{}') };
    if (!Object.hasOwn(value, field)) return {};
    value = (value as Record<string, unknown>)[field];
  }
  return goType(value) === wanted ? { value } : { problem: refusal(fields, value, wanted) };
}

function refusal(fields: readonly string[], value: unknown, wanted: string): string {
  return `.${fields.join('.')} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${wanted}`;
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** As Go's `%v` prints it. */
function goText(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const keys = Object.keys(value as object).sort();
  return `map[${keys.map((key) => `${key}:${goText((value as Record<string, unknown>)[key])}`).join(' ')}]`;
}
