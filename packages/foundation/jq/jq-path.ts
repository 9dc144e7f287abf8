import { Bounds, JqStopped } from './bounds.ts';
import { unknownName } from './check.ts';
import { Evaluation } from './evaluate.ts';
import { JqSyntaxError, parseQuery } from './parser.ts';
import { JqUnknown } from './scope.ts';
import type { Query } from './tree.ts';
import { JqError, withoutPaths } from './values.ts';

/** A program of jq that leads to places in a value. */
export interface JqPath {
  readonly text: string;
  readonly query: Query;
}

/** What an evaluation may take. Upstream stops it after a second; steps are the same on every machine. */
const mostSteps = 500_000;
const longest = 4096;

/** Reads a program; the reason tells why it is none, or what it asks for that there is not. */
export function parseJqPath(text: string): { path?: JqPath; reason: string } {
  if (text.length > longest) return { reason: `it is longer than ${longest} characters` };
  try {
    const path = { text, query: parseQuery(text) };
    const unknown = unknownName(path.query);
    if (unknown) return { reason: unknown };
    const { kind } = path.query;
    if (kind === 'identity' || kind === 'recurse')
      return { reason: 'it leads to the object itself, not to a field of it' };
    const { problem } = removePaths({}, path);
    return problem === undefined ? { path, reason: '' } : { reason: problem };
  } catch (error) {
    if (error instanceof JqSyntaxError) return { reason: error.message };
    throw error;
  }
}

/**
 * The value without what the program leads to, as jq's `del`. Where the program fails the value stays as it is, as
 * upstream: `.list[]` is no place in an object without a list. A problem is what no value can help.
 */
export function removePaths(value: unknown, { query }: JqPath): { readonly value: unknown; readonly problem?: string } {
  try {
    // an object that would go as a whole stays
    const bounds = new Bounds(mostSteps);
    return { value: withoutPaths(value, new Evaluation(bounds).paths(query, value), bounds) ?? value };
  } catch (error) {
    if (error instanceof JqError) return { value };
    if (error instanceof JqStopped || error instanceof JqUnknown) return { value, problem: error.message };
    if (error instanceof RangeError) return { value, problem: 'it goes too deep' };
    throw error;
  }
}
