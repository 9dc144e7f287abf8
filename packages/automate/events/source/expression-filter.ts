import { argoFunctions, compile, ExpressionError, type Program } from '@tiphys/expr';
import { goValue, type Value } from '@tiphys/template';
import { dataOfNode, JsonSyntaxError, parseNode } from '../json/node.ts';

/**
 * What `filter.expression` says of the data of an event: undefined if it passes, else why not. An expression that fails drops the
 * event, as upstream. Every event passes if there is none.
 */
export function expressionFilter(
  spec: Readonly<Record<string, unknown>>,
  now: () => number,
): (data: string) => string | undefined {
  const text = (spec.filter as { expression?: string } | undefined)?.expression;
  if (!text) return () => undefined;
  let program: Program | string;
  try {
    program = compile(text);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    program = error.message;
  }
  return (data) => (typeof program === 'string' ? told(text, program) : verdict({ program, text, now }, data));
}

function verdict(
  { program, text, now }: { program: Program; text: string; now: () => number },
  data: string,
): string | undefined {
  try {
    const result = program.run(new Map([...parameters(data), ...argoFunctions()]), { now });
    if (result === true) return undefined;
    if (result === false) return `filter.expression ${JSON.stringify(text)} is false`;
    return told(text, 'it gave no boolean');
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof JsonSyntaxError) return told(text, error.message);
    throw error;
  }
}

function told(text: string, reason: string): string {
  return `filter.expression ${JSON.stringify(text)} failed: ${reason}`;
}

/** The top-level keys of the data, with `-` as `_`. */
function parameters(data: string): ReadonlyMap<string, Value> {
  const node = parseNode(data);
  if (node.kind !== 'object') throw new JsonSyntaxError('the data is no object');
  return expanded(node.entries.map(([key, value]) => [key.replaceAll('-', '_'), goValue(dataOfNode(value))]));
}

/** Keys with dots as objects in objects; of `a` and `a.b` the second one counts. */
function expanded(entries: readonly (readonly [string, Value])[]): ReadonlyMap<string, Value> {
  const keys = entries.map(([key]) => key);
  const root = new Map<string, Value>();
  for (const [key, value] of entries) {
    if (keys.some((other) => other.startsWith(`${key}.`))) continue;
    const steps = key.split('.');
    const last = steps.pop() ?? '';
    let at = root;
    for (const step of steps) {
      const inner = at.get(step);
      const next = inner instanceof Map ? (inner as Map<string, Value>) : new Map<string, Value>();
      at.set(step, next as Value);
      at = next;
    }
    at.set(last, value);
  }
  return root;
}
