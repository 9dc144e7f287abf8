import { applySteps } from './json-path-apply.ts';
import { readPath } from './json-path-read.ts';
import { JsonPathError } from './json-path-steps.ts';

/**
 * What a JSONPath finds in a JSON text, as upstream's library finds it: one value where the path can mean only one, else a list, in which what a
 * wildcard, a slice or a filter finds below another one is a list of its own. `$`, `.name`, `['name']`, `[0]`, `[-1]`, `[a,b]`, `[1:3:2]`, `*`,
 * `..`, `[?(@.a > 1)]`, `[(@.length-1)]` and `.length` are understood.
 */
export function queryJson(text: string, path: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new JsonPathError(`jsonpath: ${(error as Error).message}`);
  }
  return applySteps(readPath(path), { root: json, value: json, path });
}
