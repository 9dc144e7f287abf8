import { GoError } from '../failure/go-error.ts';
import { encodeNode } from '../tree/encode-node.ts';
import type { Node } from '../tree/node.ts';
import { setElement } from './list-elements.ts';

export type PatchDirective = 'merge' | 'replace' | 'delete';

const key = '$patch';

/**
 * What `$patch` in a patch asks for: `merge` if there is none. It is taken out of the patch. A list has it as an element of
 * its own. Throws for words that are not known.
 */
export function takeDirective(patch: Node | undefined): PatchDirective {
  if (patch === undefined) return 'merge';
  if (patch.kind === 'map') {
    const directive = patch.get(key);
    if (directive === undefined) return 'merge';
    const known = checked(directive);
    patch.clear(key);
    return known;
  }
  if (patch.kind !== 'list')
    throw new GoError(
      `no implemented strategic merge patch strategy for '${patch.tag}' ('${encodeNode(patch)}')`,
      placeOf(patch),
    );
  const element = patch.content.find((item) => item.kind === 'map' && item.get(key) !== undefined);
  // With other fields beside it, the directive is for the element alone.
  if (element === undefined || element.content.length > 2) return 'merge';
  const directive = element.get(key) as Node;
  const known = checked(directive);
  setElement(patch, { keys: [key], values: [directive.value] }, undefined);
  return known;
}

function checked(directive: Node): PatchDirective {
  const { value } = directive;
  if (value === 'merge' || value === 'replace' || value === 'delete') return value;
  throw new GoError(`unknown patch strategy '${value}'`, {
    ...placeOf(directive),
    remedies: ['Use $patch: merge, $patch: replace or $patch: delete'],
  });
}

function placeOf(node: Node): { place?: { file: string; line: number } } {
  return node.origin ? { place: { file: node.origin.file, line: node.line } } : {};
}
