import { type FieldErrors, isDnsSubdomain, labelValueProblems, qualifiedNameProblems } from '@tiphys/apimachinery';
import {
  CelCompileError,
  CelInstantiationError,
  compile,
  DYN,
  formatType,
  isAny,
  mapOf,
  opaque,
  type SizeAt,
  STRING,
  type Type,
} from '@tiphys/cel';
import { validateDriverName } from '../shared/driver-names.ts';

/** What the kinds of resource.k8s.io have in common: the API server's rules for it. */
export interface Selector {
  cel?: { expression?: string };
}

export interface Configuration {
  opaque?: { driver?: string; parameters?: unknown };
}

/** A list of at most `max` items, each checked at its own place; `key` tells what none of them may share. */
export interface ListRule<T> {
  readonly max?: number;
  readonly check: (item: T, at: string) => void;
  readonly key?: (item: T) => string;
  /** The field of an item that is its key. */
  readonly field?: string;
}

export function validateList<T>(
  list: readonly T[] | null | undefined,
  { max, check, key, field }: ListRule<T>,
  at: string,
  errors: FieldErrors,
): void {
  const items = list ?? [];
  for (const [index, item] of items.entries()) check(item, `${at}[${index}]`);
  if (max !== undefined && items.length > max) errors.tooMany(at, items.length, max);
  const seen = new Set<string>();
  for (const [index, item] of key ? items.entries() : []) {
    const name = key?.(item) ?? '';
    if (seen.has(name)) errors.duplicate(`${at}[${index}]${field ? `.${field}` : ''}`, name);
    seen.add(name);
  }
}

export function validatePoolName(name: string, at: string, errors: FieldErrors): void {
  if (!name) {
    errors.required(at);
    return;
  }
  if (name.length > 253) errors.tooLong(at, 253);
  for (const part of name.split('/')) for (const text of isDnsSubdomain(part)) errors.invalid(at, part, text);
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

const IDENTIFIER_TEXT =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

function validateIdentifier(id: string, at: string, errors: FieldErrors): void {
  if (id.length > 32) errors.tooLong(at, 32);
  if (!IDENTIFIER.test(id)) errors.invalid(at, id, IDENTIFIER_TEXT);
}

/** The name of an attribute or a capacity: an identifier, behind a domain or not. */
export function validateAttributeName(name: string, at: string, errors: FieldErrors): void {
  const [first = '', second, ...more] = name.split('/');
  if (!name) errors.required(at, 'name required');
  else if (second === undefined) validateIdentifier(first, at, errors);
  else if (more.length === 0) {
    if (first) validateDriverName(first, at, errors);
    else errors.required(at, 'the domain must not be empty');
    if (second) validateIdentifier(second, at, errors);
    else errors.required(at, 'the name must not be empty');
  }
}

export function validateLabelName(name: string, at: string, errors: FieldErrors): void {
  for (const text of qualifiedNameProblems(name)) errors.invalid(at, name, text);
}

export function validateLabelValue(value: string, at: string, errors: FieldErrors): void {
  for (const text of labelValueProblems(value)) errors.invalid(at, value, text);
}

const ATTRIBUTES = mapOf(STRING, mapOf(STRING, DYN));

const CAPACITY = mapOf(STRING, mapOf(STRING, opaque('kubernetes.Quantity')));

const DEVICE: Type = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  fields: new Map([
    ['driver', STRING],
    ['attributes', ATTRIBUTES],
    ['capacity', CAPACITY],
  ]),
};

const MAX_EXPRESSION = 10 * 1024;

const MAX_COST = 1_000_000;

/** What a device may hold: 32 attributes or capacities, with names and texts of known lengths. */
const deviceSizes: SizeAt = ([variable, field, ...rest]) => {
  if (variable !== 'device') return undefined;
  if (field === 'driver') return { min: 0, max: 63 };
  if (field !== 'attributes' && field !== 'capacity') return { min: 0, max: 0 };
  const [domain, id] = rest;
  if (domain === undefined) return { min: 0, max: 32 };
  if (domain === '@keys') return { min: 0, max: 63 };
  if (domain !== '@values' && domain !== '@items') return undefined;
  if (id === undefined) return { min: 0, max: 32 };
  if (id === '@keys') return { min: 0, max: 32 };
  return { min: 0, max: field === 'attributes' ? 64 : 0 };
};

/** Expressions that choose devices: at most 32, in CEL, about the variable `device`. */
export function validateSelectors(
  selectors: readonly Selector[] | null | undefined,
  at: string,
  errors: FieldErrors,
): void {
  const check = ({ cel }: Selector, here: string) => {
    if (cel) validateExpression(cel.expression ?? '', `${here}.cel.expression`, errors);
    else errors.required(`${here}.cel`);
  };
  validateList(selectors, { max: 32, check }, at, errors);
}

function validateExpression(text: string, at: string, errors: FieldErrors): void {
  if (Buffer.byteLength(text) > MAX_EXPRESSION) {
    errors.tooLong(at, MAX_EXPRESSION);
    return;
  }
  try {
    const { type, estimate } = compile(text, new Map([['device', DEVICE]]));
    const name = formatType(type);
    if (name !== 'bool' && !isAny(type))
      errors.invalid(at, text, `must evaluate to bool or the unknown type, not ${name}`);
    else if (estimate(deviceSizes) > MAX_COST) errors.forbidden(at, 'too complex, exceeds cost limit');
  } catch (error) {
    if (error instanceof CelInstantiationError) errors.internal(at, `program instantiation failed: ${error.message}`);
    else if (error instanceof CelCompileError) errors.invalid(at, text, `compilation failed: ${error.message}`);
    else throw error;
  }
}

export function validateConfiguration({ opaque: given }: Configuration, at: string, errors: FieldErrors): void {
  if (!given) {
    errors.required(`${at}.opaque`);
    return;
  }
  validateDriverName(given.driver ?? '', `${at}.opaque.driver`, errors);
  validateRawObject(given.parameters, `${at}.opaque.parameters`, errors);
}

const MAX_RAW = 10 * 1024;

/** An object of JSON of at most 10 KiB. */
export function validateRawObject(value: unknown, at: string, errors: FieldErrors): void {
  if (value === undefined || value === null) errors.required(at);
  else if (Buffer.byteLength(JSON.stringify(value)) > MAX_RAW) errors.tooLong(at, MAX_RAW);
  else if (typeof value !== 'object' || Array.isArray(value))
    errors.invalid(at, '<value omitted>', 'must be a valid JSON object');
}
