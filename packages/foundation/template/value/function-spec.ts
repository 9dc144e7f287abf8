import type { CallContext } from './call-context.ts';
import type { TraceRule } from './trace/call.ts';
import {
  anyType,
  boolType,
  bytesType,
  errorInterface,
  float64Type,
  type GoType,
  int64Type,
  intType,
  mapOfAny,
  mapOfString,
  reflectValueType,
  sliceOfAny,
  sliceOfInt,
  sliceOfString,
  stringType,
} from './type.ts';
import type { Value } from './value.ts';

/**
 * The body of a template function. Arguments have been checked against the parameter types; a variadic rest is spread.
 * A parameter of a built-in Go type arrives as itself: `int` and `int64` as integer values (`GoInt`, bigint).
 * Throws `FunctionError` for an error that the Go function returns.
 */
export type FunctionBody = (args: Value[], context: CallContext) => Value;

/** A function or method that templates can call. */
export interface FunctionSpec {
  /** Types of the fixed parameters. */
  readonly params: readonly GoType[];
  /** Element type of the variadic rest, if there is one. */
  readonly rest?: GoType;
  readonly call: FunctionBody;
  /** Why a template can not call it, because of what it returns: the words of the error. */
  readonly unusable?: string;
  /** In trace mode: what the result is made of. Without one, the whole of it is made of all arguments. */
  readonly trace?: TraceRule;
}

/** Functions by name. */
export type FunctionMap = ReadonlyMap<string, FunctionSpec>;

/** The error that a template function returns; it becomes `error calling NAME: MESSAGE`. */
export class FunctionError extends Error {
  /** What it was caused by, if a template was executed inside the function. */
  readonly inner: unknown;
  constructor(message: string, inner?: unknown) {
    super(message);
    this.name = 'FunctionError';
    this.inner = inner;
  }
}

const typeNames: Record<string, GoType> = {
  any: anyType,
  bool: boolType,
  string: stringType,
  int: intType,
  int64: int64Type,
  float64: float64Type,
  error: errorInterface,
  value: reflectValueType,
  '[]any': sliceOfAny,
  '[]string': sliceOfString,
  '[]int': sliceOfInt,
  '[]byte': bytesType,
  'map[string]any': mapOfAny,
  'map[string]string': mapOfString,
};

/**
 * Declares a function by its Go parameter list: `define('string, int', …)`, `define('any, ...any', …)`.
 * Type names: any, bool, string, int, int64, float64, error, value (reflect.Value), and slices and maps of them as Go
 * writes them, with `any` for `interface {}`; other types are given with `defineTyped`.
 */
export function define(signature: string, call: FunctionBody, trace?: TraceRule): FunctionSpec {
  const names = signature === '' ? [] : signature.split(',').map((name) => name.trim());
  const last = names.at(-1);
  const rest = last?.startsWith('...') ? typeNamed(last.slice(3)) : undefined;
  return defineTyped((rest ? names.slice(0, -1) : names).map(typeNamed), call, {
    ...(rest ? { rest } : {}),
    ...(trace ? { trace } : {}),
  });
}

/** Declares a function by its parameter types. */
export function defineTyped(
  params: readonly GoType[],
  call: FunctionBody,
  options: { readonly rest?: GoType; readonly trace?: TraceRule } = {},
): FunctionSpec {
  return { params, call, ...options };
}

/** A method that Go's templates know and refuse, because of what it returns. */
export function unusable(words: string): FunctionSpec {
  return { params: [], call: () => undefined, unusable: words };
}

/** Functions with rules for their traces, by name. */
export function withTraces(functions: FunctionMap, rules: Readonly<Record<string, TraceRule>>): FunctionMap {
  return new Map(
    [...functions].map(([name, spec]) => {
      const trace = rules[name];
      return [name, trace ? { ...spec, trace } : spec];
    }),
  );
}

function typeNamed(name: string): GoType {
  const type = typeNames[name];
  if (!type) throw new Error(`Unknown type in a function's signature: "${name}"`);
  return type;
}
