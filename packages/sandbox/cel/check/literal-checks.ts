import { type CelIssue, type Node, partsOf } from '../language/ast.ts';
import { CLAUSES, formatClauses } from '../language/format-clauses.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  formatType,
  INT,
  isOptional,
  NULL,
  STRING,
  sameType,
  type Type,
  UINT,
} from '../language/types.ts';
import { CelError, Uint, type Value } from '../language/values.ts';
import { pattern } from '../library/conversions.ts';
import { parseDuration, parseTimestamp } from '../library/time.ts';

type Call = Node & { kind: 'call' };

/** What of the values in an expression whose types fit can't be right. */
export function* valueProblems(node: Node, typeOf: (node: Node) => Type, mixed = false): Generator<CelIssue> {
  if (node.kind === 'call') {
    yield* callProblems(node, typeOf);
  } else if (!mixed && (node.kind === 'list' || node.kind === 'map')) yield* mixtures(node, typeOf);
  const inside = mixed || (node.kind === 'call' && node.name === 'format');
  for (const part of partsOf(node)) yield* valueProblems(part, typeOf, inside);
}

function* callProblems({ name, target, args, at }: Call, typeOf: (node: Node) => Type): Generator<CelIssue> {
  const last = args.at(-1);
  if (last?.kind === 'literal' && typeof last.value === 'string' && isBadLiteral(name, last.value))
    yield { at: last.at, message: `invalid ${name} argument` };
  if (name === 'format' && target?.kind === 'literal' && typeof target.value === 'string' && last?.kind === 'list')
    yield* formatProblems(target.value, last, at, typeOf);
}

/** Whether a literal text can't be what a function takes it for. */
function isBadLiteral(name: string, text: string): boolean {
  return (
    (name === 'duration' && !parseDuration(text)) ||
    (name === 'timestamp' && !parseTimestamp(text)) ||
    (name === 'matches' && !isPattern(text))
  );
}

/** Elements must be of the type of the first, outside of the arguments of `format`. */
function* mixtures(node: Node & { kind: 'list' | 'map' }, typeOf: (node: Node) => Type): Generator<CelIssue> {
  const shown = (part: Node, optional: boolean) => {
    const type = typeOf(part);
    return optional && isOptional(type) ? (type.parameters[0] as Type) : type;
  };
  const mismatch = (part: Node, wanted: Type, found: Type) => ({
    at: part.at,
    message: `expected type '${formatType(wanted)}' but found '${formatType(found)}'`,
  });
  if (node.kind === 'list') {
    const types = node.items.map(({ node: item, optional }) => shown(item, optional));
    const index = types.findIndex((type) => !sameType(types[0] as Type, type));
    if (index > 0) yield mismatch((node.items[index] as { node: Node }).node, types[0] as Type, types[index] as Type);
    return;
  }
  const [first, ...rest] = node.entries;
  if (!first) return;
  const [key, value] = [typeOf(first.key), shown(first.value, first.optional)];
  for (const entry of rest) {
    const types = [typeOf(entry.key), shown(entry.value, entry.optional)] as const;
    if (!sameType(key, types[0])) yield mismatch(entry.key, key, types[0]);
    if (!sameType(value, types[1])) yield mismatch(entry.value, value, types[1]);
  }
}

/** What does not fit between the clauses of a literal format and the values of its list: the first mistake of it. */
function* formatProblems(
  text: string,
  list: Node & { kind: 'list' },
  at: number,
  typeOf: (item: Node) => Type,
): Generator<CelIssue> {
  let used = 0;
  for (const clause of formatClauses(text)) {
    if ('text' in clause) continue;
    const item = list.items[used]?.node;
    used += 1;
    // Whether there is a value is looked at behind the text only.
    if (!item && clause.problem === undefined) {
      yield { at, message: `index ${used - 1} out of range` };
      return;
    }
    if (clause.problem !== undefined) {
      yield { at, message: clause.problem };
      return;
    }
    const bad = misfit(clause.kind, item as Node, typeOf);
    if (!bad) continue;
    yield {
      at: bad.at,
      message: `error during formatting: ${CLAUSES[clause.kind]?.text}, was given ${runtimeName(typeOf(bad))}`,
    };
    return;
  }
  if (list.items.length > used)
    yield {
      at,
      message: `too many arguments supplied to string.format (expected ${used}, got ${list.items.length})`,
    };
}

/** The part of a value that can't stand for a clause. */
function misfit(kind: string, item: Node, typeOf: (item: Node) => Type): Node | undefined {
  const type = typeOf(item);
  if (type !== DYN && type.kind !== 'parameter' && !(CLAUSES[kind]?.statically ?? []).includes(kindName(type)))
    return item;
  if (kind !== 's' || (item.kind !== 'list' && item.kind !== 'map')) return undefined;
  for (const part of partsOf(item)) {
    const bad = misfit(kind, part, typeOf);
    if (bad) return bad;
  }
  return undefined;
}

const kindName = (type: Type): string => (type.kind === 'list' || type.kind === 'map' ? type.kind : type.name);

const RUNTIME: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  null: 'null_type',
};

function runtimeName(type: Type): string {
  return RUNTIME[kindName(type)] ?? kindName(type);
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
