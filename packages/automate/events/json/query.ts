import { parseFloat64 } from '@tiphys/template';
import { JsonSyntaxError, type Node, numberOf, parseNode } from './node.ts';
import { matchWildcard, quoteEnd } from './path-parts.ts';

/** The condition of `#(…)`. */
export interface Query {
  /** Path inside of the element; empty for the element itself. */
  readonly path: string;
  /** Absent: the path must exist. */
  readonly operator?: string;
  /** Without its quotes; it has no type of its own. After `~` it asks for truth: `~true`, `~false`, `~null`, `~*`. */
  readonly value?: string;
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
    else if (char === '(' || char === '[') depth++;
    else if (char === ')' || char === ']') depth--;
    else if (depth === 0) {
      const operator = operators.find((candidate) => trimmed.startsWith(candidate, i));
      if (operator) {
        const value = unquoted(trimmed.slice(i + operator.length).trim());
        return { path: trimmed.slice(0, i).trim(), operator: operator === '==' ? '=' : operator, value };
      }
    }
  }
  return { path: trimmed };
}

function unquoted(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  try {
    const node = parseNode(text);
    if (node.kind === 'string') return node.value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  return text.slice(1, -1);
}

/** Whether an element's value meets the condition; undefined stands for a path that does not exist. */
export function meets({ operator, value = '' }: Query, found: Node | undefined): boolean {
  if (value.startsWith('~')) {
    const holds = truths.get(value.slice(1));
    return holds !== undefined && byTruth(operator, holds(found), 'true');
  }
  if (!found) return false;
  if (operator === undefined) return true;
  switch (found.kind) {
    case 'string':
      if (operator === '%') return matchWildcard(value, found.value);
      if (operator === '!%') return !matchWildcard(value, found.value);
      return ordered(operator, found.value < value ? -1 : found.value > value ? 1 : 0);
    case 'number':
      return ordered(operator, numberOf(found) - parseFloat64(value).value);
    case 'true':
    case 'false':
      return byTruth(operator, found.kind === 'true', value);
    default:
      return false;
  }
}

const truths = new Map<string, (found: Node | undefined) => boolean>([
  ['*', (found) => found !== undefined],
  ['null', (found) => !found || found.kind === 'null'],
  ['true', (found) => isTruth(found, true)],
  ['false', (found) => !found || found.kind === 'null' || isTruth(found, false)],
]);

function isTruth(found: Node | undefined, wanted: boolean): boolean {
  if (found?.kind === 'true' || found?.kind === 'false') return (found.kind === 'true') === wanted;
  if (found?.kind === 'number') return (numberOf(found) !== 0) === wanted;
  const texts = wanted ? ['1', 't', 'true'] : ['0', 'f', 'false'];
  return found?.kind === 'string' && texts.includes(found.value.toLowerCase());
}

function byTruth(operator: string | undefined, truth: boolean, value: string): boolean {
  switch (operator) {
    case undefined:
      return true;
    case '=':
      return value === String(truth);
    case '!=':
      return value !== String(truth);
    case '>':
      return truth && value === 'false';
    case '>=':
      return truth;
    case '<':
      return !truth && value === 'true';
    default:
      return operator === '<=' && !truth;
  }
}

function ordered(operator: string, order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return operator === '>=' && order >= 0;
  }
}
