import type { Node } from './node.ts';

export interface PrettyOptions {
  /** The longest line that a list may be written on. */
  readonly width: number;
  /** Before every line. */
  readonly prefix: string;
  readonly indent: string;
  readonly sortKeys: boolean;
}

/**
 * A value over several lines, with a line break at its end, as tidwall/pretty writes it: lists without objects that fit stand on one line;
 * numbers and texts stay as they were written.
 */
export function prettyJson(node: Node, options: PrettyOptions): string {
  return `${new Printer(options).print(node)}\n`;
}

class Printer {
  readonly #options: PrettyOptions;
  #out: string;
  /** Where the line began that is being written. */
  #line = 0;

  constructor(options: PrettyOptions) {
    this.#options = options;
    this.#out = options.prefix;
  }

  print(node: Node): string {
    this.#any(node, 0);
    return this.#out;
  }

  #any(node: Node, level: number): void {
    if (node.kind === 'object') this.#object(node, level);
    else if (node.kind === 'array') this.#array(node, level);
    else this.#out += node.raw;
  }

  #object({ entries }: Node & { kind: 'object' }, level: number): void {
    const { sortKeys } = this.#options;
    const ordered = sortKeys ? entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) : entries;
    this.#lines('{', '}', ordered, level, ([key, value]) => {
      this.#out += `${JSON.stringify(key)}: `;
      this.#any(value, level + 1);
    });
  }

  #array(node: Node & { kind: 'array' }, level: number): void {
    const room = this.#options.width - (this.#out.length - this.#line);
    const short = this.#options.width > 0 && room > 3 ? onOneLine(node) : undefined;
    if (short !== undefined && short.length <= room) this.#out += short;
    else this.#lines('[', ']', node.items, level, (item) => this.#any(item, level + 1));
  }

  #lines<T>(open: string, close: string, parts: readonly T[], level: number, write: (part: T) => void): void {
    this.#out += open;
    parts.forEach((part, index) => {
      if (index > 0) this.#out += ',';
      this.#break(level + 1);
      write(part);
    });
    if (parts.length > 0) this.#break(level);
    this.#out += close;
  }

  #break(level: number): void {
    this.#line = this.#out.length;
    this.#out += `\n${this.#options.prefix}${this.#options.indent.repeat(level)}`;
  }
}

/** Undefined where an object stands in it. */
function onOneLine(node: Node): string | undefined {
  if (node.kind === 'object') return undefined;
  if (node.kind !== 'array') return node.raw;
  const parts = node.items.map(onOneLine);
  return parts.includes(undefined) ? undefined : `[${parts.join(', ')}]`;
}
