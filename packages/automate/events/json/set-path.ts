import { keyMatcher, queryOf } from './get-path.ts';
import { goJson } from './go-json.ts';
import { type Node, parseNode } from './node.ts';
import { firstPart } from './path-parts.ts';

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
 * `-1`, which appends), an object for a name. An empty text is an empty object. A path with wildcards or queries
 * (`list.#(name=="a").x`, `list.#.x`) leads to what is there: it makes nothing. Throws `SetPathError`.
 */
export function setPath(json: string, path: string, raw: string): string {
  const steps = stepsOf(path);
  if (!steps) {
    const written = json.trim() === '' ? undefined : rewritten(parseNode(json), path, raw);
    if (written === undefined)
      throw new SetPathError(
        `path ${JSON.stringify(path)} leads to nothing that is there; only a plain path makes one`,
      );
    return written;
  }
  // an index makes a list of an empty document, -1 does not
  const empty = steps[0]?.name === '-1' ? parseNode('{}') : undefined;
  return write(json.trim() === '' ? empty : parseNode(json), steps, raw);
}

/** A text as JSON, as sjson writes it: `<`, `>` and `&` are escaped only where something else must be. */
export function jsonText(text: string): string {
  return /[^ !#-[\]-~]/.test(text) ? goJson(text) : `"${text}"`;
}

/** The steps of a path of names and indices; undefined if it has others. */
function stepsOf(path: string): Step[] | undefined {
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
    else if ('*?|#'.includes(char) || (char === '@' && fresh)) return undefined;
    else name += char;
    fresh = false;
  }
  return [...steps, { name, isKey }];
}

/** A value with what a path of gjson finds in it replaced; undefined if it finds nothing. */
function rewritten(node: Node, path: string, raw: string): string | undefined {
  const { text, separator, rest } = firstPart(path);
  if (separator === '|' || /^[@!{[]/.test(text))
    throw new SetPathError(`path ${JSON.stringify(path)} makes a value of its own: it leads to no place`);
  const inside = (child: Node) => (separator === '' ? raw : rewritten(child, rest, raw));
  if (node.kind === 'array') return rewrittenItems(node.items, chosenOf(node.items, text, separator !== ''), inside);
  if (node.kind !== 'object') return undefined;
  const matches = keyMatcher(text);
  for (const [at, [key, child]] of node.entries.entries()) {
    const written = matches(key) ? inside(child) : undefined;
    if (written === undefined) continue;
    const parts = node.entries.map(([name, { raw: kept }], i) => `${jsonText(name)}:${i === at ? written : kept}`);
    return `{${parts.join(',')}}`;
  }
  return undefined;
}

function rewrittenItems(
  items: readonly Node[],
  chosen: ReadonlySet<Node>,
  inside: (child: Node) => string | undefined,
): string | undefined {
  let found = false;
  const parts = items.map((item) => {
    const written = chosen.has(item) ? inside(item) : undefined;
    found ||= written !== undefined;
    return written ?? item.raw;
  });
  return found ? `[${parts.join(',')}]` : undefined;
}

/** The elements that a step means. */
function chosenOf(items: readonly Node[], text: string, goesOn: boolean): ReadonlySet<Node> {
  if (/^\d+$/.test(text)) return new Set(items.slice(Number(text), Number(text) + 1));
  // without more behind it, it is how many there are
  if (text === '#') return new Set(goesOn ? items : []);
  if (!text.startsWith('#(') && !text.startsWith('#[')) return new Set();
  const { matches, isAll } = queryOf(text);
  return new Set(isAll ? items.filter(matches) : items.filter(matches).slice(0, 1));
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
