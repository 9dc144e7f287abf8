import { type YamlNode, YamlReader } from '@tiphys/yaml';
import { reworded } from '../go-error.ts';
import { Node } from '../tree/node.ts';
import { readTree } from '../tree/read-tree.ts';

/** How a part of a text was written. */
export type WrittenStyle = 'plain' | 'double' | 'single' | 'literal' | 'folded' | 'flow' | 'block';

/** The tree in the text of a scalar. Throws GoError for what is no YAML. */
export function readStructuredText(scalar: Node): Node {
  const origin = scalar.origin ?? { file: '' };
  return readTree(scalar.value, origin) ?? emptyTree(scalar.value);
}

function emptyTree(text: string): Node {
  return /^(\s|#.*)*$/.test(text) ? new Node('none') : Node.scalar('null', '!!null');
}

/** A tree that knows how its parts were written. */
export interface WrittenTree {
  readonly root: Node;
  readonly styles: ReadonlyMap<Node, WrittenStyle>;
  /** Whether the text has a comment anywhere. */
  readonly commented: boolean;
}

/** Reads a text with the styles of its parts. Throws GoError for what is no YAML. */
export function readWritten(text: string): WrittenTree {
  const root = readTree(text, { file: '' });
  const styles = new Map<Node, WrittenStyle>();
  if (root === undefined) return { root: emptyTree(text), styles, commented: false };
  const reader = new YamlReader(text, { dialect: 'v3' });
  const finder = new StyleFinder(text, styles);
  try {
    for (const document of reader.documents()) {
      finder.visit(document.root, root);
      break;
    }
  } catch (error) {
    throw reworded(error, String(error));
  }
  return { root, styles, commented: finder.hasComment() };
}

class StyleFinder {
  readonly #text: string;
  readonly #styles: Map<Node, WrittenStyle>;
  readonly #lines: number[] = [0];
  /** Scalars, in which `#` is no comment. */
  readonly #ranges: (readonly [number, number])[] = [];

  constructor(text: string, styles: Map<Node, WrittenStyle>) {
    this.#text = text;
    this.#styles = styles;
    for (const match of text.matchAll(/\n/g)) this.#lines.push(match.index + 1);
  }

  visit(source: YamlNode, node: Node): void {
    switch (source.kind) {
      case 'scalar':
        this.#styles.set(node, scalarStyle(this.#text[source.start]));
        this.#ranges.push([source.start, source.end]);
        return;
      case 'alias':
        return;
      default: {
        const first = this.#text[(this.#lines[source.line - 1] ?? 0) + source.column - 1];
        this.#styles.set(node, first === '{' || first === '[' ? 'flow' : 'block');
        const parts = source.kind === 'mapping' ? source.pairs : source.items;
        // Merged keys move, so that a map with them is written in its new order.
        if (parts.length !== node.content.length) return;
        for (const [i, part] of parts.entries()) this.visit(part, node.content[i] as Node);
      }
    }
  }

  hasComment(): boolean {
    const ranges = this.#ranges.toSorted((a, b) => a[0] - b[0]);
    let rest = '';
    let at = 0;
    for (const [start, end] of ranges) {
      rest += `${this.#text.slice(at, start)}x`;
      at = Math.max(at, end);
    }
    rest += this.#text.slice(at);
    return /(^|\s)#/.test(rest);
  }
}

function scalarStyle(first: string | undefined): WrittenStyle {
  switch (first) {
    case '"':
      return 'double';
    case "'":
      return 'single';
    case '|':
      return 'literal';
    case '>':
      return 'folded';
    default:
      return 'plain';
  }
}
