import type { CallContext, FunctionSpec, Value, ValueMap } from '@tiphys/template';
import { Checker } from './check/checker.ts';
import { isNumber, isUnknown, type Nature, natureText, ofValue } from './check/nature.ts';
import { Evaluator } from './eval/evaluator.ts';
import { hostContext } from './eval/host-call.ts';
import { ExpressionError, Fault, Panic } from './fault/expr-error.ts';
import { fold } from './fold/fold.ts';
import type { Node } from './syntax/node.ts';
import { parse } from './syntax/parser.ts';
import { defaultRunLimits, RunBudget, type RunLimits } from './values/budget.ts';
import { toFloat, toInt, typeName, wrapped } from './values/numbers.ts';

/** What the result has to be; the Go module's AsBool, AsInt, AsInt64, AsFloat64. */
export type Expectation = 'bool' | 'int' | 'int64' | 'float64';

export interface CompileOptions {
  /**
   * An environment like the one that the program will run with: names are looked up and types are checked against it.
   * Without one, nothing is known of names before the run. Values are those of `@tiphys/template`; functions are
   * `GoFunction`s, whose type's `elem` is the type of the result, if it is known.
   */
  readonly env?: ValueMap;
  /** Names that are not in `env` are nil instead of refused. */
  readonly allowUndefinedVariables?: boolean;
  /** Functions beside the environment. */
  readonly functions?: ReadonlyMap<string, FunctionSpec>;
  readonly expect?: Expectation;
  /** Functions that are not to be built in. */
  readonly disabled?: Iterable<string>;
  /** Nodes of the tree, 10,000 if not given; 0 for no limit. */
  readonly maxNodes?: number;
  /** Levels of the tree, 500 if not given. */
  readonly maxDepth?: number;
}

export interface RunOptions {
  readonly limits?: Partial<RunLimits>;
  /** Milliseconds since 1970, for `now()`; without one, `now()` fails. */
  readonly now?: () => number;
  /** What functions that are shared with templates are given. */
  readonly context?: CallContext;
}

const none: ReadonlyMap<string, FunctionSpec> = new Map();

/** An expression that has been read and checked; it holds no state, so it can be run at any time and again. */
export class Program {
  readonly text: string;
  readonly #tree: Node;
  readonly #functions: ReadonlyMap<string, FunctionSpec>;
  readonly #expect: Expectation | undefined;

  constructor(text: string, tree: Node, options: CompileOptions) {
    this.text = text;
    this.#tree = tree;
    this.#functions = options.functions ?? none;
    this.#expect = options.expect;
  }

  /** The value for an environment. Throws `ExpressionError`. */
  run(env: ValueMap | null = null, options: RunOptions = {}): Value {
    let context = options.context;
    const evaluator = new Evaluator({
      env,
      functions: this.#functions,
      budget: new RunBudget({ ...defaultRunLimits, ...options.limits }),
      now: () => nanosOf(options.now),
      context: () => (context ??= hostContext(options.now)),
    });
    return bound(this.text, () => {
      const value = evaluator.visit(this.#tree);
      try {
        return cast(value, this.#expect) ?? null;
      } catch (error) {
        if (error instanceof Panic) throw new Fault(error.message, start, error.kind);
        throw error;
      }
    });
  }
}

/** Reads and checks an expression of expr-lang. Throws `ExpressionError`. */
export function compile(text: string, options: CompileOptions = {}): Program {
  const functions = options.functions ?? none;
  const disabled = new Set(options.disabled);
  const { env } = options;
  const names = env && new Map([...env].map(([name, value]) => [name, ofValue(value)]));
  return bound(text, () => {
    const tree = parse(text, {
      limits: { nodes: options.maxNodes ?? 10_000, depth: options.maxDepth ?? 500 },
      isOverridden: (name) => functions.has(name) || (names?.has(name) ?? false),
      disabled,
    });
    const isStrict = env !== undefined && !options.allowUndefinedVariables;
    const nature = new Checker({ names, isStrict, functions, disabled }).visit(tree);
    checkResult(nature, options.expect);
    return new Program(text, fold(tree), options);
  });
}

/** Go places what it finds of the result at the start. */
const start = { from: 0, to: 0 };

/** Binds what goes wrong to the text. */
function bound<T>(text: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof Fault) throw new ExpressionError(error, text);
    throw error;
  }
}

function checkResult(nature: Nature, expect: Expectation | undefined): void {
  if (!expect || isUnknown(nature)) return;
  const fits = expect === 'bool' ? nature.type?.kind === 'bool' : isNumber(nature);
  if (!fits) throw new Fault(`expected ${expect}, but got ${natureText(nature)}`, undefined);
}

function cast(value: Value, expect: Expectation | undefined): Value {
  switch (expect) {
    case 'bool':
      if (value === null || value === undefined) return false;
      if (typeof value === 'boolean') return value;
      throw new Panic(`invalid operation: bool(${typeName(value)})`);
    case 'int':
      return wrapped(toInt(value));
    case 'int64':
      return toInt(value);
    case 'float64':
      return toFloat(value);
    default:
      return value;
  }
}

function nanosOf(now: (() => number) | undefined): bigint {
  if (!now) throw new Panic('now() is not available here: the expression is evaluated without a clock');
  return BigInt(Math.floor(now())) * 1_000_000n;
}
