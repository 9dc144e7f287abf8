import type { SourceText } from './jsonnet-error.ts';

interface Base {
  readonly source: SourceText;
  readonly at: number;
}

export interface Parameter {
  readonly name: string;
  readonly fallback?: Node;
}

export interface Bind {
  readonly name: string;
  readonly body: Node;
}

/** `for name in over`, with the conditions that follow it. */
export interface ForSpec {
  readonly name: string;
  readonly over: Node;
  readonly conditions: readonly Node[];
}

/** `:` takes the visibility of what it overrides, `::` hides, `:::` shows. */
export type Visibility = 'inherit' | 'hidden' | 'shown';

export interface FieldNode {
  readonly name: Node;
  /** In brackets. */
  readonly computed: boolean;
  readonly visibility: Visibility;
  /** `+:` */
  readonly plus: boolean;
  readonly body: Node;
}

export interface AssertNode extends Base {
  readonly test: Node;
  readonly message?: Node;
}

export interface ObjectNode extends Base {
  readonly kind: 'object';
  readonly locals: readonly Bind[];
  readonly asserts: readonly AssertNode[];
  readonly fields: readonly FieldNode[];
}

export interface ObjectComprehension extends Base {
  readonly kind: 'object-comprehension';
  readonly locals: readonly Bind[];
  readonly field: FieldNode;
  readonly specs: readonly ForSpec[];
}

export interface FunctionNode extends Base {
  readonly kind: 'function';
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: Node;
}

export interface ApplyNode extends Base {
  readonly kind: 'apply';
  readonly target: Node;
  readonly positional: readonly Node[];
  readonly named: readonly { readonly name: string; readonly value: Node }[];
  readonly tailstrict: boolean;
}

export interface ImportNode extends Base {
  readonly kind: 'import';
  readonly how: 'code' | 'text' | 'bytes';
  readonly path: string;
}

export type Node =
  | ObjectNode
  | ObjectComprehension
  | FunctionNode
  | ApplyNode
  | ImportNode
  | (Base &
      (
        | { readonly kind: 'literal'; readonly value: null | boolean | number | string }
        | { readonly kind: 'self' | 'dollar' }
        | { readonly kind: 'super' | 'in-super'; readonly index: Node }
        | { readonly kind: 'variable'; readonly name: string }
        | { readonly kind: 'index'; readonly target: Node; readonly index: Node }
        | { readonly kind: 'slice'; readonly target: Node; readonly parts: readonly (Node | undefined)[] }
        | { readonly kind: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node }
        | { readonly kind: 'unary'; readonly operator: string; readonly operand: Node }
        | { readonly kind: 'conditional'; readonly test: Node; readonly then: Node; readonly otherwise?: Node }
        | { readonly kind: 'local'; readonly binds: readonly Bind[]; readonly body: Node }
        | { readonly kind: 'array'; readonly items: readonly Node[] }
        | { readonly kind: 'array-comprehension'; readonly body: Node; readonly specs: readonly ForSpec[] }
        | { readonly kind: 'assert'; readonly assertion: AssertNode; readonly rest: Node }
        | { readonly kind: 'error'; readonly message: Node }
      ));
