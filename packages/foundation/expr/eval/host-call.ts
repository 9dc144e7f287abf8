import {
  Budget,
  type CallContext,
  FunctionError,
  type FunctionSpec,
  freshRecorder,
  type GoType,
  int,
  TemplateSet,
  typeOf,
  type Value,
} from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';
import type { BoundMethod } from '../values/access.ts';
import { typeName } from '../values/numbers.ts';

/** An expression stands in no template: what functions generate is made anew at each call. */
const route = { root: 'expression', callers: '', text: '', rounds: '' };

/** What functions that are shared with templates see of an expression: no templates, a budget of its own, and its clock. */
export function hostContext(now?: () => number): CallContext {
  const site = { template: 'expression', line: 1, column: 0, name: '' };
  return {
    set: new TemplateSet(),
    functions: new Map(),
    budget: new Budget(),
    recorder: { ...freshRecorder(), ...(now ? { now } : {}) },
    host: undefined,
    site: () => site,
    route: () => route,
    executeTemplate: (name) => {
      throw new FunctionError(`an expression can not execute the template ${name}`);
    },
    trace: undefined,
  };
}

interface HostCall {
  readonly spec: FunctionSpec;
  readonly args: readonly Value[];
  readonly receiver?: BoundMethod | undefined;
  /** True if the types were known when the expression was compiled: Go then calls without reflection. */
  readonly isTyped: boolean;
  context(): CallContext;
}

/** Calls a function of the host. Throws `Panic` for what Go's reflection refuses, and for the function's own error. */
export function callHost({ spec, args, receiver, isTyped, context }: HostCall): Value {
  const { params, rest } = spec;
  if (spec.unusable) throw new Panic(spec.unusable);
  if (rest && args.length < params.length)
    throw new Panic(`invalid number of arguments: expected at least ${params.length}, got ${args.length}`);
  if (!rest && args.length !== params.length)
    throw new Panic(`invalid number of arguments: expected ${params.length}, got ${args.length}`);
  const passed = args.map((arg, i) =>
    fitted(arg, (params[i] ?? rest) as GoType, i >= params.length ? 'rest' : isTyped && !rest ? 'typed' : 'plain'),
  );
  try {
    return spec.call(receiver ? [receiver.receiver, ...passed] : passed, context());
  } catch (error) {
    if (error instanceof FunctionError) throw new Panic(error.message);
    throw error;
  }
}

const zeros: Readonly<Record<string, Value>> = { string: '', bool: false, float64: 0, int64: 0n, int: int(0) };

/** In whose words a type is refused: of a known type, of reflection, or of a variadic rest. */
type Words = 'typed' | 'plain' | 'rest';

function fitted(arg: Value, type: GoType, words: Words): Value {
  if (type.kind === 'interface' || type.name === 'reflect.Value') return arg ?? null;
  if (arg === null || arg === undefined) return zeros[type.kind] ?? null;
  if (typeOf(arg) === type) return arg;
  if (words === 'rest') throw new Panic(`reflect: cannot use ${typeName(arg)} as type ${type.name} in Call`);
  if (words === 'typed') throw new Panic(`interface conversion: interface {} is ${typeName(arg)}, not ${type.name}`);
  throw new Panic(`reflect: Call using ${typeName(arg)} as type ${type.name}`);
}
