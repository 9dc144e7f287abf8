import { printYaml } from '@tiphys/yaml';
import type { Node } from './node.ts';
import { resolveScalar } from './resolve-scalar.ts';

/** The text of a tree as kyaml prints it in messages: its order and its styles kept, comments lost. */
export function encodeNode(node: Node): string {
  return new Encoder().document(node);
}

/** The 1-based line of every key and item in the text of the tree. */
export function encodedLines(node: Node): ReadonlyMap<Node, number> {
  const encoder = new Encoder();
  encoder.document(node);
  return encoder.lines;
}

class Encoder {
  readonly lines = new Map<Node, number>();
  #text = '';
  #line = 1;

  document(node: Node): string {
    this.#value(node, node.kind === 'scalar' ? 2 : 0, true);
    if (!this.#text.endsWith('\n')) this.#text += '\n';
    return this.#text;
  }

  #put(text: string): void {
    this.#text += text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line++;
  }

  /** Writes a value; `started` means that nothing but indentation is on the line, so that a collection may begin there. */
  #value(node: Node, indent: number, started: boolean): void {
    if (node.kind === 'map' && node.content.length > 0 && node.style !== 'flow') this.#map(node, indent, started);
    else if (node.kind === 'list' && node.content.length > 0 && node.style !== 'flow')
      this.#list(node, indent, started);
    else {
      const text = this.#inline(node, indent);
      this.#put(`${started || text === '' ? '' : ' '}${text}\n`);
    }
  }

  #map(node: Node, indent: number, started: boolean): void {
    if (!started) this.#put('\n');
    for (let i = 0; i + 1 < node.content.length; i += 2) {
      const key = node.content[i] as Node;
      const value = node.content[i + 1] as Node;
      if (i > 0 || !started) this.#put(' '.repeat(indent));
      this.lines.set(key, this.#line);
      this.#put(`${this.#inline(key, indent)}:`);
      this.#value(value, value.kind === 'list' ? indent : indent + 2, false);
    }
  }

  #list(node: Node, indent: number, started: boolean): void {
    if (!started) this.#put('\n');
    for (const [i, item] of node.content.entries()) {
      if (i > 0 || !started) this.#put(' '.repeat(indent));
      this.lines.set(item, this.#line);
      this.#put('- ');
      this.#value(item, indent + 2, true);
    }
  }

  #inline(node: Node, indent: number): string {
    if (node.kind === 'list') return `[${node.content.map((item) => this.#inline(item, indent)).join(', ')}]`;
    if (node.kind === 'map') {
      const pairs: string[] = [];
      for (let i = 0; i + 1 < node.content.length; i += 2) {
        const key = node.content[i] as Node;
        this.lines.set(key, this.#line);
        pairs.push(`${this.#inline(key, indent)}: ${this.#inline(node.content[i + 1] as Node, indent)}`);
      }
      return `{${pairs.join(', ')}}`;
    }
    return scalar(node, indent);
  }
}

function scalar(node: Node, indent: number): string {
  const { value, style, tag } = node;
  if (node.kind === 'none') return 'null';
  if (style === 'single' && !value.includes('\n')) return `'${value.replaceAll("'", "''")}'`;
  if (style === 'quoted') return JSON.stringify(value);
  if (style === 'tagged') return `${tag} ${plain(value)}`;
  const isBlock = (style === 'literal' || style === 'folded') && value !== '' && !/[ \t]$/.test(value);
  if (style === 'literal' && value === '') return '""';
  if (value.includes('\n') || isBlock) {
    const lines = value.replace(/\n$/, '').split('\n');
    const chomp = value.endsWith('\n\n') ? '+' : value.endsWith('\n') ? '' : '-';
    const hint = /^[ \n]/.test(value) ? '2' : '';
    return `${style === 'folded' ? '>' : '|'}${hint}${chomp}\n${lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line)).join('\n')}`;
  }
  const resolved = resolveScalar(value).tag;
  if (tag === '!!str' && resolved !== '!!str') return JSON.stringify(value);
  const text = resolved === '!!str' ? plain(value) : value;
  // A text that was changed to another type keeps its tag.
  if (tag === '' || tag === '!!str' || tag === resolved) return text;
  return value === '' ? tag : `${tag} ${text}`;
}

/** The text without quotes if it may stand so. */
function plain(value: string): string {
  if (resolveScalar(value).tag !== '!!str') return value;
  const printed = printYaml(value, { dialect: 'v3' }).slice(0, -1);
  // Words such as `yes` are strings to go-yaml v3.
  return printed === JSON.stringify(value) && /^[\w+.-]+$/.test(value) ? value : printed;
}
