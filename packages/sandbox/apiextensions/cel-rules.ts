import type { FieldErrors, Schema } from '@tiphys/apimachinery';
import {
  BOOL,
  CelCompileError,
  CelError,
  CelInstantiationError,
  COST_EXCEEDED,
  CostMeter,
  compile,
  Optional,
  optionalOf,
  type Program,
  STRING,
  type Type,
  type Value,
} from '@tiphys/cel';
import { misfitOf, schemaType, schemaValue } from './cel-schema.ts';
import { isUnchanged, type Past, pastOfField, pastOfItem } from './correlation.ts';
import { validFieldPath } from './field-path.ts';

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

const withRules = new WeakMap<Schema, boolean>();

/** Tells whether a schema has rules anywhere. */
export function hasRules(schema: Schema): boolean {
  let found = withRules.get(schema);
  if (found === undefined) {
    found = looksForRules(schema);
    withRules.set(schema, found);
  }
  return found;
}

function looksForRules(schema: Schema): boolean {
  if (schema['x-kubernetes-validations']?.length) return true;
  const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return parts.some((part) => typeof part === 'object' && hasRules(part));
}

/** What all rules of one object may cost together. */
const BUDGET = 10_000_000;

/** One validation of an object by its rules: where its errors go, and what it may still cost. */
export class RuleRun {
  readonly errors: FieldErrors;
  /** Told of rules that what did not change breaks as before; these are no errors. */
  readonly known: FieldErrors;
  readonly meter = new CostMeter();
  /** No further rules are evaluated. */
  ended = false;

  constructor(errors: FieldErrors, known = errors.fresh()) {
    this.errors = errors;
    this.known = known;
  }

  end(field: string, shown: string, text: string): void {
    this.errors.invalid(field, shown, text);
    this.ended = true;
  }
}

/** A value with what it was before. */
interface Subject {
  readonly value: unknown;
  readonly past: Past | undefined;
  readonly schema: Schema;
  readonly path: string;
  readonly root: boolean;
  /** The nearest part around it that has a past is as it was. */
  readonly unchanged: boolean;
}

/** Evaluates the CEL rules of a schema on a value and, for transition rules, on the value before. */
export function validateRules(value: unknown, past: Past | undefined, schema: Schema, run: RuleRun, root = true): void {
  visit({ value, past, schema, path: '', root, unchanged: isUnchanged(value, past, schema) }, run);
}

function visit(subject: Subject, run: RuleRun): void {
  const { value, past, schema, path } = subject;
  if (run.ended || value === undefined || value === null) return;
  if (schema['x-kubernetes-validations']?.length) evaluateRules(subject, run);
  const inner = (item: unknown, before: Past | undefined, part: Schema, at: string) =>
    visit(
      {
        value: item,
        past: before,
        schema: part,
        path: at,
        root: false,
        unchanged: before ? isUnchanged(item, before, part) : subject.unchanged,
      },
      run,
    );
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items && hasRules(items))
      for (const [index, item] of value.entries())
        inner(item, pastOfItem(past, item, schema), items, `${path}[${index}]`);
    return;
  }
  if (typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value)) {
    const declared = schema.properties?.[key];
    const property =
      declared ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    if (!property || !hasRules(property) || !schemaType(property)) continue;
    const at = declared ? (path ? `${path}.${key}` : key) : `${path}[${key}]`;
    inner(item, pastOfField(past, key, path === ''), property, at);
  }
}

function evaluateRules({ value, past, schema, path, root, unchanged }: Subject, run: RuleRun): void {
  const { errors } = run;
  const resource = root || schema['x-kubernetes-embedded-resource'] === true;
  const shown = schema.type ?? '';
  const field = path || '<nil>';
  if (!schemaType(schema, resource)) {
    errors.invalid(
      field,
      shown,
      'rule compiler initialization error: failed to convert to declType for CEL validation rules',
    );
    return;
  }
  const misfit = misfitOf(value, schema);
  const self = misfit === undefined ? schemaValue(value, schema, resource) : null;
  const old = past?.value;
  const before = old === undefined || old === null ? undefined : schemaValue(old, schema, resource);
  for (const { rule, problem, program, message } of rulesOf(schema, root)) {
    if (run.ended) return;
    if (problem !== undefined) errors.invalid(field, shown, `rule compile error: ${problem}`);
    if (!program) continue;
    const transition = program.used.has('oldSelf');
    if (transition && before === undefined && !rule.optionalOldSelf) continue;
    const variables = (name: string): Value | undefined => {
      if (name === 'self') {
        if (misfit !== undefined) throw new CelError(misfit);
        return self;
      }
      if (name !== 'oldSelf') return undefined;
      return rule.optionalOldSelf ? new Optional(before) : before;
    };
    const result = evaluated(program, variables, run.meter);
    if (run.meter.spent > BUDGET)
      run.end(
        field,
        shown,
        'validation failed due to running out of cost budget, no further validation rules will be run',
      );
    else if ('failure' in result) {
      const text = failure(result.failure, rule);
      if (result.failure === COST_EXCEEDED) run.end(field, shown, text);
      else errors.invalid(field, shown, text);
    } else if (result.value !== true)
      report(
        rule,
        schema,
        messageOf(rule, message, variables),
        { path, shown },
        !transition && unchanged ? run.known : errors,
      );
  }
}

function evaluated(
  program: Program,
  variables: (name: string) => Value | undefined,
  meter: CostMeter,
): { value: Value } | { failure: string } {
  try {
    return { value: program.evaluate(variables, meter) };
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { failure: error.message };
  }
}

/** What is said about a rule that could not be evaluated. */
function failure(why: string, rule: Rule): string {
  const name = (rule.message || rule.rule).trim();
  if (why.startsWith('no such overload'))
    return `'${why}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
  if (why === COST_EXCEEDED)
    return `'${why}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`;
  return `${why} evaluating rule: ${name}`;
}

function report(
  rule: Rule,
  schema: Schema,
  message: string,
  { path, shown }: { path: string; shown: string },
  errors: FieldErrors,
): void {
  const named = rule.fieldPath && !('problem' in validFieldPath(rule.fieldPath, schema));
  const whole = named ? `${path}${rule.fieldPath}` : path;
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
