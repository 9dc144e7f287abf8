import type { FunctionSpec, GoType, Value } from '@tiphys/template';
import type { Location } from '../fault/expr-error.ts';

/** What is known of a value before it is there. */
export interface Nature {
  /** Undefined if unknown, or if it is nil. */
  readonly type?: GoType | undefined;
  readonly isNil?: boolean;
  /** Of lists: more than the type tells of the elements. */
  readonly elem?: Nature;
  /** Of predicates: what they give. */
  readonly result?: Nature;
  /** Of functions that the host gives. */
  readonly call?: FunctionSpec;
}

/** What every node has. */
interface Common {
  at: Location;
  /** 1 for a leaf; the parser bounds it. */
  depth: number;
  /** What the checker found of the type; unknown before. */
  nature?: Nature;
}

/** The shapes of the tree, without what every node has. */
export type Shape =
  | { readonly kind: 'nil' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  /** A list of literals, made once. */
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'unary'; readonly operator: string; operand: Node }
  | { readonly kind: 'binary'; readonly operator: string; left: Node; right: Node }
  /** Where a `?.` that met nil goes on. */
  | { readonly kind: 'chain'; node: Node }
  | { readonly kind: 'member'; node: Node; property: Node; readonly isOptional: boolean; readonly isMethod: boolean }
  | { readonly kind: 'slice'; node: Node; from: Node | undefined; to: Node | undefined }
  | { readonly kind: 'call'; callee: Node; readonly args: Node[] }
  | { readonly kind: 'builtin'; readonly name: string; readonly args: Node[] }
  | { readonly kind: 'predicate'; node: Node }
  /** `#` (name ''), `#index`, `#acc`. */
  | { readonly kind: 'pointer'; readonly name: string }
  | { readonly kind: 'let'; readonly name: string; value: Node; body: Node }
  | { readonly kind: 'sequence'; readonly nodes: Node[] }
  | { readonly kind: 'conditional'; condition: Node; yes: Node; no: Node }
  | { readonly kind: 'array'; readonly nodes: Node[] }
  | { readonly kind: 'map'; readonly pairs: { key: Node; value: Node }[] };

export type Node = Common & Shape;
export type NodeOf<K extends Shape['kind']> = Common & Extract<Shape, { kind: K }>;

/** The nodes right below a node. */
export function childrenOf(node: Shape): Node[] {
  switch (node.kind) {
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'chain':
    case 'predicate':
      return [node.node];
    case 'member':
      return [node.node, node.property];
    case 'slice':
      return [node.node, node.from, node.to].filter((part) => part !== undefined);
    case 'call':
      return [node.callee, ...node.args];
    case 'builtin':
      return node.args;
    case 'let':
      return [node.value, node.body];
    case 'sequence':
    case 'array':
      return node.nodes;
    case 'conditional':
      return [node.condition, node.yes, node.no];
    case 'map':
      return node.pairs.flatMap(({ key, value }) => [key, value]);
    default:
      return [];
  }
}
