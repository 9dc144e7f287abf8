import { canonicalQuantity, wholeThousandths } from '@tiphys/kubernetes';
import { builtin, type TypeField } from './builtin.ts';

/** What decoding found: a wrong type stops it, unknown fields are collected. */
export interface DecodeIssues {
  unknown: string[];
  /** Nulls of fields that may not be null stay: an apply brings them to the validation. */
  keepNulls?: boolean;
  /** Values are converted, as a strategic merge or an apply leaves them: integers lose the bits that do not fit. */
  converting?: boolean;
  /** The first value of a wrong type: told at the end, since what cannot be parsed at all is reported at once. */
  problem?: DecodeError;
}

/** A value's type does not fit the field's: the text is the one of the API server's decoder. */
export class DecodeError extends Error {
  /** What the API server says where it does not decode text, but converts what a strategic merge or an apply made. */
  readonly converted: string;

  constructor(message: string, converted = message) {
    super(message);
    this.converted = converted;
  }
}

interface Field {
  readonly name: string;
  readonly expression: string;
  readonly flags: string;
  /** Go writes it even when it is not set. A schema has forty fields that it leaves out. */
  readonly isAlwaysWritten: boolean;
}

const shapes = new Map<string, Map<string, Field>>();

function shapeOf(type: string): Map<string, Field> {
  let shape = shapes.get(type);
  if (!shape) {
    const fields = builtin().types[type] ?? [];
    shape = new Map(fields.map((field) => [field[0], { ...named(field), isAlwaysWritten: isWrittenUnset(field) }]));
    shapes.set(type, shape);
  }
  return shape;
}

function named([name, expression, flags]: TypeField): Omit<Field, 'isAlwaysWritten'> {
  return { name, expression, flags };
}

function isWrittenUnset([, expression, flags]: TypeField): boolean {
  if (flags.includes('p')) return !flags.includes('o');
  if (flags.includes('z')) return false;
  return isStruct(expression) || !flags.includes('o') || expression === 'time' || expression === 'microtime';
}

function isStruct(expression: string): boolean {
  return /[./]/.test(expression) && !'[{'.includes(expression[0] as string);
}

/**
 * Decodes JSON into a built-in type and encodes it again, as a round trip through the API server's Go types does: unknown
 * fields go (and are reported), empty values go where the type omits them, quantities and times take their canonical form.
 */
export function roundTrip(type: string, value: Record<string, unknown>, issues: DecodeIssues): Record<string, unknown> {
  const result = struct(type, value, '', issues);
  if (issues.problem) throw issues.problem;
  return result;
}

function struct(
  type: string,
  value: Record<string, unknown>,
  path: string,
  issues: DecodeIssues,
): Record<string, unknown> {
  const shape = shapeOf(type);
  const result: Record<string, unknown> = {};
  // Issues come in the document's order, fields in the type's.
  const fields = new Map<string, unknown>();
  for (const key in value) {
    const at = path ? `${path}.${key}` : key;
    const field = shape.get(key);
    if (!field) issues.unknown.push(at.replace(/[\u0001\u0002]/g, ''));
    else if (value[key] !== undefined && value[key] !== null)
      fields.set(key, decode(field.expression, value[key], at, issues, type));
  }
  for (const { name, expression, flags, isAlwaysWritten } of shape.values()) {
    if (!fields.has(name)) {
      if (isAlwaysWritten) result[name] = unset(expression, flags);
      continue;
    }
    const decoded = fields.get(name);
    // Of a wrong type, and told so.
    if (decoded === undefined) continue;
    if (flags.includes('o') && !flags.includes('p') && isEmpty(decoded, expression) && !KEPT.has(`${type} ${name}`))
      continue;
    if (flags.includes('z') && isZeroStruct(decoded)) continue;
    result[name] = decoded;
  }
  return result;
}

/** A schema, or what may be in its place; what it does not know is taken away without a word. */
function schemaOr(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schemaOr);
  if (typeof value !== 'object' || value === null) return value;
  return struct('apiextensions/v1.JSONSchemaProps', value as Record<string, unknown>, '', { unknown: [] });
}

/** Lists whose emptiness the defaults tell from their absence, and the validation refuses. */
const KEPT = new Set(['autoscaling/v2.HPAScalingRules policies']);

/** What Go writes for a field that is not set. */
function unset(expression: string, flags: string): unknown {
  if (flags.includes('p')) return null;
  return isStruct(expression) ? struct(expression, {}, '', { unknown: [] }) : (ZERO[expression] ?? null);
}

const ZERO: Record<string, unknown> = {
  s: '',
  b: false,
  i32: 0,
  i64: 0,
  int: 0,
  f64: 0,
  quantity: '0',
  intorstring: 0,
};

