import { RE2JS, RE2JSException } from 're2js';

/** Tests a whole text against a pattern that was compiled once. */
export type Matcher = (text: string) => boolean;

const cache = new Map<string, Matcher>();
const cacheLimit = 10_000;

/**
 * Compiles a glob of the gobwas dialect, which the peers use for projects, RBAC and settings: `*` (anything but a
 * separator), `**` (anything), `?` (one character but a separator), `[a-z]`, `[!a-z]`, `{a,b}` and `\` as escape.
 * Without separators `*` crosses everything. A pattern that does not compile matches nothing, as upstream.
 * The result runs in time linear in the text.
 */
export function compileGlob(pattern: string, separators = ''): Matcher {
  const key = `${separators}\0${pattern}`;
  const known = cache.get(key);
  if (known) return known;
  const source = toRegExp(pattern, separators);
  const matcher = (source === undefined ? undefined : matcherOf(pattern, source)) ?? (() => false);
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(key, matcher);
  return matcher;
}

/** Whether the pattern compiles; one that does not matches nothing. */
export function isGlob(pattern: string): boolean {
  const source = toRegExp(pattern, '');
  return source !== undefined && matcherOf(pattern, source) !== undefined;
}

/**
 * The engine of the runtime is the faster one, but it tries all ways in which stars and alternatives can match. Undefined for a
 * range whose end is before its start.
 */
function matcherOf(pattern: string, source: string): Matcher | undefined {
  try {
    if (!pattern.includes('{') && pattern.split(/\*+/).length <= 2) {
      const expression = new RegExp(`^(?:${source})$`, 'su');
      return (text) => expression.test(text);
    }
    const expression = RE2JS.compile(source, RE2JS.DOTALL);
    return (text) => expression.matches(text);
  } catch (error) {
    if (error instanceof RE2JSException || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function toRegExp(pattern: string, separators: string): string | undefined {
  const any = separators ? `[^${escapeClass(separators)}]` : '.';
  let out = '';
  let depth = 0;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i] as string;
    if (c === '\\') {
      i += 1;
      if (i >= pattern.length) return undefined;
      out += escapeText(pattern[i] as string);
    } else if (c === '*') {
      let stars = 1;
      while (pattern[i + 1] === '*') {
        stars += 1;
        i += 1;
      }
      // Consecutive stars collapse, so that no pattern can make the matcher backtrack over them.
      out += stars > 1 ? '.*' : `${any}*`;
    } else if (c === '?') out += any;
    else if (c === '[') {
      const end = pattern.indexOf(']', i + 2);
      if (end < 0) return undefined;
      const body = pattern.slice(i + 1, end);
      const negated = body.startsWith('!') || body.startsWith('^');
      out += `[${negated ? '^' : ''}${classBody(negated ? body.slice(1) : body)}]`;
      i = end;
    } else if (c === '{') {
      depth += 1;
      out += '(?:';
    } else if (c === '}' && depth > 0) {
      depth -= 1;
      out += ')';
    } else if (c === ',' && depth > 0) out += '|';
    else out += escapeText(c);
  }
  return depth === 0 ? out : undefined;
}

function classBody(body: string): string {
  return body.replace(/[\\\]^[]/g, '\\$&');
}

function escapeClass(text: string): string {
  return text.replace(/[\\\]^-]/g, '\\$&');
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** As the peers match the lists of a project: `!` in front negates, the bare `*` matches anything, the empty text too. */
export function matchNegatable(pattern: string, text: string, separators = ''): boolean {
  if (pattern.startsWith('!')) return !matchNegatable(pattern.slice(1), text, separators);
  return pattern === '*' || compileGlob(pattern, separators)(text);
}
