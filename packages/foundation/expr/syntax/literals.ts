import { goQuote } from '@tiphys/go';
import { parseFloat64, parseInt64 } from '@tiphys/template';
import type { Node } from './node.ts';
import type { Token } from './token.ts';
import type { TokenReader } from './token-reader.ts';

const faultTexts = { syntax: 'invalid syntax', range: 'value out of range' } as const;

/** The node of a number; the token has been passed. */
export function numberNode(reader: TokenReader, token: Token): Node {
  const text = token.value.replaceAll('_', '');
  const lower = text.toLowerCase();
  const isHex = lower.startsWith('0x');
  if (!isHex && /[.e]/.test(lower)) {
    const { value, fault } = parseFloat64(text);
    if (fault)
      throw reader.fault(`invalid float literal: strconv.ParseFloat: parsing ${goQuote(text)}: ${faultTexts[fault]}`);
    return reader.node({ kind: 'float', value }, token.at);
  }
  const name = isHex ? 'hex' : lower.startsWith('0b') ? 'binary' : lower.startsWith('0o') ? 'octal' : 'integer';
  const { value, fault } = parseInt64(text, name === 'integer' ? 10 : 0);
  if (fault)
    throw reader.fault(`invalid ${name} literal: strconv.ParseInt: parsing ${goQuote(text)}: ${faultTexts[fault]}`);
  return reader.node({ kind: 'int', value }, token.at);
}

/** The words that are values. */
export function wordNode(reader: TokenReader, token: Token): Node | undefined {
  if (token.value === 'true' || token.value === 'false')
    return reader.node({ kind: 'bool', value: token.value === 'true' }, token.at);
  return token.value === 'nil' ? reader.node({ kind: 'nil' }, token.at) : undefined;
}
