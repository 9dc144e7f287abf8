import { goJson } from './go-json.ts';
import { type Node, parseNode } from './node.ts';

/** A path that leads to no single place. */
export class SetPathError extends Error {}

interface Step {
  readonly name: string;
  /** `:2` is a key even where a list would be made. */
  readonly isKey: boolean;
}

const longestList = 10_000;

/**
 * Writes a value, as JSON text, where a path of sjson leads to. What is missing on the way is made: a list for an index (or
 * `-1`, which appends), an object for a name. An empty text is an empty object. Throws `SetPathError`.
 */
export function setPath(json: string, path: string, raw: string): string {
  const steps = stepsOf(path);
  // an index makes a list of an empty document, -1 does not
  const empty = steps[0]?.name === '-1' ? parseNode('{}') : undefined;
  return write(json.trim() === '' ? empty : parseNode(json), steps, raw);
}

/** A text as JSON, as sjson writes it: `<`, `>` and `&` are escaped only where something else must be. */
export function jsonText(text: string): string {
  return /[^ !#-[\]-~]/.test(text) ? goJson(text) : `"${text}"`;
}

function stepsOf(path: string): Step[] {
  if (path === '') throw new SetPathError('path cannot be empty');
  const steps: Step[] = [];
  let [name, isKey, fresh] = ['', false, true];
  for (let i = 0; i < path.length; i++) {
    const char = path[i] as string;
    if (char === '\\') name += path[++i] ?? '';
    else if (char === '.') {
      steps.push({ name, isKey });
      [name, isKey, fresh] = ['', false, true];
      continue;
    } else if (char === ':' && fresh) isKey = true;
    else if ('*?|#'.includes(char) || (char === '@' && fresh))
      throw new SetPathError(`path ${JSON.stringify(path)} has ${JSON.stringify(char)}: it leads to no single place`);
    else name += char;
    fresh = false;
  }
  return [...steps, { name, isKey }];
}

function write(node: Node | undefined, steps: readonly Step[], raw: string): string {
  const [first, ...rest] = steps;
  if (!first) return raw;
  const { name, isKey } = first;
  const isIndex = !isKey && (/^\d+$/.test(name) || name === '-1');
  if (node?.kind === 'array') {
    if (!isIndex) throw new SetPathError(`cannot set array element for non-numeric key ${JSON.stringify(name)}`);
    return element(node.items, name, rest, raw);
  }
  // an empty name makes a list too
  if (node?.kind !== 'object' && (isIndex || (name === '' && !isKey))) return element([], name, rest, raw);
  const entries = node?.kind === 'object' ? node.entries : [];
  const known = entries.some(([key]) => key === name);
  const parts = entries.map(([key, child]) => {
    const value = key === name ? write(child, rest, raw) : child.raw;
    return `${jsonText(key)}:${value}`;
  });
  if (!known) parts.push(`${jsonText(name)}:${write(undefined, rest, raw)}`);
  return `{${parts.join(',')}}`;
}

function element(items: readonly Node[], name: string, rest: readonly Step[], raw: string): string {
  const index = name === '-1' ? items.length : Number(name);
  if (index > items.length + longestList) throw new SetPathError(`index ${name} is too far behind the end of the list`);
  const parts = items.map((item) => item.raw);
  while (parts.length < index) parts.push('null');
  parts[index] = write(items[index], rest, raw);
  return `[${parts.join(',')}]`;
}
