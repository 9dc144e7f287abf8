import type { Shape } from './read/decode.ts';
import type { DocumentNode, YamlNode } from './read/node.ts';
import { quickRead } from './read/quick-read.ts';
import { type ReadOptions, YamlReader } from './read/read.ts';

/** What JSON can say. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

export interface YamlDocument {
  /** Null for an empty document. Integers beyond ±2^53 lose digits, as in JSON. */
  readonly value: JsonValue;
  /** 1-based line on which the document begins: of its `---` if it has one. */
  readonly line: number;
  /** 1-based line of its last content. */
  readonly endLine: number;
  /** 1-based line of the key or item at the path; of its nearest parent that exists if it does not. */
  lineOf(path: readonly (string | number)[]): number;
}

const plain: Shape<JsonValue, { [key: string]: JsonValue }> = {
  map: () => ({}),
  set(map, key, value) {
    if (key === '__proto__')
      Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
    else map[key] = value;
  },
  list: (items) => items,
  scalar: (value) => (typeof value === 'bigint' ? Number(value) : value),
};

/**
 * Reads all documents of a text as go-yaml v2 does (YAML 1.1: `yes` is true, `0o17` and `017` are 15, timestamps are
 * strings, the last of two equal keys wins, `<<` merges) into JSON values.
 * Throws `YamlError` for a text that go-yaml refuses or that exceeds the limits.
 */
export function parseDocuments(input: string | Uint8Array, options: ReadOptions = {}): { documents: YamlDocument[] } {
  const reader = new YamlReader(input, options);
  const documents: YamlDocument[] = [];
  for (const document of reader.documents()) {
    documents.push({
      value: reader.decode(document, plain),
      line: document.line,
      endLine: document.endLine,
      lineOf: (path) => lineOf(document, path),
    });
  }
  return { documents };
}

/** The JSON value of the first document, as `yaml.Unmarshal` reads; null if there is none. */
export function parseYaml(input: string | Uint8Array, options: ReadOptions = {}): JsonValue {
  const quick = typeof input === 'string' && !options.limits ? quickRead(input, plain) : undefined;
  if (quick) return quick.value;
  const reader = new YamlReader(input, options);
  for (const document of reader.documents()) return reader.decode(document, plain);
  return null;
}

/** The line of a path in a document's tree; see `YamlDocument.lineOf`. */
export function lineOf(document: DocumentNode, path: readonly (string | number)[]): number {
  let line = document.root.line;
  let node: YamlNode | undefined = document.root;
  for (const step of path) {
    while (node?.kind === 'alias') node = node.target;
    if (node?.kind === 'sequence') node = node.items[Number(step)];
    else if (node?.kind === 'mapping') {
      const found = keyIndex(node.pairs, String(step));
      if (found < 0) return line;
      line = node.pairs[found]?.line ?? line;
      node = node.pairs[found + 1];
      continue;
    } else return line;
    if (!node) return line;
    line = node.line;
  }
  return line;
}

function keyIndex(pairs: readonly YamlNode[], name: string): number {
  for (let i = pairs.length - 2; i >= 0; i -= 2) {
    const key = pairs[i];
    if (key?.kind === 'scalar' && key.value === name) return i;
  }
  return -1;
}
