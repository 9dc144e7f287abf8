import { Node, type Origin } from '../tree/node.ts';
import { readTree } from '../tree/read-tree.ts';

/** The tree in a text. Throws GoError for what is no YAML. */
export function readStructuredText(text: string, origin: Origin = { file: '' }): Node {
  return readTree(text, origin) ?? (isBlank(text) ? new Node('none') : Node.scalar('null', '!!null'));
}

/** Whether there is nothing but space and comments. */
function isBlank(text: string): boolean {
  return text.split(/[\n\r\u2028\u2029]/).every((line) => /^\s*(#|$)/.test(line));
}
