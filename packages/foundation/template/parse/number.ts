import { goQuote } from '@tiphys/go';
import { parseFloat64, parseInt64, parseUint } from '../text/parse-number.ts';
import { unquoteCharAt } from '../text/unquote.ts';
import type { NumberNode } from './node.ts';

/** The number under every type that can represent it, or the words of Go's refusal. */
export function parseNumber(pos: number, text: string, type: string): NumberNode | string {
  const node = { type: 'number', pos, text } as const;
  if (type === 'charConstant') return parseRune(node);
  if (type === 'complex') return parseComplex(node);
  if (text.endsWith('i')) {
    const imaginary = parseFloat64(text.slice(0, -1));
    if (!imaginary.fault) return { ...node, ...simplify([0, imaginary.value]) };
  }
  const unsigned = parseUint(text, 0);
  const signed = parseInt64(text, 0);
  let uint = unsigned.fault ? undefined : unsigned.value;
  let int = signed.fault ? undefined : signed.value;
  if (int === 0n) uint = 0n;
  let float: number | undefined;
  if (int !== undefined) float = Number(int);
  else if (uint !== undefined) float = Number(uint);
  else {
    const parsed = parseFloat64(text);
    if (!parsed.fault) {
      if (!/[.eEpP]/.test(text)) return `integer overflow: ${goQuote(text)}`;
      float = parsed.value;
      int = floatAsInt(float);
      uint = floatAsUint(float);
    }
  }
  if (int === undefined && uint === undefined && float === undefined) return `illegal number syntax: ${goQuote(text)}`;
  return { ...node, int, uint, float, complex: undefined };
}

function parseRune(node: {
  readonly type: 'number';
  readonly pos: number;
  readonly text: string;
}): NumberNode | string {
  const { text } = node;
  if (text[0] !== "'") return `malformed character constant: ${text}`;
  const char = unquoteCharAt(text, 1, "'");
  if (!char) return 'invalid syntax';
  if (text.slice(char.end) !== "'") return `malformed character constant: ${text}`;
  const code = char.byte ?? (char.text.isWellFormed() ? (char.text.codePointAt(0) as number) : 0xfffd);
  return { ...node, int: BigInt(code), uint: BigInt(code), float: code, complex: undefined };
}

function parseComplex(node: {
  readonly type: 'number';
  readonly pos: number;
  readonly text: string;
}): NumberNode | string {
  // fmt.Sscan reads the two parts; the scanner has checked the shape.
  const match = /^([+-]?[^+-]*(?:[eEpP][+-]?[0-9_]+)?)([+-].*)i$/.exec(node.text);
  if (!match) return 'syntax error scanning complex number';
  const [real, imaginary] = [parseFloat64(match[1] as string), parseFloat64(match[2] as string)];
  if (real.fault || imaginary.fault) return 'syntax error scanning complex number';
  return { ...node, ...simplify([real.value, imaginary.value]) };
}

function simplify(complex: readonly [number, number]): Pick<NumberNode, 'int' | 'uint' | 'float' | 'complex'> {
  const [real, imaginary] = complex;
  if (imaginary !== 0) return { complex, float: undefined, int: undefined, uint: undefined };
  return { complex, float: real, int: floatAsInt(real), uint: floatAsUint(real) };
}

function floatAsInt(float: number): bigint | undefined {
  return Number.isInteger(float) && float >= -(2 ** 63) && float < 2 ** 63 ? BigInt(float) : undefined;
}

function floatAsUint(float: number): bigint | undefined {
  return Number.isInteger(float) && float >= 0 && float < 2 ** 64 ? BigInt(float) : undefined;
}
