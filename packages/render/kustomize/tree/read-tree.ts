import { type ScalarStyle, type YamlNode, YamlReader } from '@tiphys/yaml';
import { GoError, reworded } from '../failure/go-error.ts';
import { Node, type Origin, type Style } from './node.ts';
import { resolveScalar } from './resolve-scalar.ts';

const tagPrefix = 'tag:yaml.org,2002:';
const maxNodes = 5_000_000;

/**
 * The documents of a text as kyaml reads resources: split at lines that begin with `---`, one tree of each part, empty
 * ones left out, a lone `List` or `ResourceList` replaced by its items, anchors and merge keys resolved.
 * Throws GoError in kyaml's words.
 */
export function readTrees(text: string, origin: Origin, positions = false): Node[] {
  const parts = splitDocuments(text.replaceAll('\r\n', '\n'));
  const trees: Node[] = [];
  for (const part of parts) {
    const tree = readTree(part.text, origin, part.line, positions);
    if (tree === undefined || tree.isNull) continue;
    const kind = tree.kind === 'map' ? tree.get('kind')?.value : undefined;
    if (parts.length === 1 && (kind === 'List' || kind === 'ResourceList')) {
      const items = tree.get('items');
      if (items !== undefined || tree.get('functionConfig') !== undefined) {
        trees.push(...(items?.content ?? []));
        continue;
      }
    }
    trees.push(tree);
  }
  return trees;
}

/**
 * The first document of a text, anchors resolved; undefined if there is none or it is null. With `positions` every node keeps
 * its place, unless the text has what a place does not say all of: comments, anchors, tags.
 */
export function readTree(text: string, origin: Origin, firstLine = 1, positions = false): Node | undefined {
  let root: YamlNode | undefined;
  try {
    const reader = new YamlReader(text, { file: origin.file, dialect: 'v3' });
    for (const document of reader.documents()) {
      root = document.root;
      break;
    }
  } catch (error) {
    const failed = reworded(
      error,
      `MalformedYAMLError: ${(error as { goMessage?: string }).goMessage ?? String(error)}`,
    );
    failed.marks.add('malformed-yaml');
    if (failed.place?.line !== undefined) failed.place = { ...failed.place, line: failed.place.line + firstLine - 1 };
    throw failed;
  }
  if (root === undefined || (root.kind === 'scalar' && scalarTag(root) === '!!null')) return undefined;
  return new Converter(origin, firstLine - 1, positions && !/(?:^|[\s{[,])(?:#|[&!]\S)/m.test(text)).node(root);
}

function splitDocuments(text: string): { text: string; line: number }[] {
  if (text === '') return [];
  const parts: { text: string; line: number }[] = [];
  let from = 0;
  let line = 1;
  for (const match of text.matchAll(/\n---.*\n/g)) {
    const after = match[0].slice(4).trim();
    if (after !== '' && !after.startsWith('#')) throw new GoError(`invalid document separator: ${match[0].trim()}`);
    const part = `${text.slice(from, match.index)}\n`;
    parts.push({ text: part, line });
    line += part.split('\n').length;
    from = match.index + match[0].length;
  }
  parts.push({ text: text.slice(from), line });
  return parts;
}

function scalarTag(node: YamlNode & { kind: 'scalar' }): string {
  if (node.tag !== '' && node.tag !== '!')
    return node.tag.startsWith(tagPrefix) ? `!!${node.tag.slice(tagPrefix.length)}` : node.tag;
  return node.implicit && node.tag === '' ? resolveScalar(node.value).tag : '!!str';
}

const styles: Record<ScalarStyle, Style> = {
  plain: '',
  double: 'quoted',
  single: 'single',
  literal: 'literal',
  folded: 'folded',
};

class Converter {
  readonly #origin: Origin;
  readonly #offset: number;
  readonly #positions: boolean;
  readonly #open = new Set<YamlNode>();
  #count = 0;

  constructor(origin: Origin, offset: number, positions: boolean) {
    this.#origin = origin;
    this.#offset = offset;
    this.#positions = positions;
  }

  node(source: YamlNode): Node {
    if (++this.#count > maxNodes) throw new GoError('yaml: document contains excessive aliasing');
    switch (source.kind) {
      case 'scalar':
        return this.#scalar(source);
      case 'sequence': {
        const list = this.#at(Node.list(), source);
        if (source.flow) list.style = 'flow';
        list.content = source.items.map((item) => this.node(item));
        return list;
      }
      case 'mapping':
        return this.#mapping(source);
      default: {
        if (this.#open.has(source.target)) throw new GoError(`yaml: anchor '${source.name}' value contains itself`);
        this.#open.add(source.target);
        const target = this.node(source.target);
        this.#open.delete(source.target);
        return target;
      }
    }
  }

  #at(node: Node, source: YamlNode): Node {
    node.origin = this.#origin;
    node.line = source.line + this.#offset;
    if (this.#positions) node.position = { line: source.line, column: source.column };
    return node;
  }

  #scalar(source: YamlNode & { kind: 'scalar' }): Node {
    const node = new Node('scalar', source.value, scalarTag(source));
    if (source.tag !== '') node.style = 'tagged';
    else node.style = styles[source.style];
    return this.#at(node, source);
  }

  #mapping(source: YamlNode & { kind: 'mapping' }): Node {
    const map = this.#at(Node.map(), source);
    if (source.flow) map.style = 'flow';
    let merge: YamlNode | undefined;
    for (let i = 0; i + 1 < source.pairs.length; i += 2) {
      const key = source.pairs[i] as YamlNode;
      const value = source.pairs[i + 1] as YamlNode;
      if (key.kind === 'scalar' && scalarTag(key) === '!!merge') {
        if (merge !== undefined) throw new GoError('duplicate merge key');
        merge = value;
        continue;
      }
      map.content.push(this.node(key), this.node(value));
    }
    if (merge === undefined) return map;
    const merged = this.#at(Node.map(), source);
    // What is merged comes before the own pairs in kyaml too; the own ones win.
    merged.content = [...map.content];
    for (const part of [...this.#mergeValues(merge), map]) {
      for (let i = 0; i + 1 < part.content.length; i += 2) {
        const key = part.content[i] as Node;
        const index = merged.content.findIndex((other, at) => at % 2 === 0 && other.value === key.value);
        if (index >= 0) merged.content.splice(index, 2, key, part.content[i + 1] as Node);
        else merged.content.push(key, part.content[i + 1] as Node);
      }
    }
    return merged;
  }

  #mergeValues(source: YamlNode): Node[] {
    if (source.kind === 'mapping') return [this.node(source)];
    if (source.kind === 'alias') {
      if (source.target.kind !== 'mapping') throw new GoError('invalid map merge: received alias for a non-map value');
      return [this.node(source)];
    }
    if (source.kind !== 'sequence') throw new GoError('map merge requires map or sequence of maps as the value');
    const values: Node[] = [];
    for (const item of source.items) {
      if (item.kind === 'sequence') throw new GoError('invalid map merge: received a nested sequence');
      values.unshift(...this.#mergeValues(item));
    }
    return values;
  }
}
