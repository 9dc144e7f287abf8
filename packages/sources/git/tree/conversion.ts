import type { AttributeValue } from './attribute-file.ts';

/** How a checkout by git writes a file otherwise than it is stored. */
export interface Conversion {
  /** Lines end in CR LF; `guessed` only where the content reads like a text with LF alone. */
  readonly crlf: 'always' | 'guessed' | undefined;
  /** `$Id$` gets the id of the content. */
  readonly ident: boolean;
  readonly encoding: string | undefined;
  readonly filter: string | undefined;
}

const encoders: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-16': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'UTF-16LE-BOM': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'UTF-16LE': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16BE': (text) => Buffer.from(text, 'utf16le').swap16(),
  'UTF-16BE-BOM': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
};

/** By git's rules on a machine whose lines end in LF, without settings of its own. Undefined where the file is as it is stored. */
export function conversionOf(attributes: ReadonlyMap<string, AttributeValue>): Conversion | undefined {
  const filter = attributes.get('filter');
  const encoding = attributes.get('working-tree-encoding');
  const wanted: Conversion = {
    crlf: crlfOf(attributes),
    ident: attributes.get('ident') === true,
    encoding: typeof encoding === 'string' && !/^utf-?8$/i.test(encoding) ? encoding.toUpperCase() : undefined,
    filter: typeof filter === 'string' ? filter : undefined,
  };
  return wanted.crlf || wanted.ident || wanted.encoding || wanted.filter ? wanted : undefined;
}

function crlfOf(attributes: ReadonlyMap<string, AttributeValue>): Conversion['crlf'] {
  if (attributes.get('eol') !== 'crlf') return undefined;
  const text = attributes.get('text') ?? attributes.get('crlf');
  if (text === false) return undefined;
  return text === 'auto' ? 'guessed' : 'always';
}

/** Why a file is not read; undefined for those that are. */
export function refusalOf({ filter, encoding }: Conversion): string | undefined {
  if (filter !== undefined && filter !== 'lfs')
    return `the filter ${JSON.stringify(filter)}, and no filter of a repository is run`;
  if (encoding !== undefined && !Object.hasOwn(encoders, encoding))
    return `the encoding ${JSON.stringify(encoding)}, which is not known`;
  return undefined;
}

/** A word for each conversion that makes another content. */
export function conversionKey({ crlf, ident, encoding, filter }: Conversion): string {
  return [crlf ?? '', ident ? 'ident' : '', encoding ?? '', filter ?? ''].join('\0');
}

/** What a checkout writes for what is stored under an id. */
export function convert(stored: Buffer, oid: string, { crlf, ident, encoding, filter }: Conversion): Buffer {
  // what a pointer stands for is written as it is
  if (filter === 'lfs') return stored;
  let content = stored;
  if (ident) content = withIdent(content, oid);
  if (crlf && isConverted(content, crlf)) content = withCrlf(content);
  const encode = encoding === undefined ? undefined : encoders[encoding];
  return encode ? encode(content.toString('utf8')) : content;
}

/** `$Id$` and `$Id: anything$` of one line; what somebody else's system wrote, which has spaces inside, stays. */
function withIdent(content: Buffer, oid: string): Buffer {
  if (!content.includes('$Id')) return content;
  const text = content.toString('latin1').replace(/\$Id(?::([^$\n]*))?\$/g, (whole, old = '') => {
    const space = old.indexOf(' ', 1);
    return space > 0 && space < old.length - 1 ? whole : `$Id: ${oid} $`;
  });
  return Buffer.from(text, 'latin1');
}

function isConverted(content: Buffer, crlf: 'always' | 'guessed'): boolean {
  const { loneLf, loneCr, pairs, isBinary } = statisticsOf(content);
  if (loneLf === 0) return false;
  return crlf === 'always' || (loneCr === 0 && pairs === 0 && !isBinary);
}

interface Statistics {
  readonly loneLf: number;
  readonly loneCr: number;
  readonly pairs: number;
  readonly isBinary: boolean;
}

/** Counts as git does before it guesses whether a content is a text. */
function statisticsOf(content: Buffer): Statistics {
  let [loneLf, loneCr, pairs, printable, odd, nul] = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at] as number;
    if (byte === 0x0d && content[at + 1] === 0x0a) {
      pairs += 1;
      at += 1;
    } else if (byte === 0x0d) loneCr += 1;
    else if (byte === 0x0a) loneLf += 1;
    else if (byte === 0) {
      nul += 1;
      odd += 1;
    } else if (byte === 127 || (byte < 32 && ![8, 9, 12, 27].includes(byte))) odd += 1;
    else printable += 1;
  }
  // an end of file as DOS has it is not counted
  if (content.at(-1) === 0x1a) odd -= 1;
  return { loneLf, loneCr, pairs, isBinary: loneCr > 0 || nul > 0 || printable >> 7 < odd };
}

function withCrlf(content: Buffer): Buffer {
  const text = content.toString('latin1').replace(/\r?\n/g, '\r\n');
  return Buffer.from(text, 'latin1');
}
