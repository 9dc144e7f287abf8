import { modifiers, ofNothing } from './modifiers.ts';
import { type Node, parseNode } from './node.ts';
import { bracketEnd, firstPart, hasWildcard, matchWildcard, quoteEnd, unescaped } from './path-parts.ts';
import { meets, parseQuery } from './query.ts';

const deepest = 200;

/**
 * What a path of gjson leads to: keys, indices, wildcards, `#`, queries, modifiers, multipaths and literals. Undefined if
 * there is nothing.
 */
export function getPath(node: Node, path: string): Node | undefined {
  // `..` takes the text as lines of JSON, of which an event is one
  return path.startsWith('..') ? step(listOf([node]), path.slice(2), 0) : step(node, path, 0);
}

/** What a path finds in a value and in everything inside of it. */
function dig(node: Node, path: string, found: Node[], depth: number): Node[] {
  const here = step(node, path, depth + 1);
  if (here) found.push(here);
  if (depth >= deepest) return found;
  const inner =
    node.kind === 'array' ? node.items : node.kind === 'object' ? node.entries.map(([, child]) => child) : [];
  for (const child of inner) dig(child, path, found, depth + 1);
  return found;
}

function step(node: Node, path: string, depth: number): Node | undefined {
  if (depth > deepest) return undefined;
  const part = firstPart(path);
  const { text } = part;
  const found = special(node, text, depth);
  if (found !== none) return next(found, part, depth);
  // of what has no inside, not even a later part of the path is looked at
  if (node.kind !== 'object' && node.kind !== 'array') return undefined;
  if (node.kind === 'array' && text.startsWith('#')) return collect(node.items, part, depth);
  const { separator, rest } = part;
  const goesOn = separator === '.' && node.kind === 'object' && hasWildcard(text) && !/^[@{[]/.test(rest);
  return goesOn ? firstOf(node, text, rest, depth) : next(childOf(node, text), part, depth);
}

/** What the rest of a path finds in the first child that a wildcard fits and that it leads on from. */
function firstOf(
  { entries }: Node & { kind: 'object' },
  wildcard: string,
  rest: string,
  depth: number,
): Node | undefined {
  for (const [key, child] of entries) {
    const found = matchWildcard(wildcard, key) ? step(child, rest, depth + 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

type Part = ReturnType<typeof firstPart>;

/** Goes on from what a part of the path has found. */
function next(found: Node | undefined, { separator, rest }: Part, depth: number): Node | undefined {
  if (separator === '') return found;
  if (found) return step(found, rest, depth + 1);
  return separator === '|' || /^[@{[]/.test(rest) ? fromNothing(rest, depth + 1) : undefined;
}

/** Modifiers and multipaths are made of what is not there too, literals only behind a `|`. */
function fromNothing(path: string, depth: number): Node | undefined {
  if (depth > deepest) return undefined;
  const part = firstPart(path);
  const { text } = part;
  if (text.startsWith('@')) {
    const made = ofNothing.get(splitOnce(text.slice(1), ':')[0] ?? '');
    return next(made === undefined ? undefined : parseNode(made), part, depth);
  }
  if (text.startsWith('!')) return next(literal(text.slice(1)), part, depth);
  const isMultipath = (text.startsWith('{') || text.startsWith('[')) && text.length > 1;
  return next(isMultipath ? multipath(undefined, text, depth) : undefined, part, depth);
}

const none = Symbol('an ordinary key');

function special(node: Node, text: string, depth: number): Node | undefined | typeof none {
  if (text.startsWith('@')) {
    const [name = '', argument] = splitOnce(text.slice(1), ':');
    if (name === 'dig') return listOf(dig(node, argument ?? '', [], depth));
    const modifier = modifiers.get(name);
    return modifier ? modifier(node, argument ?? '') : none;
  }
  if (text.startsWith('!')) return literal(text.slice(1));
  if ((text.startsWith('{') || text.startsWith('[')) && text.length > 1) return multipath(node, text, depth);
  return none;
}

function literal(text: string): Node | undefined {
  try {
    return parseNode(text);
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function childOf(node: Node, text: string): Node | undefined {
  if (node.kind === 'object') {
    const matches = keyMatcher(text);
    return node.entries.find(([key]) => matches(key))?.[1];
  }
  return node.kind === 'array' && /^\d+$/.test(text) ? node.items[Number(text)] : undefined;
}

/** Whether a key is the one that a step of a path names. */
export function keyMatcher(text: string): (key: string) => boolean {
  if (hasWildcard(text)) return (key) => matchWildcard(text, key);
  const name = unescaped(text);
  return (key) => key === name;
}

function collect(items: readonly Node[], part: Part, depth: number): Node | undefined {
  const { text, separator, rest } = part;
  if (text === '#') {
    if (separator === '') return parseNode(String(items.length));
    if (separator === '|') return step(parseNode(String(items.length)), rest, depth + 1);
    return mapped(items, rest, depth);
  }
  if (!text.startsWith('#(') && !text.startsWith('#[')) return undefined;
  const { matches, isAll } = queryOf(text, depth);
  if (!isAll) return next(items.find(matches), part, depth);
  const all = items.filter(matches);
  if (separator === '.') return mapped(all, rest, depth);
  const list = listOf(all);
  return separator === '|' ? step(list, rest, depth + 1) : list;
}

/** What `#(…)` and `#(…)#` ask of an element. */
export function queryOf(text: string, depth = 0): { matches: (item: Node) => boolean; isAll: boolean } {
  const end = bracketEnd(text, 1);
  const query = parseQuery(text.slice(2, end - 1));
  const matches = (item: Node) => {
    if (item.kind === 'object' || item.kind === 'array') return meets(query, step(item, query.path, depth + 1));
    return query.path === '' && meets(query, item);
  };
  return { matches, isAll: text.slice(end) === '#' };
}

/** The rest of the path in each element, up to a `|`, which takes the list. */
function mapped(items: readonly Node[], path: string, depth: number): Node | undefined {
  const [inner, outer] = splitAtPipe(path);
  const list = listOf(
    items.flatMap((item) => {
      const found = step(item, inner, depth + 1);
      return found ? [found] : [];
    }),
  );
  return outer === undefined ? list : step(list, outer, depth + 1);
}

function splitAtPipe(path: string): [string, string?] {
  let at = 0;
  while (at < path.length) {
    const { text, separator } = firstPart(path.slice(at));
    at += text.length;
    if (separator === '|') return [path.slice(0, at), path.slice(at + 1)];
    at++;
  }
  return [path];
}

function listOf(items: readonly Node[]): Node {
  return { kind: 'array', items, raw: `[${items.map(({ raw }) => raw).join(',')}]` };
}

/** `{a,"b":c}` and `[a,b]`: a new value of several paths. Names of keys without one are those of the last steps. */
function multipath(node: Node | undefined, text: string, depth: number): Node | undefined {
  const isObject = text.startsWith('{');
  const parts = splitTop(text.slice(1, -1)).flatMap((selector) => {
    const { name, path } = named(selector.trim());
    const found = node ? step(node, path, depth + 1) : fromNothing(path, depth + 1);
    return found ? [isObject ? `${JSON.stringify(name)}:${found.raw}` : found.raw] : [];
  });
  return parseNode(isObject ? `{${parts.join(',')}}` : `[${parts.join(',')}]`);
}

function named(selector: string): { name: string; path: string } {
  const end = nameEnd(selector);
  if (end > 0) return { name: nameOf(selector.slice(0, end)), path: selector.slice(end + 1) };
  const last = /(?:^|[.|])((?:\\.|[^.|\\])*)$/.exec(selector)?.[1] ?? '';
  return { name: /[[\]{}()#|!\u0000-\u001f]/.test(last) ? '_' : last, path: selector };
}

/** Where the colon after a selector's name stands; that of a modifier's argument is none. */
function nameEnd(selector: string): number {
  for (let i = 0; i < selector.length; i++) {
    const char = selector[i] as string;
    if (char === '\\') i++;
    else if (char === '"') i = quoteEnd(selector, i) - 1;
    else if ('([{'.includes(char)) i = bracketEnd(selector, i) - 1;
    else if (char === '@' && /[.|]/.test(selector[i - 1] ?? '')) return -1;
    else if (char === ':') return i;
  }
  return -1;
}

function nameOf(text: string): string {
  const name = text.startsWith('"') ? literal(text) : undefined;
  return name?.kind === 'string' ? name.value : text;
}

function splitTop(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '\\') i++;
    else if (char === '"') i = quoteEnd(text, i) - 1;
    else if ('([{'.includes(char)) i = bracketEnd(text, i) - 1;
    else if (char === ',') {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)].filter((part) => part.trim() !== '');
}
