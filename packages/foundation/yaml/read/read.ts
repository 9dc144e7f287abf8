import { isUtf8 } from 'node:buffer';
import { DecodeFailure, decode, type Shape } from './decode.ts';
import type { DocumentNode } from './node.ts';
import { AliasFailure, DepthFailure, Parser } from './parser.ts';
import { ScanFailure } from './scan-failure.ts';
import { excerptOf, YamlError } from './yaml-error.ts';

/** Bounds on what is read from people who are not trusted. */
export interface YamlLimits {
  /** UTF-16 units (bytes if bytes are given) of the whole text. */
  readonly size: number;
  /** Nested collections. */
  readonly depth: number;
  readonly documents: number;
  /** Values of one document, aliases expanded. */
  readonly values: number;
}

export const defaultYamlLimits: YamlLimits = {
  size: 64 * 1024 * 1024,
  depth: 1000,
  documents: 100_000,
  values: 10_000_000,
};

export interface ReadOptions {
  /** For messages. */
  readonly file?: string;
  readonly limits?: Partial<YamlLimits>;
  /** Whose words a failure to scan has: go-yaml's `v2` if not given. */
  readonly dialect?: 'v2' | 'v3';
}

// biome-ignore format: ranges read better on one line
const control = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Reads texts; turns every failure into a `YamlError` with its place. */
export class YamlReader {
  readonly limits: YamlLimits;
  readonly #file: string | undefined;
  readonly #text: string;
  readonly #dialect: 'v2' | 'v3';

  constructor(input: string | Uint8Array, options: ReadOptions = {}) {
    this.limits = { ...defaultYamlLimits, ...options.limits };
    this.#file = options.file;
    this.#dialect = options.dialect ?? 'v2';
    if (input.length > this.limits.size) {
      throw this.#error(`yaml: the text is larger than ${this.limits.size} bytes`, 0, { limit: true });
    }
    this.#text = typeof input === 'string' ? input : this.#decodeText(input);
    this.#checkCharacters();
  }

  /** The trees of the documents, lazily. */
  *documents(): Generator<DocumentNode> {
    const parser = new Parser(this.#text, this.limits.depth);
    for (let count = 1; ; count++) {
      const document = this.#guarded(() => parser.next());
      if (!document) return;
      if (count > this.limits.documents) {
        throw this.#error(`yaml: more than ${this.limits.documents} documents`, document.line, { limit: true });
      }
      yield document;
    }
  }

  /** The JSON value of a document. */
  decode<T, M extends T>(document: DocumentNode, shape: Shape<T, M>): T {
    return this.#guarded(() => decode(document.root, shape, this.limits.values));
  }

  #guarded<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      if (error instanceof ScanFailure)
        throw this.#error(this.#dialect === 'v3' ? error.goMessageV3 : error.goMessage, error.place.line + 1, {
          column: error.place.column + 1,
        });
      if (error instanceof DepthFailure)
        throw this.#error(`yaml: ${error.message}`, error.mark.line + 1, { limit: true });
      if (error instanceof AliasFailure)
        throw this.#error(`yaml: ${error.message}`, error.mark.line + 1, { column: error.mark.column + 1 });
      if (error instanceof DecodeFailure)
        throw this.#error(error.message, error.node.line, { column: error.node.column, limit: error.limit });
      throw error;
    }
  }

  #error(message: string, line: number, more: { column?: number; limit?: boolean } = {}): YamlError {
    const place = { file: this.#file, line, ...(more.column === undefined ? {} : { column: more.column }) };
    return new YamlError(message, place, {
      ...(more.limit ? { limit: true } : {}),
      excerpt: excerptOf(this.#text ?? '', line),
    });
  }

  #decodeText(bytes: Uint8Array): string {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (buffer[0] === 0xff && buffer[1] === 0xfe) return buffer.toString('utf16le', 2);
    if (buffer[0] === 0xfe && buffer[1] === 0xff)
      return Buffer.from(buffer.subarray(2, 2 + ((buffer.length - 2) & ~1)))
        .swap16()
        .toString('utf16le');
    if (!isUtf8(buffer)) throw this.#error(`yaml: ${utf8Problem(buffer)}`, 0);
    return buffer.toString('utf8');
  }

  #checkCharacters(): void {
    const text = this.#text;
    if (!text.isWellFormed())
      throw this.#error('yaml: invalid leading UTF-8 octet', lineAt(text, text.search(/\p{Surrogate}/u)));
    const index = text.charCodeAt(0) === 0xfeff ? text.slice(1).search(control) + 1 : text.search(control);
    if (index > 0 || (index === 0 && control.test(text[0] ?? '')))
      throw this.#error('yaml: control characters are not allowed', lineAt(text, index));
  }
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function utf8Problem(buffer: Buffer): string {
  for (let at = 0; at < buffer.length; ) {
    const lead = buffer[at] as number;
    const width =
      lead < 0x80 ? 1 : (lead & 0xe0) === 0xc0 ? 2 : (lead & 0xf0) === 0xe0 ? 3 : (lead & 0xf8) === 0xf0 ? 4 : 0;
    if (width === 0) return 'invalid leading UTF-8 octet';
    if (at + width > buffer.length) return 'incomplete UTF-8 octet sequence';
    for (let i = 1; i < width; i++)
      if (((buffer[at + i] as number) & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet';
    if (!isUtf8(buffer.subarray(at, at + width)))
      return width > 1 && lead < 0xc2 ? 'invalid length of a UTF-8 sequence' : 'invalid Unicode character';
    at += width;
  }
  return 'invalid Unicode character';
}
