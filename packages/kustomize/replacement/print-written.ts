import { printYaml } from '@tiphys/yaml';
import { type Node, stringTag } from '../tree/node.ts';
import { resolveScalar } from '../tree/resolve-scalar.ts';
import type { WrittenStyle, WrittenTree } from './structured-text.ts';

/** The text of a tree as go-yaml v3 writes it with an indent of two and compact lists: its order and its quotes stay. */
export function printWritten(tree: WrittenTree): string {
  return `${new Writer(tree.styles).document(tree.root)}\n`;
}

class Writer {
  readonly #styles: ReadonlyMap<Node, WrittenStyle>;

  constructor(styles: ReadonlyMap<Node, WrittenStyle>) {
    this.#styles = styles;
  }

  document(node: Node): string {
    if (this.#isInline(node)) return this.#inline(node, 0);
    return this.#block(node, 0).join('\n');
  }

  #isInline(node: Node): boolean {
    return (
      (node.kind !== 'map' && node.kind !== 'list') || node.content.length === 0 || this.#styles.get(node) === 'flow'
    );
  }

  #inline(node: Node, indent: number): string {
    if (node.kind === 'list') return `[${node.content.map((item) => this.#flow(item)).join(', ')}]`;
    if (node.kind === 'map') {
      const parts: string[] = [];
      for (let i = 0; i + 1 < node.content.length; i += 2)
        parts.push(`${this.#flow(node.content[i] as Node)}: ${this.#flow(node.content[i + 1] as Node)}`);
      return `{${parts.join(', ')}}`;
    }
    return this.#scalar(node, indent);
  }

  #flow(node: Node): string {
    if (node.kind === 'map' || node.kind === 'list') return this.#inline(node, 0);
    const text = this.#scalar(node, 0);
    const unsafe = /[,[\]{}]/.test(text) || text.includes('\n') || text === '';
    return unsafe && !/^["']/.test(text) ? quoteFlow(node.value) : text;
  }

  #block(node: Node, indent: number): string[] {
    const pad = ' '.repeat(indent);
    const lines: string[] = [];
    if (node.kind === 'list') {
      for (const item of node.content) {
        if (this.#isInline(item)) lines.push(`${pad}- ${this.#inline(item, indent)}`);
        else {
          const [first = '', ...rest] = this.#block(item, indent + 2);
          lines.push(`${pad}- ${first.trimStart()}`, ...rest);
        }
      }
      return lines;
    }
    for (let i = 0; i + 1 < node.content.length; i += 2) {
      const key = this.#scalar(node.content[i] as Node, 0);
      const value = node.content[i + 1] as Node;
      if (this.#isInline(value)) {
        const text = this.#inline(value, indent);
        lines.push(text === '' ? `${pad}${key}:` : `${pad}${key}: ${text}`);
      } else lines.push(`${pad}${key}:`, ...this.#block(value, value.kind === 'list' ? indent : indent + 2));
    }
    return lines;
  }

  #scalar(node: Node, indent: number): string {
    const { value, tag } = node;
    const style = this.#styles.get(node) ?? 'plain';
    const resolved = resolveScalar(value).tag;
    const prefix = tag !== '' && tag !== stringTag && tag !== resolved && !node.isNull ? `${tag} ` : '';
    if (style === 'double') return prefix + JSON.stringify(value);
    if (style === 'single') return `${prefix}'${value.replaceAll("'", "''")}'`;
    if (style === 'literal' || style === 'folded' || value.includes('\n')) return blockScalar(value, style, indent);
    if (tag === stringTag && resolved !== stringTag) return JSON.stringify(value);
    if (resolved !== stringTag) return prefix + value;
    return prefix + printYaml(value, { dialect: 'v3' }).trimEnd();
  }
}

function quoteFlow(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function blockScalar(value: string, style: WrittenStyle, indent: number): string {
  const pad = ' '.repeat(indent + 2);
  const chomp = !value.endsWith('\n') ? '-' : value.endsWith('\n\n') ? '+' : '';
  const hint = /^[ \n]/.test(value) ? '2' : '';
  const lines = value.replace(/\n$/, '').split('\n');
  const folded = style === 'folded' ? lines.flatMap((line, i) => (i === 0 ? [line] : ['', line])) : lines;
  return `${style === 'folded' ? '>' : '|'}${hint}${chomp}\n${folded.map((line) => (line === '' ? '' : pad + line)).join('\n')}`;
}
