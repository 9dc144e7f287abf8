import { GoError } from '../failure/go-error.ts';
import { formatJson } from '../tree/format-json.ts';
import type { Node, Style } from '../tree/node.ts';

const kinds = { none: 0, list: 2, map: 4, scalar: 8 } as const;
const styles: Readonly<Record<Style, number>> = {
  '': 0,
  tagged: 1,
  quoted: 2,
  single: 4,
  literal: 8,
  folded: 16,
  flow: 32,
};

/**
 * The JSON of a yaml.Node, which Kustomize hashes for what is neither a ConfigMap nor a Secret: with the place of every node
 * in the text that the plugin wrote. Throws where such a place is not known.
 */
export function nodeJson(node: Node): string {
  if (node.position === undefined)
    throw new GoError(
      `a hash in the name of a ${node.get('kind')?.value ?? ''} depends on comments, anchors or tags of its text or of a patch, or on what a JSON patch makes of it`,
      {
        remedies: [
          'Write it and its patches without comments, anchors and tags, and as strategic merge; or let only ConfigMaps and Secrets have hashes',
        ],
      },
    );
  return partJson(node);
}

function partJson({ kind, style, tag, value, content, position }: Node): string {
  const parts = content.length === 0 ? 'null' : `[${content.map(partJson).join(',')}]`;
  const text = (part: string): string => formatJson(part);
  return `{"Kind":${kinds[kind]},"Style":${styles[style]},"Tag":${text(tag)},"Value":${text(value)},"Anchor":"","Alias":null,"Content":${parts},"HeadComment":"","LineComment":"","FootComment":"","Line":${position?.line ?? 0},"Column":${position?.column ?? 0}}`;
}
