import { formatValue } from '../fmt/format-value.ts';
import { formatNode } from '../parse/node.ts';
import { GoFunction, GoNil, type Value } from '../value/value.ts';
import type { Execution, PlacedNode } from './execution.ts';

/** What an action prints for a value. */
export function printValue(s: Execution, node: PlacedNode, value: Value): string {
  if (value === undefined) return '<no value>';
  if (value instanceof GoFunction || (value instanceof GoNil && value.type.kind === 'func')) {
    return s.fail(`can't print ${formatNode(node)} of type ${value.type.name}`);
  }
  return formatValue(value);
}
