import { compile } from '@tiphys/expr';
import { encodeJson, type Value } from '@tiphys/template';

/**
 * What the expressions of a `data` template make of a list of paths, each of what the one before gave, as JSON. Throws an error that
 * names the step.
 */
export function transformedJson(
  list: readonly string[],
  steps: readonly { readonly expression?: string | undefined }[],
): string {
  let value: Value = [...list];
  for (const [step, { expression }] of steps.entries()) {
    if (!expression) continue;
    try {
      value = compile(expression).run(new Map([['data', value]]));
    } catch (error) {
      throw new Error(`error processing data step ${step}: ${(error as Error).message}`, { cause: error });
    }
  }
  return encodeJson(value);
}
