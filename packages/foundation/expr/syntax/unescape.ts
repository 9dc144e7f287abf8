import { fromBytes } from '@tiphys/template';

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

const broken = 'unable to unescape string';

/** An escape of one character: its length in the text and its code, or the words of the refusal. */
type Escape = { readonly length: number; readonly code: number } | string;

/** What stands between the quotes of a literal, unescaped; throws `RangeError` with the words of the refusal. */
export function unescapeText(body: string): string {
  return replaceEscapes(
    body,
    (rest) => textEscape(rest),
    (code) => (code >= 0xd800 && code <= 0xdfff ? '\ufffd' : String.fromCodePoint(code)),
  );
}

/** The same for `b"…"`: escapes are single bytes. */
export function unescapeBytes(body: string): string {
  const bytes: number[] = [];
  const text = replaceEscapes(
    body,
    (rest) => byteEscape(rest),
    (code) => {
      bytes.push(code);
      return '\uffff';
    },
  );
  let next = 0;
  const parts = text
    .split('\uffff')
    .map((part, i) => [...(i > 0 ? [bytes[next++] as number] : []), ...Buffer.from(part)]);
  return fromBytes(Uint8Array.from(parts.flat()));
}

function replaceEscapes(body: string, read: (rest: string) => Escape, write: (code: number) => string): string {
  let out = '';
  let rest = body.replace(/\r\n?/g, '\n');
  for (;;) {
    const slash = rest.indexOf('\\');
    if (slash < 0) return out + rest;
    out += rest.slice(0, slash);
    rest = rest.slice(slash + 1);
    const known = simple[rest[0] as string];
    if (known !== undefined) {
      out += write(known.charCodeAt(0));
      rest = rest.slice(1);
      continue;
    }
    const found = read(rest);
    if (typeof found === 'string') throw new RangeError(found);
    out += write(found.code);
    rest = rest.slice(found.length);
  }
}

function textEscape(rest: string): Escape {
  const braced = /^u\{([0-9a-fA-F]{1,6})\}/.exec(rest);
  const fixed = braced ?? /^(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(rest);
  if (fixed) {
    const code = Number.parseInt(fixed.slice(1).find((digits) => digits !== undefined) as string, 16);
    return code > 0x10ffff ? broken : { length: fixed[0].length, code };
  }
  return octalEscape(rest);
}

function byteEscape(rest: string): Escape {
  const hex = /^[xX]([0-9a-fA-F]{2})/.exec(rest);
  if (hex) return { length: 3, code: Number.parseInt(hex[1] as string, 16) };
  return octalEscape(rest);
}

function octalEscape(rest: string): Escape {
  if (!/^[0-3]/.test(rest)) return broken;
  const octal = /^[0-3][0-7]{2}/.exec(rest);
  return octal ? { length: 3, code: Number.parseInt(octal[0], 8) } : 'unable to unescape octal sequence in string';
}
