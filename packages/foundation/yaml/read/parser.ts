import type { DocumentNode, MappingNode, ScalarNode, SequenceNode, YamlNode } from './node.ts';
import { ScanFailure } from './scan-failure.ts';
import { Scanner } from './scanner.ts';
import type { Mark, Token, TokenType } from './token.ts';

/** Raised when a document nests deeper than allowed. */
export class DepthFailure extends Error {
  readonly mark: Mark;
  constructor(depth: number, mark: Mark) {
    super(`exceeded max depth of ${depth}`);
    this.mark = mark;
  }
}

/** Raised for an alias without an anchor: go-yaml gives no line. */
export class AliasFailure extends Error {
  readonly mark: Mark;
  constructor(name: string, mark: Mark) {
    super(`unknown anchor '${name}' referenced`);
    this.mark = mark;
  }
}

interface Properties {
  readonly anchor: string | undefined;
  readonly tag: string;
  readonly start: Mark;
}

/** The documents of a text as trees, one at a time, by libyaml's grammar. */
export class Parser {
  readonly #scanner: Scanner;
  readonly #maxDepth: number;
  #depth = 0;
  #first = true;
  #anchors = new Map<string, YamlNode>();
  #tagHandles = new Map<string, string>();

  constructor(text: string, maxDepth: number) {
    this.#scanner = new Scanner(text);
    this.#maxDepth = maxDepth;
  }

  /** The next document, or undefined after the last. */
  next(): DocumentNode | undefined {
    const implicitAllowed = this.#first;
    this.#first = false;
    if (!implicitAllowed) while (this.#peek().type === 'document-end') this.#scanner.skip();
    let token = this.#peek();
    if (token.type === 'stream-end') return undefined;
    const line = token.start.line + 1;
    this.#anchors = new Map();
    const explicit = !implicitAllowed || ['version-directive', 'tag-directive', 'document-start'].includes(token.type);
    this.#readDirectives();
    if (explicit) {
      token = this.#peek();
      if (token.type !== 'document-start') fail('did not find expected <document start>', token.start);
      this.#scanner.skip();
    }
    const root = this.#content(explicit);
    const end = this.#peek();
    if (end.type === 'document-end') this.#scanner.skip();
    return { root, line, endLine: Math.max(line, root.endLine) };
  }

  #content(explicit: boolean): YamlNode {
    const token = this.#peek();
    const empty: TokenType[] = ['version-directive', 'tag-directive', 'document-start', 'document-end', 'stream-end'];
    if (explicit && empty.includes(token.type)) return emptyScalar(token.start);
    return this.#node(true, false);
  }

  #readDirectives(): void {
    this.#tagHandles = new Map();
    let version: string | undefined;
    for (let token = this.#peek(); ; token = this.#peek()) {
      if (token.type === 'version-directive') {
        if (version !== undefined) fail('found duplicate %YAML directive', token.start);
        if (token.value !== '1.1') fail('found incompatible YAML document', token.start);
        version = token.value;
      } else if (token.type === 'tag-directive') {
        if (this.#tagHandles.has(token.value)) fail('found duplicate %TAG directive', token.start);
        this.#tagHandles.set(token.value, token.suffix);
      } else break;
      this.#scanner.skip();
    }
    if (!this.#tagHandles.has('!')) this.#tagHandles.set('!', '!');
    if (!this.#tagHandles.has('!!')) this.#tagHandles.set('!!', 'tag:yaml.org,2002:');
  }

  #peek(): Token {
    return this.#scanner.peek();
  }

  #node(block: boolean, indentless: boolean): YamlNode {
    let token = this.#peek();
    if (token.type === 'alias') return this.#alias(token);
    const properties = this.#properties(token);
    token = this.#peek();
    if (token.type === 'scalar') {
      this.#scanner.skip();
      return this.#scalar(token, properties);
    }
    if (++this.#depth > this.#maxDepth) throw new DepthFailure(this.#maxDepth, token.start);
    const node = this.#collection(token, properties, block, indentless);
    this.#depth--;
    if (node) return node;
    if (properties.anchor !== undefined || properties.tag !== '') {
      const empty: ScalarNode = {
        ...emptyScalar(properties.start),
        tag: properties.tag,
        implicit: properties.tag === '',
      };
      return this.#anchored(empty, properties);
    }
    return fail(contentMissing, token.start, properties.start);
  }

  #collection(token: Token, properties: Properties, block: boolean, indentless: boolean): YamlNode | undefined {
    const place = {
      line: properties.start.line + 1,
      column: properties.start.column + 1,
      endLine: properties.start.line + 1,
    };
    const flow = token.type.startsWith('flow');
    const sequence = (): SequenceNode => this.#anchored({ kind: 'sequence', items: [], flow, ...place }, properties);
    const mapping = (): MappingNode => this.#anchored({ kind: 'mapping', pairs: [], flow, ...place }, properties);
    if (indentless && token.type === 'block-entry') return this.#indentlessSequence(sequence());
    if (token.type === 'flow-sequence-start') return this.#flowSequence(sequence(), token.start);
    if (token.type === 'flow-mapping-start') return this.#flowMapping(mapping(), token.start);
    if (block && token.type === 'block-sequence-start') return this.#blockSequence(sequence(), token.start);
    if (block && token.type === 'block-mapping-start') return this.#blockMapping(mapping(), token.start);
    return undefined;
  }

