import { isUtf8 } from 'node:buffer';

const escapeBase = 0xdc00;

/** The bytes of a Go string. */
export function toBytes(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const out: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    if (code >= 0xdc80 && code <= 0xdcff) out.push(code - escapeBase);
    else out.push(...Buffer.from(char, 'utf8'));
  }
  return Uint8Array.from(out);
}

/** The Go string of bytes. A byte that is not part of valid UTF-8 becomes the lone surrogate U+DC00 + byte. */
export function fromBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let out = '';
  let valid = 0;
  let at = 0;
  while (at < buffer.length) {
    const size = sequenceLength(buffer, at);
    if (size > 0) {
      at += size;
      continue;
    }
    out += buffer.toString('utf8', valid, at) + String.fromCharCode(escapeBase + (buffer[at] as number));
    valid = ++at;
  }
  return out + buffer.toString('utf8', valid);
}

/** Length of the valid UTF-8 sequence at the offset, or 0. */
function sequenceLength(buffer: Buffer, at: number): number {
  const lead = buffer[at] as number;
  const size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (size === 0 || at + size > buffer.length) return 0;
  return isUtf8(buffer.subarray(at, at + size)) ? size : 0;
}

/** `len` of a Go string. */
export function byteLength(text: string): number {
  return text.isWellFormed() ? Buffer.byteLength(text) : toBytes(text).length;
}

/** True if every UTF-16 unit is one byte of the Go string. */
export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** `text[start:end]` of a Go string; bounds are in bytes and must be in range. */
export function sliceBytes(text: string, start: number, end?: number): string {
  if (isAscii(text)) return text.slice(start, end);
  return fromBytes(toBytes(text).subarray(start, end));
}

/** Joins bytes that became neighbours by concatenation into the characters that they form. */
export function normalize(text: string): string {
  return text.isWellFormed() ? text : fromBytes(toBytes(text));
}

/** Go's order of strings: by bytes. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x < 0xd800 && y < 0xd800) return x < y ? -1 : 1;
    return Buffer.compare(toBytes(a), toBytes(b));
  }
  return a.length < b.length ? -1 : 1;
}

/** The runes of a Go string, as `[]rune(s)`: an invalid byte is U+FFFD. */
export function runesOf(text: string): string[] {
  const runes = Array.from(text);
  if (text.isWellFormed()) return runes;
  return runes.map((rune) => (rune.isWellFormed() ? rune : '\ufffd'));
}
