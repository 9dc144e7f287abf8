import { compile, ExpressionError, type Program } from '@tiphys/expr';
import {
  anyType,
  define,
  FunctionError,
  type FunctionSpec,
  GoFunction,
  goValue,
  sprigFunctions,
  type Value,
} from '@tiphys/template';
import { getPath } from '../json/get-path.ts';
import { goMapJson } from '../json/go-json.ts';
import { dataOfNode, JsonSyntaxError, parseNode } from '../json/node.ts';

const hidden = new Set(['env', 'expandenv']);

/** Sprig and upstream's own functions, as expressions see them. */
let environment: ReadonlyMap<string, Value> | undefined;

function functionValues(): ReadonlyMap<string, Value> {
  if (environment) return environment;
  const sprig = [...sprigFunctions]
    .filter(([name]) => !hidden.has(name))
    .map(([name, spec]) => [name, functionOf(spec)] as const);
  environment = new Map<string, Value>([['sprig', new Map(sprig)]]);
  return environment;
}

function functionOf(spec: FunctionSpec): GoFunction {
  return new GoFunction({ kind: 'func', elem: anyType } as never, spec);
}

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
    program = compile(text, { functions: ownFunctions });
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
    const result = program.run(new Map([...parameters(data), ...functionValues()]), { now });
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

const ownFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['toJson', define('any', ([value]) => goMapJson(plain(value)))],
  [
    'jsonpath',
    define('string, string', ([text, path]) => {
      const found = getPath(parseNode(String(text)), jsonPathOf(String(path)));
      if (!found) throw new FunctionError(`jsonpath ${String(path)} leads to nothing`);
      return goValue(dataOfNode(found));
    }),
  ],
  ['asInt', define('any', ([value]) => Math.trunc(Number(plain(value))))],
  ['asFloat', define('any', ([value]) => Number(plain(value)))],
]);

/** `$.a.b[0]` as a path of ours. */
function jsonPathOf(path: string): string {
  return path
    .replace(/^\$\.?/, '')
    .replace(/\[['"]([^'"\]]*)['"]\]/g, '.$1')
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/\[\*\]/g, '.#')
    .replace(/^\./, '');
}

function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'object' && value !== null) return String(value);
  return value;
}
