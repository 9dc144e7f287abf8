import type { Node } from './ast.ts';
import { pattern } from './library/conversions.ts';
import { parseDuration, parseTimestamp } from './library/time.ts';
import { BOOL, BYTES, DOUBLE, DYN, INT, NULL, STRING, type Type, UINT } from './types.ts';
import { CelError, Uint, type Value } from './values.ts';

/** Whether a literal text can't be what a function takes it for. */
export function isBadLiteral(name: string, text: string): boolean {
  return (
    (name === 'duration' && !parseDuration(text)) ||
    (name === 'timestamp' && !parseTimestamp(text)) ||
    (name === 'matches' && !isPattern(text))
  );
}

/** What does not fit between the clauses of a literal format and the values of its list, up to the first value that is missing. */
export function* formatProblems(
  text: string,
  list: Node & { kind: 'list' },
  { at, typeOf }: { at: number; typeOf: (item: Node) => Type },
): Generator<{ at: number; message: string }> {
  const clauses = [...text.matchAll(/%(?:%|(?:\.\d+)?(.)?)/gs)].flatMap(([, kind]) => kind ?? []);
  for (const [index, kind] of clauses.entries()) {
    const item = list.items[index]?.node;
    if (!item) {
      yield { at, message: `index ${index} out of range` };
      return;
    }
    const type = typeOf(item);
    const problem = formatProblem(kind, type);
    if (problem) yield { at: item.at, message: `error during formatting: ${problem}, was given ${runtimeName(type)}` };
  }
  if (list.items.length > clauses.length)
    yield {
      at,
      message: `too many arguments supplied to string.format (expected ${clauses.length}, got ${list.items.length})`,
    };
}

const TEXTUAL = new Set([
  'string',
  'bool',
  'bytes',
  'int',
  'uint',
  'double',
  'null',
  'type',
  'duration',
  'timestamp',
  'dyn',
]);

/** Why a value of the type can't stand for a clause of a format. */
function formatProblem(kind: string, type: Type): string | undefined {
  if (type === DYN || type.kind === 'parameter') return undefined;
  const name = type.kind === 'simple' ? type.name : type.kind;
  const is = (...names: string[]) => names.includes(name);
  switch (kind) {
    case 's':
      return TEXTUAL.has(name) || is('list', 'map')
        ? undefined
        : 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
    case 'd':
      return is('int', 'uint') ? undefined : 'decimal clause can only be used on integers';
    case 'f':
      return is('int', 'uint', 'double') ? undefined : 'fixed-point clause can only be used on doubles';
    case 'e':
      return is('int', 'uint', 'double') ? undefined : 'scientific clause can only be used on doubles';
    case 'b':
      return is('int', 'uint', 'bool') ? undefined : 'only integers and bools can be formatted as binary';
    case 'o':
      return is('int', 'uint') ? undefined : 'octal clause can only be used on integers';
    default:
      return is('int', 'uint', 'string', 'bytes')
        ? undefined
        : 'only integers, byte buffers, and strings can be formatted as hex';
  }
}

function runtimeName(type: Type): string {
  return type.kind === 'list' || type.kind === 'map' ? type.kind : type.name;
}

function isPattern(text: string): boolean {
  try {
    pattern(text);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

/** The type of a literal. */
export function literalType(value: Value): Type {
  if (value === null) return NULL;
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
    default:
      return value instanceof Uint ? UINT : BYTES;
  }
}
