import { nearestName } from '@tiphys/diagnosis';
import { builtinType, gvkOf, type KubeObject, type ObjectType } from '@tiphys/kubernetes';
import { isObject } from '../../model/fields.ts';
import { isSecret } from '../../model/secret-mask.ts';

export interface SchemaProblem {
  /** `spec.template.spec.containers[0].imag` */
  readonly field: string;
  readonly text: string;
  /** A field that the schema has at this place and that is written nearly so. */
  readonly nearest?: string;
  /** The value as it would have to be written, where its text alone says what is meant. */
  readonly write?: string;
}

/** Minor version of Kubernetes whose schemas we have. */
const schemaMinor = 34;
const limit = 10;

/**
 * Fields of a built-in kind that its schema does not know or whose values have another type. A server that is newer than
 * our schemas may know more, and is left to judge by itself.
 */
export function schemaProblems(object: KubeObject, serverMinor: number): SchemaProblem[] {
  const type = builtinType(gvkOf(object));
  if (!type || serverMinor > schemaMinor) return [];
  const found: SchemaProblem[] = [];
  check(object, type, '', found);
  const problems = found.slice(0, limit);
  return isSecret(object) ? problems.map(withoutValue) : problems;
}

/** What a Secret holds in place of what it should is as secret as the rest. */
function withoutValue({ text, write: _, ...rest }: SchemaProblem): SchemaProblem {
  return { ...rest, text: text.replace(/, found .*/s, ', found something else') };
}

function check(value: unknown, type: ObjectType, path: string, found: SchemaProblem[]): void {
  if (value === null || value === undefined || found.length >= limit) return;
  const { map, list, schema } = type;
  if (Array.isArray(value)) {
    if (schema.type && schema.type !== 'array') found.push(mismatch(path, wordsOf(schema.type), 'a list'));
    else for (const [index, item] of value.entries()) if (list) check(item, list.element, `${path}[${index}]`, found);
  } else if (isObject(value)) {
    if (schema.type && schema.type !== 'object')
      return void found.push(mismatch(path, wordsOf(schema.type), 'an object'));
    if (!map) return;
    for (const [name, inner] of Object.entries(value)) {
      const at = path ? `${path}.${name}` : name;
      const field = map.fields.get(name)?.type ?? map.element;
      if (field) check(inner, field, at, found);
      else found.push({ field: at, text: `unknown field "${at}"`, ...nearestOf(name, map.fields.keys()) });
    }
  } else if (schema.type === 'array' || schema.type === 'object') {
    found.push(mismatch(path, schema.type === 'array' ? 'a list' : 'an object', JSON.stringify(value)));
  } else checkScalar(value, type, path, found);
}

function checkScalar(value: unknown, { schema }: ObjectType, path: string, found: SchemaProblem[]): void {
  const { type, format } = schema;
  if (format === 'quantity' && typeof value === 'string' && !quantity.test(value))
    found.push(mismatch(path, 'a quantity such as 500m, 64Mi or 2Gi', JSON.stringify(value)));
  if (format === 'byte' && typeof value === 'string' && !isBase64(value))
    found.push(mismatch(path, 'base64 (or belongs below stringData)', JSON.stringify(value)));
  if (format === 'int-or-string' || format === 'quantity' || !type) return;
  if ((type === 'integer' || type === 'number') && typeof value !== 'number')
    found.push({ ...mismatch(path, 'a number', JSON.stringify(value)), ...plainNumber(value) });
  else if (type === 'boolean' && typeof value !== 'boolean')
    found.push({
      ...mismatch(path, 'true or false', JSON.stringify(value)),
      ...(value === 'true' || value === 'false' ? { write: value } : {}),
    });
  else if (type === 'string' && typeof value !== 'string')
    found.push({ ...mismatch(path, 'a text', JSON.stringify(value)), write: JSON.stringify(String(value)) });
}

function plainNumber(value: unknown): { write: string } | object {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? { write: value } : {};
}

/** As Kubernetes reads quantities. */
const quantity = /^[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

/** As Go decodes it: line ends are passed over, padding is wanted. */
function isBase64(text: string): boolean {
  const plain = text.replace(/[\r\n]/g, '');
  return plain.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(plain);
}

function nearestOf(name: string, fields: Iterable<string>): { nearest: string } | object {
  const nearest = nearestName(name, fields);
  return nearest === undefined ? {} : { nearest };
}

/** What a type of a schema is called elsewhere here. */
function wordsOf(type: string): string {
  const words: Readonly<Record<string, string>> = {
    array: 'a list',
    object: 'an object',
    string: 'a text',
    boolean: 'true or false',
    integer: 'a number',
    number: 'a number',
  };
  return words[type] ?? `a ${type}`;
}

function mismatch(field: string, wanted: string, found: string): SchemaProblem {
  return { field, text: `${field || 'the object'} must be ${wanted}, found ${found}` };
}
