/** A `when` that cannot be evaluated; the message is what its node shows. */
export class WhenError extends Error {
  override name = 'WhenError';
}

export type Token =
  | { readonly kind: 'value'; readonly text: string; readonly value: string | number | boolean }
  | { readonly kind: 'operator'; readonly text: string };

const operators = ['**', '==', '!=', '>=', '<=', '=~', '!~', '&&', '||', '??', '<<', '>>', ...'+-*/%<>!&|^~?:(),'];

/** The tokens of a `when`. */
export function tokensOf(when: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < when.length) {
    const char = when[at] as string;
    if (/\s/.test(char)) at += 1;
    else {
      const { token, length } = tokenAt(when, at);
      tokens.push(token);
      at += length;
    }
  }
  return tokens;
}

function tokenAt(when: string, at: number): { token: Token; length: number } {
  const rest = when.slice(at);
  const quote = rest[0] as string;
  if (quote === "'" || quote === '"') return quoted(when, rest, quote);
  if (quote === '[') {
    const end = rest.indexOf(']');
    if (end < 0) throw new WhenError(`Invalid 'when' expression '${when}': Unclosed parameter bracket`);
    return { token: value(rest.slice(1, end), rest.slice(1, end)), length: end + 1 };
  }
  const number = /^(?:0x[0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?)/.exec(rest)?.[0];
  if (number) return { token: value(number, Number(number)), length: number.length };
  const word = /^[\p{L}_][\p{L}\p{N}_.]*/u.exec(rest)?.[0];
  if (word) return { token: named(word), length: word.length };
  const operator = operators.find((candidate) => rest.startsWith(candidate));
  if (operator) return { token: { kind: 'operator', text: operator }, length: operator.length };
  throw new WhenError(
    `Invalid 'when' expression '${when}': Invalid token: '${quote}' (hint: try wrapping the affected expression in quotes ("))`,
  );
}

function named(word: string): Token {
  if (word === 'true' || word === 'false') return value(word, word === 'true');
  return word === 'in' || word === 'IN' ? { kind: 'operator', text: 'in' } : value(word, word);
}

function quoted(when: string, rest: string, quote: string): { token: Token; length: number } {
  let text = '';
  for (let at = 1; at < rest.length; at += 1) {
    const char = rest[at] as string;
    if (char === quote) return { token: value(text, text), length: at + 1 };
    if (char === '\\') at += 1;
    text += char === '\\' ? (rest[at] ?? '') : char;
  }
  throw new WhenError(`Invalid 'when' expression '${when}': Unclosed string literal`);
}

function value(text: string, content: string | number | boolean): Token {
  return { kind: 'value', text, value: content };
}
