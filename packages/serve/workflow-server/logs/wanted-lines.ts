import { boundedExpression, invalidArgument } from '@tiphys/server';
import { RE2JS, RE2JSException } from 're2js';

/** Which lines a caller's `grep` asks for: all without one. Throws InvalidArgument for what is no expression, or costs too much. */
export function wantedLines(grep: string | undefined): (line: string) => boolean {
  if (!grep) return () => true;
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(grep);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw invalidArgument(`failed to compile "${grep}": ${error.message}`);
  }
  return boundedExpression(pattern, 'grep');
}
