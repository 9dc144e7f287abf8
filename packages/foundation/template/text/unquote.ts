import { fromBytes, toBytes } from './bytes.ts';

/** strconv.Unquote: the text of a Go string or character literal, or undefined for invalid syntax. */
export function goUnquote(literal: string): string | undefined {
  if (literal.length < 2) return undefined;
  const quote = literal[0] as string;
  if (literal.at(-1) !== quote) return undefined;
  const body = literal.slice(1, -1);
  if (quote === '`') return body.includes('`') ? undefined : body.replaceAll('\r', '');
  if (quote !== '"' && quote !== "'") return undefined;
  if (body.includes('\n')) return undefined;
  if (quote === '"' && !body.includes('\\')) return body.includes('"') ? undefined : body;
  return unescaped(body, quote);
}

function unescaped(body: string, quote: string): string | undefined {
  const parts: (string | number)[] = [];
  let at = 0;
  while (at < body.length) {
    const next = unquoteCharAt(body, at, quote);
    if (!next) return undefined;
    parts.push(next.byte ?? next.text);
    at = next.end;
  }
  if (quote === "'" && parts.length !== 1) return undefined;
  if (!parts.some((part) => typeof part === 'number' && part > 0x7f)) {
    return parts.map((part) => (typeof part === 'number' ? String.fromCharCode(part) : part)).join('');
  }
  const bytes = parts.flatMap((part) => (typeof part === 'number' ? [part] : [...toBytes(part)]));
  return fromBytes(Uint8Array.from(bytes));
}

/** One character of a literal: its text, or its byte if it was written as one, and where it ends. */
export interface UnquotedChar {
  readonly text: string;
  readonly byte?: number;
  readonly end: number;
}

const named: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' };
const hexDigits: Record<string, number> = { x: 2, u: 4, U: 8 };

/** strconv.UnquoteChar at an offset. */
export function unquoteCharAt(body: string, at: number, quote: string): UnquotedChar | undefined {
  const char = body[at];
  if (char === undefined || char === quote) return undefined;
  if (char !== '\\') {
    const text = String.fromCodePoint(body.codePointAt(at) as number);
    return { text, end: at + text.length };
  }
  const kind = body[at + 1];
  if (kind === undefined) return undefined;
  const simple = named[kind];
  if (simple) return { text: simple, end: at + 2 };
  if (kind === "'" || kind === '"') return kind === quote ? { text: kind, end: at + 2 } : undefined;
  const width = hexDigits[kind];
  if (width) {
    const digits = body.slice(at + 2, at + 2 + width);
    if (digits.length < width || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
    const code = Number.parseInt(digits, 16);
    if (kind === 'x') return { text: '', byte: code, end: at + 4 };
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    return { text: String.fromCodePoint(code), end: at + 2 + width };
  }
  const octal = body.slice(at + 1, at + 4);
  if (!/^[0-7]{3}$/.test(octal)) return undefined;
  const byte = Number.parseInt(octal, 8);
  return byte > 255 ? undefined : { text: '', byte, end: at + 4 };
}
