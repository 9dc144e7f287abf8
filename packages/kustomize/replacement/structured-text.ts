import { type YamlNode, YamlReader } from '@tiphys/yaml';
import { Node, type Origin } from '../tree/node.ts';
import { readTree } from '../tree/read-tree.ts';

/** The tree in a text. Throws GoError for what is no YAML. */
export function readStructuredText(text: string, origin: Origin = { file: '' }): Node {
  return readTree(text, origin) ?? (/^(\s|#.*)*$/.test(text) ? new Node('none') : Node.scalar('null', '!!null'));
}

/** Whether a YAML text has a comment anywhere. */
export function hasComment(text: string): boolean {
  if (!text.includes('#')) return false;
  const ranges: (readonly [number, number])[] = [];
  const collect = (node: YamlNode): void => {
    if (node.kind === 'scalar') ranges.push([node.start, node.end]);
    else if (node.kind === 'mapping') node.pairs.forEach(collect);
    else if (node.kind === 'sequence') node.items.forEach(collect);
  };
  for (const document of new YamlReader(text, { dialect: 'v3' }).documents()) collect(document.root);
  // A `#` inside a scalar is none.
  let rest = '';
  let at = 0;
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    rest += `${text.slice(at, start)}x`;
    at = Math.max(at, end);
  }
  return /(^|\s)#/.test(rest + text.slice(at));
}
