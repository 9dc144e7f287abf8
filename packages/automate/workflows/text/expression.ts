import { nested, type Variables } from './variables.ts';

/** Names that an expression can use, as nested objects. */
export class Environment {
  readonly values: Record<string, unknown>;

  constructor(variables: Variables) {
    this.values = nested(variables);
  }

  has(name: string): boolean {
    let at: unknown = this.values;
    for (const part of name.split('.')) {
      if (at === null || typeof at !== 'object' || !Object.hasOwn(at, part)) return false;
      at = (at as Record<string, unknown>)[part];
    }
    return true;
  }
}

export interface Expression {
  /** Names that must be there, such as `steps.a.outputs.result`; what is guarded by `??` or `?.` is not among them. */
  readonly names: readonly string[];
  evaluate(environment: Environment | undefined): unknown;
}

export function environmentOf(variables: Variables): Environment {
  return new Environment(variables);
}

export function compileExpression(source: string): Expression {
  throw new Error(`expressions are not here yet: ${source}`);
}

/** The value of an expression that must be true or false. */
export function expressionHolds(source: string, variables: Variables): boolean {
  const value = compileExpression(source).evaluate(environmentOf(variables));
  if (typeof value !== 'boolean') throw new Error(`unable to cast expression result '${String(value)}' to bool`);
  return value;
}
