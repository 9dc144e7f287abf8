import { type CelInput, CelScalar, celEnv, celFunc, celMethod, listType, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { RE2JS } from 're2js';
import { quantityValue } from '../schema/quantity.ts';
import type { FieldErrors } from '../server/field-errors.ts';
import type { Schema } from './definition.ts';

type Rule = NonNullable<Schema['x-kubernetes-validations']>[number];
type Program = (bindings: Record<string, CelInput>) => unknown;

/** Functions of Kubernetes' own CEL libraries. */
const functions = [
  ...strings,
  celMethod('find', CelScalar.STRING, [CelScalar.STRING], CelScalar.STRING, function (this: string, pattern: string) {
    const matcher = RE2JS.compile(pattern).matcher(this);
    return matcher.find() ? (matcher.group() ?? '') : '';
  }),
  celFunc('isURL', [CelScalar.STRING], CelScalar.BOOL, (text) => URL.canParse(text)),
  celFunc('isQuantity', [CelScalar.STRING], CelScalar.BOOL, (text) => !Number.isNaN(quantityValue(text))),
  celFunc('isIP', [CelScalar.STRING], CelScalar.BOOL, (text) => /^[0-9a-fA-F:.]+$/.test(text)),
  celMethod('isSorted', listType(CelScalar.DYN), [], CelScalar.BOOL, function () {
    const items = [...this] as (string | number | bigint)[];
    return items.every((item, index) => index === 0 || (items[index - 1] as string) <= (item as string));
  }),
  celMethod('sum', listType(CelScalar.DYN), [], CelScalar.DYN, function () {
    return ([...this] as bigint[]).reduce((total, item) => total + item, 0n);
  }),
];

const env = celEnv({ funcs: functions });

const programs = new Map<string, Program>();

/** Compiles a rule once; throws what the CEL parser says. */
export function compileRule(rule: string): Program {
  let program = programs.get(rule);
  if (!program) {
    program = plan(env, parse(rule)) as unknown as Program;
    programs.set(rule, program);
  }
  return program;
}

/** Tells whether a schema has rules anywhere. */
export function hasRules(schema: Schema): boolean {
  if (schema['x-kubernetes-validations']?.length) return true;
  const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return parts.some((part) => typeof part === 'object' && hasRules(part));
}

/** Evaluates the CEL rules of a schema on a value and, for transition rules, on the value before. */
export function validateRules(value: unknown, old: unknown, schema: Schema, path: string, errors: FieldErrors): void {
  if (value === undefined || value === null) return;
  for (const rule of schema['x-kubernetes-validations'] ?? []) evaluate(rule, { value, old, schema, path }, errors);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items)
      for (const [index, item] of value.entries())
        validateRules(item, oldItem(old, item, schema), items, `${path}[${index}]`, errors);
    return;
  }
  if (typeof value !== 'object') return;
  const before = typeof old === 'object' && old !== null ? (old as Record<string, unknown>) : {};
  for (const [key, item] of Object.entries(value)) {
    const property =
      schema.properties?.[key] ??
      (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    if (property) validateRules(item, before[key], property, path ? `${path}.${key}` : key, errors);
  }
}

/** Items of maps are told apart by their keys; those of other lists have no past. */
function oldItem(old: unknown, item: unknown, schema: Schema): unknown {
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map') return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return old.find((other) =>
    keys.every((key) => (other as Record<string, unknown>)[key] === (item as Record<string, unknown>)[key]),
  );
}

function evaluate(
  rule: Rule,
  { value, old, schema, path }: { value: unknown; old: unknown; schema: Schema; path: string },
  errors: FieldErrors,
): void {
  const transition = /\boldSelf\b/.test(rule.rule);
  if (transition && old === undefined && !rule.optionalOldSelf) return;
  const bindings: Record<string, CelInput> = { self: toCel(value, schema) };
  if (transition) bindings.oldSelf = toCel(old, schema);
  const result = compileRule(rule.rule)(bindings);
  if (result === true) return;
  const message =
    result === false
      ? messageOf(rule, bindings)
      : `${String((result as Error | undefined)?.message ?? result)} evaluating rule: ${rule.message ?? rule.rule}`;
  const field = rule.fieldPath ? `${path}${rule.fieldPath}` : path;
  const shown = Array.isArray(value) ? 'array' : typeof value === 'object' ? 'object' : value;
  if (rule.reason === 'FieldValueForbidden') errors.forbidden(field, message);
  else if (rule.reason === 'FieldValueRequired') errors.required(field, message);
  else if (rule.reason === 'FieldValueDuplicate') errors.duplicate(field, shown);
  else errors.invalid(field, shown, message);
}

function messageOf(rule: Rule, bindings: Record<string, CelInput>): string {
  if (rule.messageExpression) {
    const text = compileRule(rule.messageExpression)(bindings);
    if (typeof text === 'string' && text) return text;
  }
  return rule.message ?? `failed rule: ${rule.rule}`;
}

/** JSON as CEL values: integers of the schema are ints, objects are maps. */
function toCel(value: unknown, schema: Schema | undefined): CelInput {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return schema?.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items));
  if (typeof value !== 'object') return value as string | boolean;
  const result = new Map<string, CelInput>();
  for (const [key, item] of Object.entries(value)) {
    const property =
      schema?.properties?.[key] ??
      (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    result.set(escapeName(key), toCel(item, property));
  }
  return result as unknown as CelInput;
}

const RESERVED = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

/** Field names as rules have to write them. */
function escapeName(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
