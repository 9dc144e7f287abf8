/** A token of an expression: what it is, its text, and the value of a literal. */
export interface Token {
  readonly type: 'number' | 'text' | 'name' | 'operator' | 'end';
  readonly text: string;
  readonly value?: string | number;
}

/** An expression that cannot be read or evaluated. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

const operators = /^(?:\?\.|\?\?|\|\||&&|==|!=|<=|>=|\*\*|\.\.|[-+*/%^<>!?:.,()[\]{}#|])/;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let rest = source;
  const take = (match: RegExpExecArray, token: Omit<Token, 'text'>) => {
    tokens.push({ text: match[0], ...token });
    rest = rest.slice(match[0].length);
  };
  for (;;) {
    rest = rest.replace(/^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/, '');
    if (rest === '') return [...tokens, { type: 'end', text: '' }];
    const number = /^(?:0[xX][\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)/.exec(rest);
    const text = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/s.exec(rest);
    const name = /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(rest);
    const operator = operators.exec(rest);
    if (number) take(number, { type: 'number', value: Number(number[0].replaceAll('_', '')) });
    else if (text) take(text, { type: 'text', value: unquoted(text[0]) });
    else if (name) take(name, { type: 'name' });
    else if (operator) take(operator, { type: 'operator' });
    else throw new ExpressionError(`unexpected ${JSON.stringify(rest[0])} at ${source.length - rest.length}`);
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

function unquoted(literal: string): string {
  const inner = literal.slice(1, -1);
  if (literal.startsWith('`')) return inner;
  return inner.replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_all, code: string | undefined, other: string) =>
    code === undefined ? (escapes[other] ?? other) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
