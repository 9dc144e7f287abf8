import type { Stamp } from '../resource/resource.ts';
import type { Node } from '../tree/node.ts';

/** Takes over a value. A scalar keeps its type and its quotes: only its text changes. */
export function copyValue(field: Node, value: Node, { origin, line }: Stamp): void {
  if (field.kind === 'scalar') {
    field.value = value.value;
    field.origin = origin;
    field.line = line;
    return;
  }
  field.become(value);
  field.stamped(origin, line);
}
