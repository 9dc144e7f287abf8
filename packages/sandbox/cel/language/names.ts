import type { Node } from './ast.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  STRING,
  TIMESTAMP,
  type Type,
  typeOf,
  UINT,
} from './types.ts';

const STANDARD: readonly [string, Type][] = [
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['null_type', NULL],
  ['type', typeOf(DYN)],
  ['dyn', DYN],
  ['optional_type', optionalOf(DYN)],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
];

/** Names that stand for types. */
export const TYPE_NAMES: ReadonlyMap<string, Type> = new Map([
  ...STANDARD,
  ...['net.IP', 'net.CIDR', 'kubernetes.URL', 'kubernetes.Quantity', 'kubernetes.Semver', 'kubernetes.NamedFormat'].map(
    (name): [string, Type] => [name, opaque(name)],
  ),
]);

/** `a.b.c` for selections from a name; undefined for other expressions. */
export function qualifiedName(node: Node): string | undefined {
  if (node.kind === 'ident') return node.name;
  if (node.kind !== 'select' || node.test || node.optional) return undefined;
  const operand = qualifiedName(node.operand);
  return operand === undefined ? undefined : `${operand}.${node.field}`;
}
