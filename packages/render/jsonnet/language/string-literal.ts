import { JsonnetError, type SourceText } from './jsonnet-error.ts';

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** A string in quotes, or verbatim after `@`, where a doubled quote stands for one. */
export function quotedString(source: SourceText, start: number): { value: string; end: number } {
  const { text } = source;
  const verbatim = text[start] === '@';
  const first = verbatim ? start + 1 : start;
  const quote = text[first] as string;
  let value = '';
  for (let at = first + 1; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === quote && verbatim && text[at + 1] === quote) {
      value += quote;
      at += 1;
    } else if (character === quote) return { value, end: at + 1 };
    else if (character !== '\\' || verbatim) value += character;
    else {
      at += 1;
      const escaped = text[at] ?? '';
      if (escaped === 'u') {
        const digits = text.slice(at + 1, at + 5);
        if (!/^[0-9A-Fa-f]{4}$/.test(digits)) throw wrong(source, at, `Malformed unicode escape: \\u${digits}`);
        value += String.fromCharCode(Number.parseInt(digits, 16));
        at += 4;
      } else {
        const known = escapes[escaped];
        if (known === undefined) throw wrong(source, at, `Unknown escape sequence in string literal: '${escaped}'`);
        value += known;
      }
    }
  }
  throw wrong(source, start, 'Unterminated String');
}

/** A text block: `|||`, or `|||-` without the last line's end; every line has the first one's indentation. */
export function blockString(source: SourceText, start: number): { value: string; end: number } {
  const { text } = source;
  const chomp = text[start + 3] === '-';
  let at = start + (chomp ? 4 : 3);
  while (/[ \t\r]/.test(text[at] ?? '')) at += 1;
  if (text[at] !== '\n') throw wrong(source, start, 'Text block requires new line after |||.');
  at += 1;
  let value = '';
  while (text[at] === '\n' || text.startsWith('\r\n', at)) {
    at += text[at] === '\n' ? 1 : 2;
    value += '\n';
  }
  const indent = /^[ \t]*/.exec(text.slice(at))?.[0] ?? '';
  if (indent === '') throw wrong(source, start, "Text block's first line must start with whitespace");
  for (;;) {
    const lineEnd = text.indexOf('\n', at);
    if (lineEnd < 0) throw wrong(source, start, 'Unexpected EOF');
    value += `${text.slice(at + indent.length, lineEnd)}\n`;
    at = lineEnd + 1;
    while (text[at] === '\n' || text.startsWith('\r\n', at)) {
      at += text[at] === '\n' ? 1 : 2;
      value += '\n';
    }
    if (text.startsWith(indent, at)) continue;
    const close = /^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0;
    if (!text.startsWith('|||', at + close)) throw wrong(source, start, 'Text block not terminated with |||');
    return { value: chomp ? value.replace(/\n$/, '') : value, end: at + close + 3 };
  }
}

function wrong(source: SourceText, at: number, message: string): JsonnetError {
  return new JsonnetError('static', message, { spot: { source, at } });
}
