import { modifiers } from './modifiers.ts';

/** One step of a path: what it says, and what stands before the next one. */
export interface PathPart {
  readonly text: string;
  /** `.` maps over what a `#` collected; `|` takes it as a whole. */
  readonly separator: '.' | '|' | '';
  readonly rest: string;
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The end of the bracket that opens at `start`, past it; texts in quotes are no brackets. The length of the text if it never ends. */
export function bracketEnd(text: string, start: number): number {
  const stack: string[] = [];
  for (let i = start; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '\\') i++;
    else if (char === '"') i = quoteEnd(text, i) - 1;
    else if (closing[char]) stack.push(closing[char]);
    else if (char === stack.at(-1)) {
      stack.pop();
      if (stack.length === 0) return i + 1;
    }
  }
  return text.length;
}

/** Past the quote that closes the one at `start`. */
export function quoteEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}

/** The first step of a path. */
export function firstPart(path: string): PathPart {
  let end = 0;
  while (end < path.length) {
    const char = path[end];
    if (char === '.' || char === '|') break;
    if (char === '\\') end += 2;
    else if ((char === '(' && path[end - 1] === '#') || ((char === '{' || char === '[') && end === 0))
      end = bracketEnd(path, end);
    else if (char === ':' && takesArgument(path.slice(0, end))) end = argumentEnd(path, end + 1);
    else end++;
  }
  end = Math.min(end, path.length);
  const separator = (path[end] ?? '') as '.' | '|' | '';
  return { text: path.slice(0, end), separator, rest: path.slice(end + 1) };
}

function takesArgument(text: string): boolean {
  return text === '@dig' || (text.startsWith('@') && modifiers.has(text.slice(1)));
}

/** Past the argument of a modifier, which is JSON or runs to the next `|`. */
function argumentEnd(path: string, start: number): number {
  const first = path[start];
  if (first === '{' || first === '[') return bracketEnd(path, start);
  if (first === '"') return quoteEnd(path, start);
  let end = start;
  while (end < path.length && path[end] !== '|') {
    const char = path[end] as string;
    if (char === '"') end = quoteEnd(path, end);
    else if ('([{'.includes(char)) end = bracketEnd(path, end);
    else end++;
  }
  return end;
}

/** The name that a step means, without its escapes. */
export function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, '$1');
}

/** True if a step has a wildcard that is not escaped. */
export function hasWildcard(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '*' || text[i] === '?') return true;
  }
  return false;
}

/** Matches `*` and `?` in linear time for the patterns that people write; escapes stand for themselves. */
export function matchWildcard(pattern: string, text: string): boolean {
  const tokens = [...pattern.matchAll(/\\(.)|([\s\S])/g)].map(([, literal, char]) => ({ literal, char }));
  let [token, at, star, mark] = [0, 0, -1, 0];
  while (at < text.length) {
    const { literal, char } = tokens[token] ?? {};
    if (char === '*') {
      star = token++;
      mark = at;
    } else if (literal === text[at] || char === '?' || (char !== undefined && char === text[at])) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++mark;
    } else return false;
  }
  while (tokens[token]?.char === '*') token++;
  return token === tokens.length;
}
