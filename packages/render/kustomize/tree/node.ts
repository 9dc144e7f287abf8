/** Where a node came from: a file, and the entry of a kustomization that made or changed it. */
export interface Origin {
  /** Path from the root of the tree, without a leading `/`. */
  readonly file: string;
  /** Such as `namePrefix` or `patches[2]`; absent for what was read from a resource file. */
  readonly entry?: string;
  /** The kustomization that has the entry, if that is not `file`. */
  readonly kustomization?: string;
  /** What stood there before the entry added to it, as prefixes and suffixes do. */
  readonly before?: { readonly value: string; readonly origin: Origin | undefined; readonly line: number };
}

/** 1-based, in its document. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type NodeKind = 'scalar' | 'map' | 'list' | 'none';

export const nullTag = '!!null';
export const stringTag = '!!str';
export const intTag = '!!int';
export const boolTag = '!!bool';
export const floatTag = '!!float';
export const mapTag = '!!map';

/** How a scalar is written: `quoted` is with double quotes, `tagged` with its tag. Collections may be `flow`. */
export type Style = '' | 'quoted' | 'single' | 'literal' | 'folded' | 'tagged' | 'flow';

/** True for the styles that make a scalar a string, whatever its text. */
export function isQuotedStyle(style: Style): boolean {
  return style === 'quoted' || style === 'single' || style === 'literal' || style === 'folded';
}

/**
 * A part of a resource: what yaml.Node is to kyaml. It is mutable, and a node keeps its identity when its content is
 * replaced, as transformers rely on it. Maps keep their pairs flat, in order, and may hold a key twice.
 */
export class Node {
  kind: NodeKind;
  /** Text of a scalar. */
  value: string;
  /** Short form: `!!str`. Empty if it is to be found from the text. */
  tag: string;
  style: Style;
  /** Items of a list; keys and values of a map in turn. */
  content: Node[];
  origin: Origin | undefined;
  /** 1-based line in `origin.file`; 0 if unknown. */
  line: number;
  /** Where it stood in the text that a plugin wrote: hashes of its name depend on it. */
  position: Position | undefined;

  constructor(kind: NodeKind, value = '', tag = '', style: Style = '', content: Node[] = []) {
    this.kind = kind;
    this.value = value;
    this.tag = tag;
    this.style = style;
    this.content = content;
    this.origin = undefined;
    this.line = 0;
    this.position = undefined;
  }

  /** A scalar whose type is found from its text, unless a tag is given. */
  static scalar(value: string, tag = ''): Node {
    return new Node('scalar', value, tag);
  }

  /** A scalar that is a string whatever its text. */
  static string(value: string): Node {
    return new Node('scalar', value, stringTag, value.includes('\n') ? 'literal' : '');
  }

  static map(): Node {
    return new Node('map', '', mapTag);
  }

  static list(items: Node[] = []): Node {
    return new Node('list', '', '!!seq', '', items);
  }

  /** Gives it and all below it an origin. */
  stamped(origin: Origin | undefined, line: number): this {
    this.origin = origin;
    this.line = line;
    for (const part of this.content) part.stamped(origin, line);
    return this;
  }

  copy(): Node {
    const copy = new Node(this.kind, this.value, this.tag, this.style);
    copy.origin = this.origin;
    copy.line = this.line;
    copy.position = this.position;
    if (this.content.length > 0) copy.content = this.content.map((part) => part.copy());
    return copy;
  }

  /** Becomes the same as another node; content is shared. */
  become(other: Node): void {
    this.kind = other.kind;
    this.value = other.value;
    this.tag = other.tag;
    this.style = other.style;
    this.content = other.content;
    this.origin = other.origin;
    this.line = other.line;
    this.position = other.position;
  }

  get isNull(): boolean {
    return this.tag === nullTag;
  }

  /** Null, an empty map or an empty list. */
  get isEmpty(): boolean {
    return (
      this.tag === nullTag ||
      ((this.kind === 'map' || this.kind === 'list') && this.content.length === 0) ||
      (this.kind === 'none' && this.tag === '' && this.value === '' && this.content.length === 0)
    );
  }

  /** The value of the first pair with the key; undefined if there is none. */
  get(key: string): Node | undefined {
    if (this.kind === 'list') return undefined;
    const { content } = this;
    for (let i = 0; i + 1 < content.length; i += 2) if ((content[i] as Node).value === key) return content[i + 1];
    return undefined;
  }

  keyNode(key: string): Node | undefined {
    const { content } = this;
    for (let i = 0; i + 1 < content.length; i += 2) if ((content[i] as Node).value === key) return content[i];
    return undefined;
  }

  /** Adds a pair at the end. */
  append(key: string, value: Node): void {
    const name = Node.scalar(key);
    name.origin = value.origin;
    name.line = value.line;
    this.content.push(name, value);
  }

  /** Removes the first pair with the key; gives its value. */
  clear(key: string): Node | undefined {
    const { content } = this;
    for (let i = 0; i + 1 < content.length; i += 2) {
      if ((content[i] as Node).value !== key) continue;
      const value = content[i + 1];
      this.content = [...content.slice(0, i), ...content.slice(i + 2)];
      return value;
    }
    return undefined;
  }

  /** Keys of a map in order. */
  keys(): string[] {
    const keys: string[] = [];
    for (let i = 0; i + 1 < this.content.length; i += 2) keys.push((this.content[i] as Node).value);
    return keys;
  }
}
