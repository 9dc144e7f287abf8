import { encodedLines } from './encode-node.ts';
import { goSyntaxOf } from './go-syntax.ts';
import type { Node } from './node.ts';
import { isStringKey } from './to-value.ts';

/**
 * Kustomize's words for a resource that has no JSON value: it prints the tree and reads it again, so lines count in the
 * printed text, where only comments and what stands differ. `commentsBefore` gives the comment lines above a line.
 */
export function describeFailure(root: Node, message: string, commentsBefore: (node: Node) => number = () => 0): string {
  const duplicates = findDuplicates(root);
  if (duplicates.length > 0) {
    const lines = encodedLines(root);
    const lineOf = (node: Node): number => (lines.get(node) ?? node.line) + commentsBefore(node);
    const list = duplicates.map(
      ([first, second]) =>
        `  line ${lineOf(second)}: mapping key ${JSON.stringify(second.value)} already defined at line ${lineOf(first)}`,
    );
    return `map[string]interface {}(nil): yaml: unmarshal errors:\n${list.join('\n')}`;
  }
  const bad = findKey(root, (key) => key.kind !== 'scalar');
  if (bad) {
    if (root.content.includes(bad)) {
      const line = (encodedLines(root).get(bad) ?? bad.line) + commentsBefore(bad);
      const tag = bad.kind === 'list' ? '!!seq' : '!!map';
      return `map[string]interface {}(nil): yaml: unmarshal errors:\n  line ${line}: cannot unmarshal ${tag} into string`;
    }
    return `map[string]interface {}(nil): yaml: invalid map key: ${goSyntaxOf(bad)}`;
  }
  if (findKey(root, (key) => !isStringKey(key)))
    return `${goSyntaxOf(root)}: json: unsupported type: map[interface {}]interface {}`;
  if (message.startsWith('json:')) return `${goSyntaxOf(root)}: ${message}`;
  return `map[string]interface {}(nil): ${message}`;
}

function findKey(node: Node, wanted: (key: Node) => boolean): Node | undefined {
  if (node.kind === 'map')
    for (let i = 0; i + 1 < node.content.length; i += 2)
      if (wanted(node.content[i] as Node)) return node.content[i] as Node;
  for (const part of node.content) {
    const found = findKey(part, wanted);
    if (found) return found;
  }
  return undefined;
}

/** Pairs of equal keys of one map, in go-yaml's order. */
function findDuplicates(node: Node): [Node, Node][] {
  const found: [Node, Node][] = [];
  if (node.kind === 'map') {
    const keys = node.content.filter((_, i) => i % 2 === 0);
    for (const [i, key] of keys.entries())
      for (const other of keys.slice(i + 1))
        if (key.kind === 'scalar' && other.kind === 'scalar' && key.value === other.value && sameTag(key, other))
          found.push([key, other]);
  }
  for (const part of node.content) found.push(...findDuplicates(part));
  return found;
}

function sameTag(a: Node, b: Node): boolean {
  return isStringKey(a) === isStringKey(b);
}
