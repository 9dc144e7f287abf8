import { argoFunctions, compile, ExpressionError, type Program } from '@tiphys/expr';
import { EncodeError, type Value as GoAny } from '@tiphys/template';
import { namesIn } from './expression-names.ts';
import { clockVariable, fromGo, nested, type Variables } from './variables.ts';

/** Names that an expression can use. */
export class Environment {
  readonly values: Map<string, GoAny>;
  readonly now: number | undefined;

  constructor(variables: Variables) {
    this.values = nested(variables);
    const now = variables.get(clockVariable);
    this.now = typeof now === 'string' ? Number(now) : undefined;
    for (const [name, value] of argoFunctions()) this.values.set(name, value);
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
