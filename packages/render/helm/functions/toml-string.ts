import { end, type Token, TomlFault, type TomlReader } from './toml-reader.ts';

const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
};
const hexDigits: Readonly<Record<string, readonly [number, string]>> = {
  x: [2, 'two'],
  u: [4, 'four'],
  U: [8, 'eight'],
};

/** A string after its first quote. `canSpan`: three quotes start one of several lines. */
export function readTomlString(reader: TomlReader, quote: string, canSpan: boolean): Token {
  if (canSpan && reader.peek() === quote) {
    reader.next();
    if (!reader.accept(quote)) return { text: '', line: reader.line };
    return readLines(reader, quote);
  }
  let out = '';
  for (;;) {
    const line = reader.line;
    const char = reader.peek();
    if (char === quote) {
      reader.next();
      return { text: out, line };
    }
    reader.next();
    if (char === end) throw reader.fault(`unexpected EOF; expected ${quote === '"' ? `'"'` : `"'"`}`);
    if (char === '\n') throw new TomlFault(line, 'strings cannot contain newlines');
    if (char === '\r') throw new TomlFault(line - 1, 'strings cannot contain newlines');
    out += char === '\\' && quote === '"' ? readEscape(reader) : char;
  }
}

function readLines(reader: TomlReader, quote: string): Token {
  let out = '';
  reader.accept('\r');
  reader.accept('\n');
  for (;;) {
    const char = reader.next();
    if (char === end) throw reader.fault(`unexpected EOF; expected ${quote === '"' ? `'"""'` : `"'''"`}`);
    if (char === quote) {
      let count = 1;
      while (reader.peek() === quote) {
        count++;
        if (count > 5) throw reader.fault(quote === '"' ? `unexpected '""""""'` : `unexpected "''''''"`);
        reader.next();
      }
      if (count >= 3) return { text: out + quote.repeat(count - 3), line: reader.line };
      out += quote.repeat(count);
    } else if (char === '\\' && quote === '"') out += isJoin(reader) ? '' : readEscape(reader);
    else out += char;
  }
}

/** A backslash before a line break takes away all white space that follows. */
function isJoin(reader: TomlReader): boolean {
  if (/[\r\n]/.test(reader.peek())) {
    reader.while((char) => /[ \t\r\n]/.test(char));
    return true;
  }
  if (!/[ \t]/.test(reader.peek())) return false;
  const start = reader.offset;
  const first = reader.peek();
  reader.while((char) => /[ \t\r\n]/.test(char));
  if (reader.since(start).includes('\n')) return true;
  throw reader.fault(`invalid escape: '\\${first}'`);
}

function readEscape(reader: TomlReader): string {
  const start = reader.offset;
  const char = reader.next();
  const plain = escapes[char];
  if (plain !== undefined) return plain;
  if (char === ' ' || char === '\t') throw reader.fault(`invalid escape: '\\${char}'`);
  const digits = hexDigits[char];
  if (!digits) throw reader.fault(`invalid escape in string '\\${char === end ? '\0' : char}'`);
  const [count, word] = digits;
  let code = '';
  for (let i = 0; i < count; i++) {
    const digit = reader.next();
    code += digit;
    if (!/^[0-9A-Fa-f]$/.test(digit)) {
      const seen = JSON.stringify(`\\${reader.since(start)}`);
      throw reader.fault(`expected ${word} hexadecimal digits after '\\${char}', but got ${seen} instead`);
    }
  }
  const value = Number.parseInt(code, 16);
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
    throw reader.fault(`Escaped character '\\u${code}' is not valid UTF-8.`);
  return String.fromCodePoint(value);
}
