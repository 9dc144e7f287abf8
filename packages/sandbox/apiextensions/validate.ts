import { isDeepStrictEqual } from 'node:util';
import { FieldErrors, type Schema } from '@tiphys/apimachinery';
import { isFields } from '@tiphys/kubernetes';
import { RE2JS } from 're2js';
import { isUnchanged, type Past, pastOfField, pastOfItem } from './correlation.ts';
import { formatCheck } from './formats.ts';

const patterns = new Map<string, RE2JS>();

function matches(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    compiled = RE2JS.compile(pattern);
    patterns.set(pattern, compiled);
  }
  return compiled.matcher(text).find();
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'object' ? 'object' : typeof value;
}

/** How Go's numbers are called where a format is not met. */
const GO_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

export interface ValidationOptions {
  /** What the value was, and may go on to be although it is wrong. */
  readonly past?: Past | undefined;
  /** A default is read by the structural schema, which knows all formats by name and no type of int-or-string. */
  readonly isDefault?: boolean;
}

/**
 * Validates a value against a schema as kube-openapi does, with its words; fields of errors are relative to the value, and
 * `<nil>` for the value itself.
 */
export function validateSchema(
  value: unknown,
  schema: Schema,
  errors: FieldErrors,
  { past, isDefault = false }: ValidationOptions = {},
): void {
  const { causes } = new Visit(isDefault).visit(value, schema, '', past).errors;
  errors.causes.push(...causes);
}

/** What was found, and how much was checked: the alternative with most checks is the one that is told of. */
class Result {
  readonly errors = new FieldErrors();
  checks = 0;
  readonly #told = new Set<string>();

  merge({ errors, checks }: { errors: FieldErrors; checks: number }): void {
    for (const cause of errors.causes) {
      const text = JSON.stringify(cause);
      if (!this.#told.has(text)) this.errors.causes.push(cause);
      this.#told.add(text);
    }
    this.checks += checks;
  }

  get valid(): boolean {
    return !this.errors.any;
  }
}

/** The field of an error by its path. */
const fieldOf = (path: string) => path.replace(/^\./, '') || '<nil>';

class Visit {
  readonly #isDefault: boolean;

  constructor(isDefault: boolean) {
    this.#isDefault = isDefault;
  }

  visit(value: unknown, schema: Schema, path: string, past: Past | undefined): Result {
    const result = this.#parts(value, schema, path, past);
    return !result.valid && isUnchanged(value, past, schema) ? new Result() : result;
  }

