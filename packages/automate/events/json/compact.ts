import { goJson } from './go-json.ts';
import type { Node } from './node.ts';

/** A value as Go writes a RawMessage: without white space, with `<`, `>` and `&` escaped, numbers as they were written. */
export function compactJson(node: Node): string {
  switch (node.kind) {
    case 'object':
      return `{${node.entries.map(([key, value]) => `${goJson(key)}:${compactJson(value)}`).join(',')}}`;
    case 'array':
      return `[${node.items.map(compactJson).join(',')}]`;
    case 'string':
      return goJson(node.value);
    default:
      return node.raw;
  }
}
