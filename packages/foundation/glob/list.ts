import { runInNewContext } from 'node:vm';
import { RE2JS, RE2JSException } from 're2js';
import { compileGlob, isGlob, type Matcher } from './glob.ts';

/** How long an expression with look-around may take for one text, in milliseconds. */
const timeout = 50;
const cache = new Map<string, Matcher>();
const cacheLimit = 1_000;

/**
 * Whether one of the patterns holds for the text. Upstream rule of lists of namespaces: a pattern in slashes (`/^team-/`) is a
 * regular expression that may match anywhere, look-ahead included; and every pattern is tried as a glob too. One that does not
 * compile, or takes too long, matches nothing.
 */
export function matchListed(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => {
    return (isEnclosed(pattern) && expressionOf(pattern.slice(1, -1))(text)) || compileGlob(pattern)(text);
  });
}

const isEnclosed = (pattern: string): boolean => pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/');

/** Why a pattern of such a list matches nothing, in words that follow it; undefined if it is well. */
export function listedProblem(pattern: string): string | undefined {
  if (!isEnclosed(pattern))
    return isGlob(pattern) ? undefined : 'is no glob: a bracket or a brace is not closed, or holds no range';
  const source = pattern.slice(1, -1);
  if (linear(source)) return undefined;
  try {
    // it is compiled alone: `bounded` runs it
    runInNewContext('new RegExp(source, "u")', { source }, { timeout });
    return undefined;
  } catch (error) {
    return `is no regular expression: ${(error as Error).message}`;
  }
}

function expressionOf(source: string): Matcher {
  const known = cache.get(source);
  if (known) return known;
  const matcher = linear(source) ?? bounded(source);
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(source, matcher);
  return matcher;
}

function linear(source: string): Matcher | undefined {
  try {
    const expression = RE2JS.compile(source);
    return (text) => expression.matcher(text).find();
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
}

/** What needs to try several ways is stopped after a while: its author may be a tenant. */
function bounded(source: string): Matcher {
  return (text) => {
    try {
      return runInNewContext('new RegExp(source, "u").test(text)', { source, text }, { timeout: timeout }) === true;
    } catch {
      return false;
    }
  };
}
