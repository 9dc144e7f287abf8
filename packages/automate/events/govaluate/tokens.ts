/** An expression is none, or cannot be evaluated. */
export class EvaluateError extends Error {}

export type Token =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'name'; readonly value: string }
  | { readonly kind: 'operator'; readonly value: string };

const longest = 16_384;
const operators = [
  '**',
  '&&',
  '||',
  '==',
  '!=',
  '>=',
  '<=',
  '=~',
  '!~',
  '>>',
  '<<',
  '??',
  '+',
  '-',
  '*',
  '/',
  '%',
  '>',
  '<',
  '&',
  '|',
  '^',
  '~',
  '!',
  '?',
  ':',
  '(',
  ')',
  ',',
];
const numeral = /0x[0-9a-fA-F]+|\d+\.?\d*|\.\d+/y;
const nameStart = /[\p{L}_\\]/u;
const namePart = /[\p{L}\p{N}_.]/u;

/** The words of an expression of govaluate. Throws `EvaluateError`. */
export function tokensOf(text: string): Token[] {
  if (text.length > longest) throw new EvaluateError(`the expression is longer than ${longest} characters`);
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    if (/\s/.test(char)) at++;
    else at = readToken(text, at, tokens);
  }
  return tokens;
}

function readToken(text: string, at: number, tokens: Token[]): number {
  const char = text[at] as string;
  numeral.lastIndex = at;
  const digits = numeral.exec(text)?.[0];
  if (digits) {
    tokens.push({ kind: 'number', value: Number(digits) });
    return at + digits.length;
  }
  if (char === "'" || char === '"') return readText(text, at, tokens);
  if (char === '[') return readBracketed(text, at, tokens);
  if (nameStart.test(char)) return readName(text, at, tokens);
  const operator = operators.find((candidate) => text.startsWith(candidate, at));
  if (!operator) throw new EvaluateError(`Invalid token: '${char}'`);
  tokens.push({ kind: 'operator', value: operator });
  return at + operator.length;
}

function readText(text: string, start: number, tokens: Token[]): number {
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\\') value += text[++at] ?? '';
    else if (char === text[start]) {
      tokens.push({ kind: 'text', value });
      return at + 1;
    } else value += char;
  }
  throw new EvaluateError('Unclosed string literal');
}

function readBracketed(text: string, start: number, tokens: Token[]): number {
  const end = text.indexOf(']', start);
  if (end < 0) throw new EvaluateError('Unclosed parameter bracket');
  tokens.push({ kind: 'name', value: text.slice(start + 1, end) });
  return end + 1;
}

function readName(text: string, start: number, tokens: Token[]): number {
  let value = '';
  let at = start;
  for (; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\\') value += text[++at] ?? '';
    else if (namePart.test(char)) value += char;
    else break;
  }
  if (value === 'true' || value === 'false') tokens.push({ kind: 'boolean', value: value === 'true' });
  else if (value.toLowerCase() === 'in') tokens.push({ kind: 'operator', value: 'in' });
  else tokens.push({ kind: 'name', value });
  return at;
}
