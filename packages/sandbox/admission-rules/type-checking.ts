import { escapeName } from '@tiphys/apiextensions';
import { CelCompileError, CelInstantiationError, DYN, type Type } from '@tiphys/cel';
import type { OpenApiSchema } from '@tiphys/kubernetes';
import { compileAdmission, type Scope } from './expressions.ts';
import type { Policy } from './policies.ts';

/** A kind that a policy is about, with the type of its objects. */
export interface CheckedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: Type;
}

export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/**
 * What is wrong with a policy's validations for the kinds that it is about, in the words of kube-controller-manager's
 * `status.typeChecking`; empty if nothing is. `params`: the type of its parameters, if it is known.
 */
export function expressionWarnings(
  { spec }: Policy,
  kinds: readonly CheckedKind[],
  params: Type | undefined,
): ExpressionWarning[] {
  const { validations = [], variables = [] } = spec;
  const scopes = kinds.map((kind) => ({ kind, scope: scopeOf(kind.type, params, variables) }));
  const check = (expression: string, fieldRef: string): ExpressionWarning[] => {
    const texts = scopes.flatMap(({ kind: { group, version, kind }, scope }) => {
      const { problem } = checked(expression, scope);
      return problem === undefined ? [] : [`${group}/${version}, Kind=${kind}: ${problem}\n`];
    });
    return texts.length ? [{ fieldRef, warning: texts.join('\n') }] : [];
  };
  return validations.flatMap(({ expression, messageExpression }, index) => [
    ...check(expression, `spec.validations[${index}].expression`),
    ...(messageExpression ? check(messageExpression, `spec.validations[${index}].messageExpression`) : []),
  ]);
}

function scopeOf(
  object: Type,
  params: Type | undefined,
  variables: readonly { name: string; expression: string }[],
): Scope {
  const known = new Map<string, Type>();
  const scope: Scope = {
    authorizer: true,
    params: params !== undefined,
    types: { object, ...(params ? { params } : {}) },
    variables: known,
  };
  for (const { name, expression } of variables) known.set(name, declared(checked(expression, scope).type));
  return scope;
}

/** Of an object that a variable holds nothing is known any more. */
function declared(type: Type = DYN): Type {
  switch (type.kind) {
    case 'simple':
      return type;
    case 'list':
      return { kind: 'list', element: declared(type.element) };
    case 'map':
      return { kind: 'map', key: declared(type.key), value: declared(type.value) };
    default:
      return DYN;
  }
}

function checked(expression: string, scope: Scope): { type?: Type; problem?: string } {
  try {
    return { type: compileAdmission(expression, scope).type };
  } catch (error) {
    if (error instanceof CelCompileError) return { problem: error.message };
    // Nothing is run yet.
    if (error instanceof CelInstantiationError) return {};
    throw error;
  }
}

const TEXTS: Readonly<Record<string, Type>> = {
  byte: { kind: 'simple', name: 'bytes' },
  duration: { kind: 'simple', name: 'duration' },
  date: { kind: 'simple', name: 'timestamp' },
  'date-time': { kind: 'simple', name: 'timestamp' },
};
const SCALARS: Readonly<Record<string, Type>> = {
  boolean: { kind: 'simple', name: 'bool' },
  number: { kind: 'simple', name: 'double' },
  integer: { kind: 'simple', name: 'int' },
};

/**
 * The type of the objects of a kind by its schema of an OpenAPI document; undefined if it has none. Expressions can't see
 * what has no one type (quantities), and nothing of a schema inside of itself. Objects are called by their place.
 */
export function kindType(
  schema: OpenApiSchema,
  name: string,
  resolve: (schema: OpenApiSchema) => OpenApiSchema,
): Type | undefined {
  return typeOf(schema, name, { resolve, above: [] });
}

interface Place {
  readonly resolve: (schema: OpenApiSchema) => OpenApiSchema;
  readonly above: readonly OpenApiSchema[];
}

function typeOf(given: OpenApiSchema, name: string, { resolve, above }: Place): Type | undefined {
  const schema = resolve(given);
  if (above.includes(schema)) return { kind: 'object', name, fields: new Map() };
  const inside = { resolve, above: [...above, schema] };
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return DYN;
  switch (schema.type) {
    case 'array': {
      const element = schema.items && typeOf(schema.items, `${name}.@idx`, inside);
      return element && { kind: 'list', element };
    }
    case 'object': {
      const { additionalProperties } = schema;
      if (typeof additionalProperties === 'object') {
        const value = typeOf(additionalProperties, `${name}.@elem`, inside);
        return value && { kind: 'map', key: { kind: 'simple', name: 'string' }, value };
      }
      return objectType(schema, name, inside);
    }
    case 'string':
      return TEXTS[schema.format ?? ''] ?? { kind: 'simple', name: 'string' };
    default:
      return SCALARS[schema.type ?? ''];
  }
}

function objectType(schema: OpenApiSchema, name: string, place: Place): Type {
  const fields = new Map<string, Type>();
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(field);
    const type = typeOf(property, `${name}.${escaped ?? field}`, place);
    if (type && escaped !== undefined) fields.set(escaped, type);
  }
  return { kind: 'object', name, fields };
}