function isEmpty(value: unknown, expression: string): boolean {
  if (value === '' || value === 0 || value === false || value === null)
    return expression !== 'intorstring' || value === null;
  if (Array.isArray(value)) return value.length === 0;
  if (expression.startsWith('{')) return Object.keys(value as object).length === 0;
  return false;
}

function isZeroStruct(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function decode(expression: string, value: unknown, path: string, issues: DecodeIssues, owner: string): unknown {
  switch (expression) {
    case 's':
      return typeof value === 'string' ? value : mismatch(issues, value, path, owner, 'string');
    case 'b':
      return typeof value === 'boolean' ? value : mismatch(issues, value, path, owner, 'bool');
    case 'i32':
      return integer(issues, value, path, owner, 'int32', 2147483647);
    case 'i64':
      return integer(issues, value, path, owner, 'int64', Number.MAX_SAFE_INTEGER);
    case 'int':
      return integer(issues, value, path, owner, 'int', Number.MAX_SAFE_INTEGER);
    case 'f64':
      return typeof value === 'number' ? value : mismatch(issues, value, path, owner, 'float64');
    case 'y':
      return bytes(issues, value, path, owner);
    case 'quantity':
      return quantity(value);
    case 'intorstring':
      return typeof value === 'string' ? value : intOrString(issues, value, path, owner);
    case 'time':
      return time(value, path, owner, 0);
    case 'microtime':
      return time(value, path, owner, 6);
    case 'duration':
    case 'any':
    case 'extra':
      return value;
  }
  if (expression.startsWith('or:')) return schemaOr(value);
  if (expression.startsWith('[')) {
    if (!Array.isArray(value)) return mismatch(issues, value, path, owner, `[]${goName(expression.slice(1))}`);
    const element = expression.slice(1);
    return value.map((item, index) =>
      item === null ? nullOf(element) : decode(element, item, `${path}[${index}]`, issues, owner),
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return mismatch(
      issues,
      value,
      path,
      owner,
      expression.startsWith('{') ? `map[string]${goName(expression.slice(1))}` : goName(expression),
    );
  if (expression.startsWith('{')) {
    const element = expression.slice(1);
    const result: Record<string, unknown> = {};
    // Go writes maps sorted by key.
    for (const key of Object.keys(value).sort()) {
      const item = (value as Record<string, unknown>)[key];
      const decoded =
        item === null ? nullOf(element) : decode(element, item, `${path}.\u0001${key}\u0002`, issues, owner);
      // All quantities of a list of resources are rounded up to thousandths.
      result[key] = element === 'quantity' ? wholeThousandths(String(decoded)) : decoded;
    }
    return result;
  }
  return struct(expression, value as Record<string, unknown>, path, issues);
}

function nullOf(expression: string): unknown {
  if (expression === 'y') return '';
  if (Object.hasOwn(ZERO, expression)) return ZERO[expression];
  return expression.includes('/') && !'[{'.includes(expression[0] as string)
    ? struct(expression, {}, '', { unknown: [] })
    : null;
}

function integer(issues: DecodeIssues, value: unknown, path: string, owner: string, go: string, max: number): unknown {
  if (typeof value !== 'number') return mismatch(issues, value, path, owner, go);
  if (Number.isInteger(value) && value <= max && value >= -max - 1) return value;
  if (Number.isInteger(value) && issues.converting) return value | 0;
  const text = `json: cannot unmarshal number ${value} into Go struct field ${field(owner, path)} of type ${go}`;
  issues.problem ??= new DecodeError(text, `cannot convert float64 to ${go}`);
  return 0;
}

/** It decodes itself, whatever it comes from, so that it is JSON that it speaks of. */
function intOrString(issues: DecodeIssues, value: unknown, path: string, owner: string): unknown {
  if (typeof value === 'number') {
    if (Number.isInteger(value) && value === (value | 0)) return value;
    const text = `json: cannot unmarshal number ${value} into Go`;
    issues.problem ??= new DecodeError(
      `${text} struct field ${field(owner, path)} of type int32`,
      `${text} value of type int32`,
    );
    return 0;
  }
  issues.problem ??= new DecodeError(
    `json: cannot unmarshal ${jsonType(value)} into Go struct field ${field(owner, path)} of type int32`,
    `json: cannot unmarshal ${jsonType(value)} into Go value of type int32`,
  );
  return undefined;
}

function bytes(issues: DecodeIssues, value: unknown, path: string, owner: string): unknown {
  if (Array.isArray(value)) return byteList(issues, value, path, owner);
  if (typeof value !== 'string') return mismatch(issues, value, path, owner, '[]uint8');
  const text = value.replace(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9+/]/.exec(text.replace(/={0,2}$/, ''));
  if (bad || text.length % 4 !== 0) {
    const at = bad ? bad.index : Math.max(0, text.length - (text.length % 4));
    const problem = `illegal base64 data at input byte ${at}`;
    issues.problem ??= new DecodeError(problem, `error decoding from json: ${problem}`);
    return undefined;
  }
  return text;
}

/** Go reads bytes from a list of numbers, too. */
function byteList(issues: DecodeIssues, items: readonly unknown[], path: string, owner: string): unknown {
  const wrong = items.find((item) => item !== null && !(typeof item === 'number' && (item & 255) === item));
  if (wrong === undefined) return Buffer.from(items.map(Number)).toString('base64');
  if (typeof wrong !== 'number') return mismatch(issues, wrong, path, owner, 'uint8');
  return integer(issues, wrong, path, owner, 'uint8', 0);
}

function quantity(value: unknown): unknown {
  const text = typeof value === 'number' ? String(value) : value;
  const canonical = typeof text === 'string' ? canonicalQuantity(text) : undefined;
  if (canonical === undefined)
    throw new DecodeError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  return canonical;
}

function time(value: unknown, path: string, owner: string, digits: number): unknown {
  if (typeof value !== 'string')
    throw new DecodeError(
      `json: cannot unmarshal ${jsonType(value)} into Go struct field ${field(owner, path)} of type string`,
      `json: cannot unmarshal ${jsonType(value)} into Go value of type string`,
    );
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(value);
  if (!match || (digits && match[2]?.length !== digits + 1)) throw new DecodeError(timeProblem(value, digits));
  const whole = match[3] === 'Z' ? (match[1] as string) : new Date(`${match[1]}${match[3]}`).toISOString().slice(0, 19);
  return digits ? `${whole}.${(match[2] ?? '.').slice(1).padEnd(digits, '0').slice(0, digits)}Z` : `${whole}Z`;
}

/** The parts of RFC 3339 as Go's layouts name them, in order. */
const TIME_PARTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d?/],
  [':', /^:/],
  ['04', /^\d\d/],
  [':', /^:/],
  ['05', /^\d\d(\.\d+)?/],
  ['Z07:00', /^(Z|[+-]\d\d:\d\d)/],
];

/** Which part of a time Go's parser stops at. */
function timeProblem(text: string, digits: number): string {
  const fraction = digits ? `.${'0'.repeat(digits)}` : '';
  const wanted = `parsing time ${quoted(text)} as "2006-01-02T15:04:05${fraction}Z07:00"`;
  let rest = text;
  const exact = [fraction, new RegExp(`^\\.\\d{${digits}}`)] as const;
  const parts = digits
    ? [...TIME_PARTS.slice(0, -2), ['05', /^\d\d/] as const, exact, ...TIME_PARTS.slice(-1)]
    : TIME_PARTS;
  for (const [name, pattern] of parts) {
    const found = pattern.exec(rest);
    if (!found) return `${wanted}: cannot parse ${quoted(rest)} as ${JSON.stringify(name)}`;
    rest = rest.slice(found[0].length);
  }
  return `parsing time ${quoted(text)}: extra text: ${quoted(rest)}`;
}

/** As Go's `time` quotes: all but ASCII by its bytes. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]+/g, (other) =>
    [...Buffer.from(other)].map((byte) => `\\x${byte.toString(16)}`).join(''),
  );
}

/** What Go's decoder calls a JSON value. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function mismatch(issues: DecodeIssues, value: unknown, path: string, owner: string, go: string): undefined {
  issues.problem ??= new DecodeError(
    `json: cannot unmarshal ${jsonType(value)} into Go struct field ${field(owner, path)} of type ${go}`,
    conversionProblem(value, go),
  );
}

/** What the conversion of untyped values says of one that does not fit a Go type. */
function conversionProblem(value: unknown, go: string): string {
  const from = reflectKind(value);
  if (go.startsWith('map[')) return `cannot restore map from ${from}`;
  if (go.startsWith('[]')) return `cannot restore slice from ${from}`;
  if (go.includes('.')) return `cannot restore struct from: ${from}`;
  // Go converts integers into texts, and floats into integers, where JSON does not.
  const isNumeric = typeof value === 'number' && go !== 'bool';
  if (isNumeric && (go !== 'string' || from === 'int64')) return `cannot convert ${from} to ${go}`;
  return `unrecognized type: ${go}`;
}

function reflectKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map';
}

function field(owner: string, path: string): string {
  return `${owner.slice(owner.lastIndexOf('.') + 1)}.${path.replace(/\[\d+\]/g, '').replace(/\.\u0001[^\u0002]*\u0002/g, '')}`;
}

function goName(expression: string): string {
  const plain: Record<string, string> = { s: 'string', b: 'bool', i32: 'int32', i64: 'int64', f64: 'float64' };
  if (plain[expression]) return plain[expression];
  const slash = expression.lastIndexOf('/');
  return slash < 0
    ? expression
    : expression.slice(slash + 1).includes('.')
      ? `${expression.slice(0, slash).split('/').pop() ? `${expression.slice(slash + 1)}` : ''}`
      : expression;
}
