import { compileAttributePattern, type PathMatcher } from './attribute-pattern.ts';

/** What a line says of an attribute: set, unset, a text, or unspecified (`!name`). */
export type AttributeValue = boolean | string | undefined;

/** Attributes of one line, the last first: it wins. */
export type AttributeSettings = readonly (readonly [name: string, value: AttributeValue])[];

export interface AttributeRule {
  readonly matches: PathMatcher;
  readonly settings: AttributeSettings;
}

/** What a `.gitattributes` says of what files are like in a work tree. */
export interface AttributeFile {
  /** The last line first: it wins. */
  readonly rules: readonly AttributeRule[];
  readonly macros: ReadonlyMap<string, AttributeSettings>;
  /** Whether anything in it makes a file other than it is stored. */
  readonly converts: boolean;
}

/** Those that decide about contents; `text` and `crlf` only where `eol` does. */
const deciding = new Set(['text', 'crlf', 'eol', 'ident', 'filter', 'working-tree-encoding']);
const converting = new Set(['eol', 'ident', 'filter', 'working-tree-encoding']);
/** Longer lines are ignored by git. */
const longestLine = 2048;

/** Reads a `.gitattributes`; macros are those of the top folder alone. */
export function parseAttributes(text: string, isTop: boolean): AttributeFile {
  const rules: AttributeRule[] = [];
  const macros = new Map<string, AttributeSettings>();
  let converts = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (Buffer.byteLength(line) > longestLine) continue;
    const split = splitLine(line);
    if (!split) continue;
    const settings = split.attributes.map(settingOf).reverse();
    const macro = /^\[attr\](.+)$/.exec(split.pattern)?.[1];
    if (macro !== undefined && !split.quoted) {
      if (!isTop) continue;
      macros.set(macro, settings);
    } else {
      const matches = compileAttributePattern(split.pattern);
      if (matches) rules.unshift({ matches, settings });
    }
    converts ||= settings.some(([name]) => converting.has(name));
  }
  return { rules, macros, converts };
}

/** Whether an attribute counts for contents, or may stand for some that do. */
export function isDeciding(name: string): boolean {
  return deciding.has(name);
}

function splitLine(line: string): { pattern: string; quoted: boolean; attributes: string[] } | undefined {
  const text = line.replace(/^[ \t]+/, '');
  if (text === '' || text.startsWith('#')) return undefined;
  const quoted = text.startsWith('"') ? closingQuote(text) : -1;
  const end = quoted > 0 ? quoted + 1 : text.search(/[ \t]|$/);
  const pattern = quoted > 0 ? unquoted(text.slice(1, quoted)) : text.slice(0, end);
  const macro = pattern === '[attr]';
  const attributes = text
    .slice(end)
    .split(/[ \t]+/)
    .filter(Boolean);
  return macro
    ? { pattern: `${pattern}${attributes.shift() ?? ''}`, quoted: false, attributes }
    : { pattern, quoted: quoted > 0, attributes };
}

function closingQuote(text: string): number {
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** C's quotes, as git writes odd names. */
function unquoted(text: string): string {
  const bytes = text.replace(/\\([0-3][0-7]{2}|.)/gs, (_, escaped: string) =>
    /^\d{3}$/.test(escaped) ? `\0${escaped}` : (escapes[escaped] ?? escaped),
  );
  if (!bytes.includes('\0')) return bytes;
  const parts = bytes
    .split('\0')
    .map((part, index) =>
      index === 0
        ? Buffer.from(part)
        : Buffer.concat([Buffer.of(Number.parseInt(part.slice(0, 3), 8)), Buffer.from(part.slice(3))]),
    );
  return Buffer.concat(parts).toString('utf8');
}

function settingOf(word: string): [string, AttributeValue] {
  if (word.startsWith('-')) return [word.slice(1), false];
  if (word.startsWith('!')) return [word.slice(1), undefined];
  const equals = word.indexOf('=');
  return equals < 0 ? [word, true] : [word.slice(0, equals), word.slice(equals + 1)];
}
