/** A local variable. One that an inner function uses lives in a cell of its own, made anew each time it is declared. */
export interface LocalVariable {
  readonly name: string;
  readonly slot: number;
  captured: boolean;
}

/** Where a function finds a variable of those around it: a local of the next one out, or one of its own captures. */
export interface Capture {
  readonly name: string;
  readonly from: LocalVariable | number;
}

export interface FunctionBody {
  readonly name: string;
  readonly line: number;
  readonly parameters: readonly LocalVariable[];
  readonly variadic: boolean;
  readonly captures: readonly Capture[];
  /** How many slots its locals need. */
  readonly slots: number;
  readonly body: readonly Statement[];
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '^';
export type ComparisonOperator = '==' | '~=' | '<' | '<=' | '>' | '>=';
export type BinaryOperator = ArithmeticOperator | ComparisonOperator | '..';

export type Expression = { readonly line: number } & (
  | { readonly kind: 'constant'; readonly value: undefined | boolean | number | string }
  | { readonly kind: 'varargs' }
  | { readonly kind: 'function'; readonly body: FunctionBody }
  | { readonly kind: 'local'; readonly variable: LocalVariable }
  | { readonly kind: 'captured'; readonly index: number }
  | { readonly kind: 'global'; readonly name: string }
  | { readonly kind: 'index'; readonly object: Expression; readonly key: Expression }
  | { readonly kind: 'call'; readonly callee: Expression; readonly values: readonly Expression[] }
  | {
      readonly kind: 'method';
      readonly object: Expression;
      readonly name: string;
      readonly values: readonly Expression[];
    }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'unary'; readonly operator: 'not' | '-' | '#'; readonly operand: Expression }
  | { readonly kind: 'parenthesis'; readonly inner: Expression }
  | { readonly kind: 'table'; readonly items: readonly Expression[]; readonly fields: readonly TableField[] }
);

/** `before` items stand before it, so that values are evaluated in the order of the text. */
export interface TableField {
  readonly key: Expression;
  readonly value: Expression;
  readonly before: number;
}

export type Statement = { readonly line: number } & (
  | { readonly kind: 'declare'; readonly variables: readonly LocalVariable[]; readonly values: readonly Expression[] }
  | { readonly kind: 'declare function'; readonly variable: LocalVariable; readonly body: FunctionBody }
  | { readonly kind: 'assign'; readonly targets: readonly Expression[]; readonly values: readonly Expression[] }
  | { readonly kind: 'evaluate'; readonly call: Expression }
  | { readonly kind: 'block'; readonly body: readonly Statement[] }
  | { readonly kind: 'while'; readonly condition: Expression; readonly body: readonly Statement[] }
  | { readonly kind: 'repeat'; readonly condition: Expression; readonly body: readonly Statement[] }
  | {
      readonly kind: 'if';
      readonly branches: readonly { readonly condition: Expression; readonly body: readonly Statement[] }[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly kind: 'count';
      readonly variable: LocalVariable;
      /** First of three hidden slots. */
      readonly state: number;
      readonly bounds: readonly Expression[];
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: 'iterate';
      readonly variables: readonly LocalVariable[];
      /** First of three hidden slots. */
      readonly state: number;
      readonly values: readonly Expression[];
      readonly body: readonly Statement[];
    }
  | { readonly kind: 'return'; readonly values: readonly Expression[] }
  | { readonly kind: 'break' }
  | { readonly kind: 'goto'; readonly label: string }
  | { readonly kind: 'label'; readonly label: string }
);