  #alias(token: Token): YamlNode {
    const target = this.#anchors.get(token.value);
    if (!target) throw new AliasFailure(token.value, token.start);
    this.#scanner.skip();
    const line = token.start.line + 1;
    return { kind: 'alias', name: token.value, target, line, column: token.start.column + 1, endLine: line };
  }

  #properties(first: Token): Properties {
    if (first.type !== 'anchor' && first.type !== 'tag') return { anchor: undefined, tag: '', start: first.start };
    let anchor: string | undefined;
    let tag: Token | undefined;
    const take = (token: Token): void => {
      if (token.type === 'anchor') anchor = token.value;
      else tag = token;
      this.#scanner.skip();
    };
    take(first);
    const second = this.#peek();
    if (second.type === (first.type === 'anchor' ? 'tag' : 'anchor')) take(second);
    return { anchor, tag: tag ? this.#resolveTag(tag, first.start) : '', start: first.start };
  }

  #resolveTag(token: Token, start: Mark): string {
    if (token.value === '') return token.suffix;
    const prefix = this.#tagHandles.get(token.value);
    if (prefix === undefined) fail('found undefined tag handle', token.start, start);
    return prefix + token.suffix;
  }

  #anchored<T extends YamlNode>(node: T, properties: Properties): T {
    if (properties.anchor !== undefined) this.#anchors.set(properties.anchor, node);
    return node;
  }

  #scalar(token: Token, properties: Properties): ScalarNode {
    const { tag, start } = properties;
    return this.#anchored(
      {
        kind: 'scalar',
        value: token.value,
        tag,
        implicit: (tag === '' && token.plain) || tag === '!',
        style: token.style ?? 'plain',
        line: start.line + 1,
        column: start.column + 1,
        endLine: token.end.line + 1,
        start: token.start.index,
        end: token.end.index,
      },
      properties,
    );
  }

  #blockSequence(node: SequenceNode, start: Mark): SequenceNode {
    this.#scanner.skip();
    for (;;) {
      const token = this.#peek();
      if (token.type === 'block-end') {
        this.#scanner.skip();
        return ended(node, node.items);
      }
      if (token.type !== 'block-entry') fail("did not find expected '-' indicator", token.start, start);
      this.#scanner.skip();
      const next = this.#peek().type;
      node.items.push(
        next === 'block-entry' || next === 'block-end' ? emptyScalar(token.end) : this.#node(true, false),
      );
    }
  }

  #indentlessSequence(node: SequenceNode): SequenceNode {
    for (;;) {
      const token = this.#peek();
      if (token.type !== 'block-entry') return ended(node, node.items);
      this.#scanner.skip();
      const next = this.#peek().type;
      const empty = next === 'block-entry' || next === 'key' || next === 'value' || next === 'block-end';
      node.items.push(empty ? emptyScalar(token.end) : this.#node(true, false));
    }
  }

  #blockMapping(node: MappingNode, start: Mark): MappingNode {
    this.#scanner.skip();
    for (;;) {
      const token = this.#peek();
      if (token.type === 'block-end') {
        this.#scanner.skip();
        return ended(node, node.pairs);
      }
      if (token.type !== 'key') fail('did not find expected key', token.start, start);
      this.#scanner.skip();
      node.pairs.push(this.#blockMappingPart(token.end));
      const value = this.#peek();
      if (value.type === 'value') {
        this.#scanner.skip();
        node.pairs.push(this.#blockMappingPart(value.end));
      } else node.pairs.push(emptyScalar(value.start));
    }
  }

  #blockMappingPart(before: Mark): YamlNode {
    const { type } = this.#peek();
    return type === 'key' || type === 'value' || type === 'block-end' ? emptyScalar(before) : this.#node(true, true);
  }

  #flowSequence(node: SequenceNode, start: Mark): SequenceNode {
    this.#scanner.skip();
    for (let first = true; ; first = false) {
      const token = this.#flowEntry('flow-sequence-end', first, start, "did not find expected ',' or ']'");
      if (token.type === 'flow-sequence-end') {
        this.#scanner.skip();
        node.endLine = token.end.line + 1;
        return node;
      }
      node.items.push(token.type === 'key' ? this.#flowPair(token) : this.#node(false, false));
    }
  }

  /** The token at which the next entry of a flow collection begins, or its end. */
  #flowEntry(end: TokenType, first: boolean, start: Mark, message: string): Token {
    let token = this.#peek();
    if (token.type !== end && !first) {
      if (token.type !== 'flow-entry') fail(message, token.start, start);
      this.#scanner.skip();
      token = this.#peek();
    }
    if (token.type === 'stream-end') throw new ScanFailure('parser', contentMissing, token.start, token.start, start);
    return token;
  }

  /** A mapping of one pair that is written without braces inside a flow sequence. */
  #flowPair(key: Token): MappingNode {
    this.#scanner.skip();
    const line = key.start.line + 1;
    const node: MappingNode = {
      kind: 'mapping',
      pairs: [],
      flow: true,
      line,
      column: key.start.column + 1,
      endLine: line,
    };
    const token = this.#peek();
    if (token.type === 'value' || token.type === 'flow-entry' || token.type === 'flow-sequence-end') {
      // As libyaml does, the token is lost.
      this.#scanner.skip();
      node.pairs.push(emptyScalar(token.end));
    } else node.pairs.push(this.#node(false, false));
    node.pairs.push(this.#flowValue('flow-sequence-end'));
    return ended(node, node.pairs);
  }

  #flowMapping(node: MappingNode, start: Mark): MappingNode {
    this.#scanner.skip();
    for (let first = true; ; first = false) {
      const token = this.#flowEntry('flow-mapping-end', first, start, "did not find expected ',' or '}'");
      if (token.type === 'flow-mapping-end') {
        this.#scanner.skip();
        node.endLine = token.end.line + 1;
        return node;
      }
      if (token.type === 'key') {
        this.#scanner.skip();
        const { type, start: at } = this.#peek();
        const empty = type === 'value' || type === 'flow-entry' || type === 'flow-mapping-end';
        node.pairs.push(empty ? emptyScalar(at) : this.#node(false, false), this.#flowValue('flow-mapping-end'));
      } else node.pairs.push(this.#node(false, false), emptyScalar(this.#peek().start));
    }
  }

  #flowValue(end: TokenType): YamlNode {
    const token = this.#peek();
    if (token.type === 'value') {
      this.#scanner.skip();
      const { type } = this.#peek();
      if (type !== 'flow-entry' && type !== end) return this.#node(false, false);
    }
    return emptyScalar(token.start);
  }
}

function emptyScalar(mark: Mark): ScalarNode {
  const line = mark.line + 1;
  const { index } = mark;
  return {
    kind: 'scalar',
    value: '',
    tag: '',
    implicit: true,
    style: 'plain',
    line,
    column: mark.column + 1,
    endLine: line,
    start: index,
    end: index,
  };
}

function ended<T extends YamlNode>(node: T, children: readonly YamlNode[]): T {
  const last = children.at(-1);
  // A missing value stands where the next token is, which may be many lines below.
  if (last && !(last.kind === 'scalar' && last.value === '' && last.implicit)) node.endLine = last.endLine;
  else node.endLine = Math.max(node.endLine, children.at(-2)?.endLine ?? 0);
  return node;
}

const contentMissing = 'did not find expected node content';

function fail(message: string, problem: Mark, context?: Mark): never {
  throw new ScanFailure('parser', message, problem, context);
}
