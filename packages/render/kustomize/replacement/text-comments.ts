import { type YamlNode, YamlReader } from '@tiphys/yaml';
import { encodedLines, encodeNode } from '../tree/encode-node.ts';
import type { Node } from '../tree/node.ts';

/** A key or an item of a list that begins on a line of its own text. */
interface Anchor {
  readonly node: Node;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  readonly isKey: boolean;
}

type Comment =
  | { readonly at: 'line-end'; readonly anchor: Anchor; readonly text: string }
  /** `blank`: a blank line follows. */
  | { readonly at: 'before' | 'after'; readonly anchor: Anchor; readonly lines: string[]; readonly blank: boolean }
  | { readonly at: 'end'; readonly lines: string[] };

/**
 * The comments of a YAML text, by the nodes of its tree; undefined if one stands where it has no node, or if the text has
 * anchors: such texts can not be written again.
 */
export function readComments(text: string, tree: Node): readonly Comment[] | undefined {
  const survey = new Survey(text);
  for (const document of new YamlReader(text, { dialect: 'v3' }).documents()) {
    survey.visit(document.root, tree);
    break;
  }
  return survey.comments();
}

class Survey {
  readonly #lines: readonly string[];
  readonly #text: string;
  readonly #anchors: Anchor[] = [];
  readonly #scalars: (readonly [number, number])[] = [];
  #aliased = false;

  constructor(text: string) {
    this.#text = text;
    this.#lines = text.split('\n');
  }

  visit(source: YamlNode, node: Node): void {
    if (source.kind === 'scalar') this.#scalars.push([source.start, source.end]);
    else if (source.kind === 'alias') this.#aliased = true;
    else {
      const parts = source.kind === 'mapping' ? source.pairs : source.items;
      if (parts.length !== node.content.length) this.#aliased = true;
      else
        for (const [i, part] of parts.entries()) {
          const child = node.content[i] as Node;
          if (!source.flow && (source.kind === 'sequence' || i % 2 === 0))
            this.#anchors.push({ node: child, line: part.line, column: part.column, isKey: source.kind === 'mapping' });
          this.visit(part, child);
        }
    }
  }

  /** The text with `x` for all that is inside of scalars, so that lines stay. */
  #outside(): string {
    let outside = '';
    let at = 0;
    for (const [start, end] of this.#scalars.toSorted((a, b) => a[0] - b[0])) {
      outside += this.#text.slice(at, start);
      const inside = this.#text.slice(Math.max(at, start), end);
      // The header of a block scalar may have a comment, which is outside.
      const header = /^[|>][^\n]*/.exec(inside)?.[0] ?? '';
      outside += header + inside.slice(header.length).replace(/[^\n]/g, 'x');
      at = Math.max(at, end);
    }
    return outside + this.#text.slice(at);
  }

  comments(): readonly Comment[] | undefined {
    const outside = this.#outside().split('\n');
    if (this.#aliased || outside.some((line) => /(^|\s)[&*]\w/.test(line.replace(/(^|\s)#.*/, '')))) return undefined;
    const found: Comment[] = [];
    for (let i = 0; i < outside.length; i++) {
      const line = outside[i] as string;
      const hash = /(^|\s)#/.exec(line);
      if (!hash) continue;
      if (!/^\s*#/.test(line)) {
        const anchor = this.#anchors.findLast((candidate) => candidate.line === i + 1);
        if (!anchor) return undefined;
        found.push({ at: 'line-end', anchor, text: line.slice(hash.index).trim() });
        continue;
      }
      let end = i;
      while (/^\s*#/.test(outside[end + 1] ?? '')) end++;
      const comment = this.#block(i, end);
      if (!comment) return undefined;
      found.push(comment);
      i = end;
    }
    return found;
  }

  /** Lines of comments alone: they belong to what follows, or to what is before if they are deeper or a gap follows. */
  #block(start: number, end: number): Comment | undefined {
    const lines = this.#lines.slice(start, end + 1).map((line) => line.trim());
    const column = (this.#lines[start] as string).search(/\S/) + 1;
    const next = this.#anchors.find((anchor) => anchor.line > end + 1);
    const before = this.#anchors.filter((anchor) => anchor.line < start + 1);
    // A line inside of braces has no place.
    if (this.#lines.slice(end + 1, (next?.line ?? 1) - 1).some((line) => !/^\s*(#.*)?$/.test(line))) return undefined;
    const blank = /^\s*$/.test(this.#lines[end + 1] ?? 'x');
    if (!next) return { at: 'end', lines };
    if (before.length === 0) return { at: 'before', anchor: next, lines, blank };
    const parent = sibling(before, column);
    if (blank && parent === this.#anchors[0] && this.#lines[start - 1]?.match(/[\]}]\s*$/)) return undefined;
    if (parent && (column > next.column || (blank && column === next.column)))
      return { at: 'after', anchor: parent, lines, blank: blank && column === next.column };
    // A gap before the first of a list or map is lost.
    if (blank && column < next.column) return undefined;
    return { at: 'before', anchor: next, lines, blank: false };
  }
}

/** The last key or item at a column, unless what is around it has ended. */
function sibling(before: readonly Anchor[], column: number): Anchor | undefined {
  for (const anchor of before.toReversed()) {
    if (anchor.column === column) return anchor;
    if (anchor.column < column) return undefined;
  }
  return undefined;
}

/** The text of a tree with its comments where their nodes are now; those of nodes that are gone go too. */
export function encodeWithComments(tree: Node, comments: readonly Comment[]): string {
  const lines = encodeNode(tree).split('\n');
  const places = encodedLines(tree);
  const inserts = new Map<number, string[]>();
  const insert = (at: number, added: readonly string[]): void => {
    inserts.set(at, [...(inserts.get(at) ?? []), ...added]);
  };
  for (const comment of comments) {
    if (comment.at === 'end') {
      insert(lines.length - 1, comment.lines);
      continue;
    }
    const line = places.get(comment.anchor.node);
    if (line === undefined) continue;
    const text = lines[line - 1] as string;
    if (comment.at === 'line-end') {
      lines[line - 1] = `${text} ${comment.text}`;
      continue;
    }
    // A key may stand behind the dashes of items.
    const before = comment.anchor.isKey ? /^ *(?:- +)*/ : /^ */;
    const indent = ' '.repeat((before.exec(text) as RegExpExecArray)[0].length);
    const added = comment.lines.map((item) => indent + item);
    if (comment.blank) added.push('');
    insert(comment.at === 'before' ? line - 1 : endOf(lines, line, indent.length, comment.anchor.isKey), added);
  }
  return lines.flatMap((line, i) => [...(inserts.get(i) ?? []), line]).join('\n');
}

/** The line after what belongs to a key or an item, counted from 0. */
function endOf(lines: readonly string[], line: number, indent: number, isKey: boolean): number {
  let at = line;
  for (; at < lines.length - 1; at++) {
    const text = lines[at] as string;
    const own = text.search(/\S/);
    // Lists stand below their keys without more indentation.
    if (own >= 0 && own <= indent && !(isKey && own === indent && text.startsWith('- ', own))) break;
  }
  return at;
}
