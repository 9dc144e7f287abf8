import { compile, ExpressionError, type Program } from '@tiphys/expr';
import { define, EncodeError, encodeJson, type Value as GoAny, GoFunction, sprigFunctions } from '@tiphys/template';
import { namesIn } from './expression-names.ts';
import { queryJson } from './json-path.ts';
import { clockVariable, fromGo, nested, toGo, type Variables } from './variables.ts';

/** Names that an expression can use. */
export class Environment {
  readonly values: Map<string, GoAny>;
  readonly now: number | undefined;

  constructor(variables: Variables) {
    this.values = nested(variables);
    const now = variables.get(clockVariable);
    this.now = typeof now === 'string' ? Number(now) : undefined;
    for (const [name, value] of hostFunctions()) this.values.set(name, value);
  }

  has(name: string): boolean {
    let at: unknown = this.values;
    for (const part of name.split('.')) {
      if (!(at instanceof Map) || !at.has(part)) return false;
      at = at.get(part);
    }
    return true;
  }
}

export interface Expression {
  /** Names that must be there, such as `steps.a.outputs.result`; what is guarded by `??` or `?.` is not among them. */
  readonly names: readonly string[];
  /** The result as plain JSON. Throws an `ExprError`. */
  evaluate(environment: Environment | undefined): unknown;
}

/** An expression that cannot be read or evaluated; the message is what its node shows. */
export class ExprError extends Error {
  override name = 'ExprError';
}

export function environmentOf(variables: Variables): Environment {
  return new Environment(variables);
}

/** Reads an expression. What is wrong with it shows when it is evaluated. */
export function compileExpression(source: string): Expression {
  let program: Program | ExpressionError;
  try {
    program = compile(source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    program = error;
  }
  return {
    names: namesIn(source),
    evaluate(environment) {
      if (program instanceof ExpressionError) throw new ExprError(program.goMessage);
      try {
        const { now } = environment ?? {};
        return fromGo(program.run(environment?.values ?? new Map(), now === undefined ? {} : { now: () => now }));
      } catch (error) {
        if (error instanceof ExpressionError) throw new ExprError(error.goMessage);
        // what JSON cannot hold, such as a function
        if (error instanceof EncodeError) throw new ExprError(error.message);
        throw error;
      }
    },
  };
}

/** The value of an expression that must be true or false. Throws an `ExprError`. */
export function expressionHolds(source: string, variables: Variables): boolean {
  const environment = environmentOf(variables);
  const expression = compileExpression(source);
  const missing = expression.names.find((name) => !environment.has(name.split('.')[0] ?? ''));
  if (missing) throw new ExprError(`unable to evaluate expression '${source}': unknown name ${missing}`);
  let value: unknown;
  try {
    value = expression.evaluate(environment);
  } catch (error) {
    throw new ExprError(`unable to evaluate expression '${source}': ${(error as Error).message}`);
  }
  if (typeof value !== 'boolean') throw new ExprError(`unable to cast expression result '${String(value)}' to bool`);
  return value;
}

let functions: Map<string, GoAny> | undefined;

/** What Argo Workflows adds to the language: `asInt`, `asFloat`, `toJson`, `jsonpath` and Sprig. */
function hostFunctions(): Map<string, GoAny> {
  functions ??= new Map<string, GoAny>([
    ['asInt', host('asInt', ([value]) => compile('int(x)').run(new Map([['x', value as GoAny]])))],
    ['asFloat', host('asFloat', ([value]) => compile('float(x)').run(new Map([['x', value as GoAny]])))],
    ['toJson', host('toJson', ([value]) => encodeJson(value as GoAny))],
    ['jsonpath', host('jsonpath', ([text, path]) => toGo(queryJson(String(text), String(path))), 'string, string')],
    ['sprig', sprig()],
  ]);
  return functions;
}

function host(name: string, body: Parameters<typeof define>[1], parameters = 'any'): GoFunction {
  return new GoFunction({ name: `func ${name}`, kind: 'func', named: false }, define(parameters, body));
}

/** Sprig without what reads the environment of this process. */
function sprig(): Map<string, GoAny> {
  const own = new Map<string, GoAny>();
  for (const [name, spec] of sprigFunctions) {
    if (name === 'env' || name === 'expandenv') continue;
    own.set(name, new GoFunction({ name: `func ${name}`, kind: 'func', named: false }, spec));
  }
  return own;
}
