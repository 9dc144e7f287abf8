import { formatValue } from '../fmt/format-value.ts';
import { formatNode, type PlacedNode } from '../parse/node.ts';
import { GoFunction, GoNil, GoStruct, type Value } from '../value/value.ts';
import type { Execution } from './execution.ts';

/** What an action prints for a value. */
export function printValue(s: Execution, node: PlacedNode, value: Value): string {
  if (value === undefined) return '<no value>';
  if (value instanceof GoFunction || (value instanceof GoNil && value.type.kind === 'func')) {
    return s.fail(`can't print ${formatNode(node)} of type ${value.type.name}`);
  }
  if (!(value instanceof GoStruct)) return formatValue(value);
  const text = value.toActionText();
  if (text !== undefined) return text;
  // What a pointer leads to is printed, unless the pointer itself has something to say.
  const printed = formatValue(value);
  return value.type.kind === 'ptr' && printed.startsWith('&') ? printed.slice(1) : printed;
}
