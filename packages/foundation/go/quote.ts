const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const simple = /^[ !#-[\]-~]*$/;

/** unicode.IsPrint. */
export function isPrint(rune: string): boolean {
  const code = rune.charCodeAt(0);
  if (code < 0x7f) return code >= 0x20;
  return printable.test(rune);
}

const escapes: Record<string, string> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};

/** strconv.Quote, or QuoteToASCII. */
export function goQuote(text: string, ascii = false): string {
  if (simple.test(text)) return `"${text}"`;
  let out = '"';
  for (const rune of text) out += quoteRuneWith(rune, '"', ascii);
  return `${out}"`;
}

/** strconv.QuoteRune, or QuoteRuneToASCII; the argument is a code point. */
export function goQuoteRune(code: number, ascii = false): string {
  const valid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return `'${quoteRuneWith(valid ? String.fromCodePoint(code) : '\ufffd', "'", ascii)}'`;
}

function quoteRuneWith(rune: string, quote: string, ascii: boolean): string {
  if (rune === quote) return `\\${quote}`;
  const known = escapes[rune];
  if (known) return known;
  const code = rune.codePointAt(0) as number;
  if (code >= 0xd800 && code <= 0xdfff) return `\\x${hex(code & 0xff, 2)}`;
  if (code < 0x80 ? code >= 0x20 && code < 0x7f : !ascii && isPrint(rune)) return rune;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}

/** strconv.CanBackquote. */
export function canBackquote(text: string): boolean {
  return text.isWellFormed() && !/[\u0000-\u0008\u000a-\u001f\u007f`\ufeff]/.test(text);
}
