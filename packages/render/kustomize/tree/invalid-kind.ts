import { GoError } from '../failure/go-error.ts';
import { encodeNode } from './encode-node.ts';
import type { Node, NodeKind } from './node.ts';

const names: Record<NodeKind, string> = {
  scalar: 'ScalarNode',
  map: 'MappingNode',
  list: 'SequenceNode',
  none: '',
};

/** A node is not of the kind that an operation needs. */
export class InvalidKind extends GoError {
  readonly actual: NodeKind;

  constructor(expected: NodeKind, node: Node) {
    super(
      `wrong node kind: expected ${names[expected]} but got ${names[node.kind]}: node contents:\n${encodeNode(node)}`,
    );
    this.actual = node.kind;
  }
}

/** Throws unless the node is missing, null or of the kind. */
export function requireKind(node: Node | undefined, kind: NodeKind): void {
  if (node !== undefined && !node.isNull && node.kind !== kind) throw new InvalidKind(kind, node);
}