  #parts(value: unknown, schema: Schema, path: string, past: Past | undefined): Result {
    const result = new Result();
    const types = this.#typesOf(schema);
    const format = this.#formatOf(schema);
    const found = (checks: number, check: (errors: FieldErrors) => void) => {
      const errors = new FieldErrors();
      check(errors);
      result.merge({ errors, checks });
    };
    if (types.length || format) {
      const before = result.errors.causes.length;
      found(0, (errors) => checkType({ value, types, format, nullable: schema.nullable === true, path }, errors));
      if (result.errors.causes.length === before) result.checks++;
      result.checks++;
    }
    if (value === null) {
      found(0, (errors) => checkEnum(value, schema, path, errors));
      return result;
    }
    result.merge(this.#junctors(value, schema, path, past));
    result.checks += 3;
    if (typeof value === 'string') {
      found(1, (errors) => checkString(value, schema, path, errors));
      const check = format ? formatCheck(format, this.#isDefault) : undefined;
      if (check) result.checks++;
      if (check && !check(value))
        result.errors.typeInvalid(
          fieldOf(path),
          value,
          `${path} in body must be of type ${format}: ${JSON.stringify(value)}`,
        );
    } else if (typeof value === 'number') found(2, (errors) => checkNumber(value, schema, path, errors));
    else if (Array.isArray(value)) {
      result.merge(this.#list(value, schema, path, past));
      result.checks++;
    }
    found(0, (errors) => checkEnum(value, schema, path, errors));
    if (isFields(value)) {
      result.merge(this.#object(value, schema, path, past));
      result.checks++;
    }
    return result;
  }

  #typesOf({ type, 'x-kubernetes-int-or-string': either }: Schema): string[] {
    if (either && !this.#isDefault) return ['integer', 'string'];
    return type ? [type] : [];
  }

  /** What is no format of Kubernetes means nothing in the schema of an object. */
  #formatOf({ format = '' }: Schema): string {
    return this.#isDefault || formatCheck(format) ? format : '';
  }

  #list(value: readonly unknown[], schema: Schema, path: string, past: Past | undefined): Result {
    const result = new Result();
    const { items, maxItems, minItems } = schema;
    if (items)
      for (const [index, item] of value.entries())
        result.merge(this.visit(item, items, `${path}[${index}]`, pastOfItem(past, item, schema)));
    if (minItems !== undefined && value.length < minItems)
      result.errors.invalid(fieldOf(path), value.length, `${path} in body should have at least ${minItems} items`);
    if (maxItems !== undefined && value.length > maxItems) result.errors.tooMany(fieldOf(path), value.length, maxItems);
    result.checks++;
    return result;
  }

  #object(value: Record<string, unknown>, schema: Schema, path: string, past: Past | undefined): Result {
    const result = new Result();
    const { errors } = result;
    const { minProperties, maxProperties, properties = {}, additionalProperties } = schema;
    const count = Object.keys(value).length;
    if (minProperties !== undefined && count < minProperties)
      errors.invalid(fieldOf(path), count, `${path} in body should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && count > maxProperties) errors.tooMany(fieldOf(path), count, maxProperties);
    for (const [key, item] of Object.entries(value)) {
      const before = pastOfField(past, key, path === '');
      const property = properties[key];
      if (property) result.merge(this.visit(item, property, path ? `${path}.${key}` : key, before));
      else if (typeof additionalProperties === 'object')
        result.merge(this.visit(item, additionalProperties, `${path}.${key}`, before));
      else if (additionalProperties === false)
        errors.invalid(fieldOf(path), key, `${path}.${key} in body is a forbidden property`);
    }
    for (const key of schema.required ?? []) if (value[key] === undefined) errors.required(fieldOf(`${path}.${key}`));
    return result;
  }

  /** allOf, anyOf, oneOf and not: what the nearest part says follows the error of the combination. */
  #junctors(value: unknown, schema: Schema, path: string, past: Past | undefined): Result {
    const result = new Result();
    const { anyOf = [], oneOf = [], allOf = [], not } = schema;
    const outcomes = (parts: readonly Schema[]) => parts.map((part) => this.#parts(value, part, path, past));
    const fail = (text: string) => result.errors.invalid('<nil>', '', `${JSON.stringify(path)} ${text}`);
    if (anyOf.length) {
      const found = outcomes(anyOf);
      const first = found.find(({ valid }) => valid);
      if (!first) fail('must validate at least one schema (anyOf)');
      result.merge(first ?? mostChecked(found));
    }
    if (oneOf.length) {
      const found = outcomes(oneOf);
      const [first, ...others] = found.filter(({ valid }) => valid);
      if (!first) {
        fail('must validate one and only one schema (oneOf). Found none valid');
        result.merge(mostChecked(found));
      } else if (others.length)
        fail(`must validate one and only one schema (oneOf). Found ${others.length + 1} valid alternatives`);
      else result.merge(first);
    }
    if (allOf.length) {
      const found = outcomes(allOf);
      for (const part of found) result.merge(part);
      const valid = found.filter((part) => part.valid).length;
      if (valid < found.length) fail(`must validate all the schemas (allOf)${valid ? '' : '. None validated'}`);
    }
    if (not && this.#parts(value, not, path, past).valid) fail('must not validate the schema (not)');
    result.checks++;
    return result;
  }
}

function mostChecked(results: readonly Result[]): Result {
  return results.reduce((best, result) => (result.checks > best.checks ? result : best));
}

interface Typed {
  readonly value: unknown;
  readonly types: readonly string[];
  readonly format: string;
  readonly nullable: boolean;
  readonly path: string;
}

function checkType({ value, types, format, nullable, path }: Typed, errors: FieldErrors): void {
  const actual = typeOf(value);
  const fail = (wanted: string, got: string) =>
    errors.typeInvalid(fieldOf(path), got, `${path} in body must be of type ${wanted}: ${JSON.stringify(got)}`);
  if (value === null) {
    if (types.length && !nullable) fail(types.join(','), 'null');
    return;
  }
  const fits = types.includes(actual) || (actual === 'integer' && types.includes('number'));
  const isText = typeof value === 'string' || Array.isArray(value);
  const numeric = types.includes('number') || types.includes('integer');
  const got = GO_FORMATS[actual] ?? '';
  // A format is checked in texts, and in lists not at all.
  if (!isText && format && !fits && got !== format) fail(format, got);
  else if (!numeric && format && isText) return;
  else if (!fits) fail(types.join(','), actual);
}

function checkString(value: string, schema: Schema, path: string, errors: FieldErrors): void {
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) errors.tooLong(fieldOf(path), schema.maxLength);
  else if (schema.minLength !== undefined && length < schema.minLength)
    errors.invalid(fieldOf(path), value, `${path} in body should be at least ${schema.minLength} chars long`);
  else if (schema.pattern && !matches(schema.pattern, value))
    errors.invalid(fieldOf(path), value, `${path} in body should match '${schema.pattern}'`);
}

/** Whole numbers are compared with the whole part of what bounds them. */
function checkNumber(value: number, schema: Schema, path: string, errors: FieldErrors): void {
  const native = (bound: number) => (Number.isInteger(value) ? Math.trunc(bound) : bound);
  const fail = (text: string) => errors.invalid(fieldOf(path), value, `${path} in body should be ${text}`);
  const { multipleOf, exclusiveMaximum, exclusiveMinimum } = schema;
  if (multipleOf !== undefined) {
    const factor = native(multipleOf);
    if (factor <= 0)
      errors.invalid(fieldOf(path), factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`);
    else if (!isMultiple(value, factor)) fail(`a multiple of ${factor}`);
  }
  if (schema.minimum !== undefined) {
    const minimum = native(schema.minimum);
    if (exclusiveMinimum ? value <= minimum : value < minimum)
      fail(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  }
  if (schema.maximum !== undefined) {
    const maximum = native(schema.maximum);
    if (exclusiveMaximum ? value >= maximum : value > maximum)
      fail(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  }
}

/** Exactly for whole numbers, else within what the arithmetic of doubles loses. */
function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  const whole = Math.trunc(quotient);
  return quotient === whole || Math.abs(quotient - whole) / (Math.abs(quotient) + Math.abs(whole)) < 1e-9;
}

/** Null is none of the values, and a whole number is the character that it numbers. */
function checkEnum(value: unknown, schema: Schema, path: string, errors: FieldErrors): void {
  const { enum: options } = schema;
  if (!options?.length) return;
  const fits = (option: unknown) =>
    isDeepStrictEqual(option, value) ||
    (typeof option === 'string' && Number.isInteger(value) && option === characterOf(value as number));
  if (value !== null && options.some(fits)) return;
  errors.notSupported(
    fieldOf(path),
    value,
    options.map((option) => (typeof option === 'string' ? option : JSON.stringify(option))),
  );
}

function characterOf(value: number): string {
  return value >= 0 && value <= 0x10ffff ? String.fromCodePoint(value) : '\ufffd';
}
