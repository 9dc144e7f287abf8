import { Node, type Origin } from '../tree/node.ts';
import { readTree } from '../tree/read-tree.ts';

/** The tree in a text. Throws GoError for what is no YAML. */
export function readStructuredText(text: string, origin: Origin = { file: '' }): Node {
  return readTree(text, origin) ?? (/^(\s|#.*)*$/.test(text) ? new Node('none') : Node.scalar('null', '!!null'));
}
