import { type Node, numberOf, parseNode, textOf } from './node.ts';
import { matchWildcard, quoteEnd } from './path-parts.ts';

/** The condition of `#(…)`. */
export interface Query {
  /** Path inside of the element; empty for the element itself. */
  readonly path: string;
  /** Absent: the path must exist. */
  readonly operator?: string;
  readonly value?: Node;
  /** The value is compared by its truth (`~true`, `~false`, `~null`, `~*`). */
  readonly truth?: string;
}

const operators = ['==', '!=', '<=', '>=', '!%', '=', '<', '>', '%'];

/** Reads what stands between the brackets of `#(…)`. */
export function parseQuery(text: string): Query {
  const trimmed = text.trim();
  let depth = 0;
  for (let i = 0; i < trimmed.length; i++) {
    const char = trimmed[i] as string;
    if (char === '\\') i++;
    else if (char === '"') i = quoteEnd(trimmed, i) - 1;
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (depth === 0) {
      const operator = operators.find((candidate) => trimmed.startsWith(candidate, i));
      if (operator) return compared(trimmed.slice(0, i).trim(), operator, trimmed.slice(i + operator.length).trim());
    }
  }
  return { path: trimmed };
}

function compared(path: string, operator: string, text: string): Query {
  const op = operator === '=' ? '==' : operator;
  if (text.startsWith('~')) return { path, operator: op, truth: text.slice(1) };
  return { path, operator: op, value: literal(text) };
}

function literal(text: string): Node {
  try {
    return parseNode(text);
  } catch {
    return { kind: 'string', value: text, raw: JSON.stringify(text) };
  }
}

/** Whether an element's value meets the condition; undefined stands for a path that does not exist. */
export function meets(query: Query, found: Node | undefined): boolean {
  const { operator, value, truth } = query;
  if (operator === undefined) return found !== undefined;
  if (truth !== undefined) return (truthOf(found, truth) ? '==' : '!=') === operator;
  if (!found || !value) return false;
  if (operator === '%') return value.kind === 'string' && matchWildcard(value.value, textOf(found));
  if (operator === '!%') return value.kind === 'string' && !matchWildcard(value.value, textOf(found));
  if (kindOf(found) !== kindOf(value)) return operator === '!=';
  return ordered(operator, found, value);
}

function truthOf(found: Node | undefined, truth: string): boolean {
  if (truth === '*') return found !== undefined;
  if (truth === 'null') return !found || found.kind === 'null';
  const isTrue = found !== undefined && (numberOf(found) !== 0 || ['true', 't'].includes(textOf(found).toLowerCase()));
  return truth === 'true' ? isTrue : !isTrue;
}

const kindOf = ({ kind }: Node) => (kind === 'true' || kind === 'false' ? 'boolean' : kind);

function ordered(operator: string, a: Node, b: Node): boolean {
  const order = a.kind === 'number' ? numberOf(a) - numberOf(b) : compare(textOf(a), textOf(b));
  if (operator === '==') return order === 0;
  if (operator === '!=') return order !== 0;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
