import { CelCompileError, CelInstantiationError } from '../cel/ast.ts';
import { compile, type Program } from '../cel/environment.ts';
import { BOOL, optionalOf, STRING, type Type } from '../cel/types.ts';
import { CelError, Optional, type Value } from '../cel/values.ts';
import type { FieldErrors } from '../server/field-errors.ts';
import { schemaType, schemaValue } from './cel-schema.ts';
import type { Schema } from './definition.ts';

type Rule = NonNullable<Schema['x-kubernetes-validations']>[number];

interface CompiledRule {
  readonly rule: Rule;
  /** What is wrong with it, if it does not compile. */
  readonly problem?: string;
  readonly program?: Program;
  readonly message?: Program | undefined;
}

const compiledRules = new WeakMap<Schema, CompiledRule[]>();

/** Compiles an expression over values of the schema; throws CelCompileError. */
export function compileFor(schema: Schema, text: string, rule: Rule, root: boolean): Program {
  const self = schemaType(schema, root || schema['x-kubernetes-embedded-resource'] === true) as Type;
  const oldSelf = rule.optionalOldSelf ? optionalOf(self) : self;
  return compile(
    text,
    new Map([
      ['self', self],
      ['oldSelf', oldSelf],
    ]),
  );
}

/** What is said about an expression that does not compile; other errors are thrown on. */
export function compileProblem(error: unknown, prefix: string): string {
  if (error instanceof CelCompileError) return `${prefix}compilation failed: ${error.message}`;
  if (error instanceof CelInstantiationError) return `${prefix || 'program '}instantiation failed: ${error.message}`;
  throw error;
}

function rulesOf(schema: Schema, root: boolean): CompiledRule[] {
  let rules = compiledRules.get(schema);
  if (!rules) {
    rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => compileRule(schema, rule, root));
    compiledRules.set(schema, rules);
  }
  return rules;
}

/** Blank rules are passed over; a message that is wrong is not used. */
function compileRule(schema: Schema, rule: Rule, root: boolean): CompiledRule {
  if (!rule.rule.trim()) return { rule };
  let program: Program;
  try {
    program = compileFor(schema, rule.rule, rule, root);
  } catch (error) {
    return { rule, problem: compileProblem(error, '') };
  }
  if (program.type !== BOOL) return { rule, problem: 'cel expression must evaluate to a bool' };
  return { rule, program, message: messageOfRule(schema, rule, root) };
}

function messageOfRule(schema: Schema, rule: Rule, root: boolean): Program | undefined {
  if (!rule.messageExpression) return undefined;
  try {
    const program = compileFor(schema, rule.messageExpression, rule, root);
    return program.type === STRING ? program : undefined;
  } catch (error) {
    compileProblem(error, '');
    return undefined;
  }
}

/** Tells whether a schema has rules anywhere. */
export function hasRules(schema: Schema): boolean {
  if (schema['x-kubernetes-validations']?.length) return true;
  const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return parts.some((part) => typeof part === 'object' && hasRules(part));
}

/** Evaluates the CEL rules of a schema on a value and, for transition rules, on the value before. */
export function validateRules(
  value: unknown,
  old: unknown,
  schema: Schema,
  path: string,
  errors: FieldErrors,
  root = path === '',
): void {
  if (value === undefined || value === null) return;
  if (schema['x-kubernetes-validations']?.length) evaluateRules({ value, old, schema, path, root }, errors);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items)
      for (const [index, item] of value.entries())
        validateRules(item, oldItem(old, item, schema), items, `${path}[${index}]`, errors, false);
    return;
  }
  if (typeof value !== 'object') return;
  const before = typeof old === 'object' && old !== null ? (old as Record<string, unknown>) : {};
  for (const [key, item] of Object.entries(value)) {
    const declared = schema.properties?.[key];
    const property =
      declared ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    if (!property || !schemaType(property)) continue;
    const at = declared ? (path ? `${path}.${key}` : key) : `${path}[${key}]`;
    validateRules(item, before[key], property, at, errors, false);
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

interface Subject {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: Schema;
  readonly path: string;
  readonly root: boolean;
}

function evaluateRules({ value, old, schema, path, root }: Subject, errors: FieldErrors): void {
  const resource = root || schema['x-kubernetes-embedded-resource'] === true;
  const shown = schema.type ?? '';
  if (!schemaType(schema, resource)) {
    const text = 'rule compiler initialization error: failed to convert to declType for CEL validation rules';
    errors.invalid(path || '<nil>', shown, text);
    return;
  }
  const self = schemaValue(value, schema, resource);
  const before = old === undefined || old === null ? undefined : schemaValue(old, schema, resource);
  for (const { rule, problem, program, message } of rulesOf(schema, root)) {
    if (problem !== undefined) errors.invalid(path || '<nil>', shown, `rule compile error: ${problem}`);
    if (!program) continue;
    if (program.used.has('oldSelf') && before === undefined && !rule.optionalOldSelf) continue;
    const variables = (name: string): Value | undefined => {
      if (name === 'self') return self;
      return rule.optionalOldSelf ? new Optional(before) : before;
    };
    try {
      if (program.evaluate(variables) === true) continue;
      report(rule, messageOf(rule, message, variables), { path, shown }, errors);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      errors.invalid(path || '<nil>', shown, failure(error.message, rule));
    }
  }
}

/** What is said about a rule that could not be evaluated. */
function failure(why: string, rule: Rule): string {
  const name = (rule.message || rule.rule).trim();
  if (why.startsWith('no such overload'))
    return `'${why}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
  if (why.startsWith('operation cancelled: actual cost limit exceeded'))
    return `'${why}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
  return `${why} evaluating rule: ${name}`;
}

function report(
  rule: Rule,
  message: string,
  { path, shown }: { path: string; shown: string },
  errors: FieldErrors,
): void {
  const whole = rule.fieldPath ? `${path}${rule.fieldPath}` : path;
  const field = (path === '' ? whole.replace(/^\./, '') : whole) || '<nil>';
  if (rule.reason === 'FieldValueForbidden') errors.forbidden(field, message);
  else if (rule.reason === 'FieldValueRequired') errors.required(field, message);
  else if (rule.reason === 'FieldValueDuplicate') errors.duplicate(field, shown);
  else errors.invalid(field, shown, message);
}

function messageOf(rule: Rule, program: Program | undefined, variables: (name: string) => Value | undefined): string {
  const fallback = rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`;
  if (!program) return fallback;
  try {
    const text = String(program.evaluate(variables)).trim();
    return text === '' || /[\n\r]/.test(text) || text.length > 5120 ? fallback : text;
  } catch (error) {
    if (error instanceof CelError) return fallback;
    throw error;
  }
}
