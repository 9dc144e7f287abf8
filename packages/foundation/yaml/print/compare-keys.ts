const letter = /\p{L}/u;
const digit = /\p{Nd}/u;

/** The order in which go-yaml prints the keys of maps: letters by code, numbers inside by value, other characters first. */
export function compareKeys(a: string, b: string, dialect: 2 | 3): number {
  if (a === b) return 0;
  return isLess(a, b, dialect) ? -1 : 1;
}

function isLess(a: string, b: string, dialect: 2 | 3): boolean {
  const x = isAscii(a) ? a : Array.from(a);
  const y = isAscii(b) ? b : Array.from(b);
  let i = 0;
  let digits = false;
  const shorter = Math.min(x.length, y.length);
  while (i < shorter && x[i] === y[i]) {
    if (dialect === 3) digits = isDigit(x[i] as string);
    i++;
  }
  if (i >= shorter) return x.length < y.length;
  const [c, d] = [x[i] as string, y[i] as string];
  const [cLetter, dLetter] = [isLetter(c), isLetter(d)];
  if (cLetter && dLetter) return codeOf(c) < codeOf(d);
  if (cLetter || dLetter) return digits ? cLetter : dLetter;
  return numbersLess(x, y, i);
}

function numbersLess(x: string | string[], y: string | string[], i: number): boolean {
  const [c, d] = [x[i] as string, y[i] as string];
  let lead = '';
  if (c === '0' || d === '0') {
    for (let j = i - 1; j >= 0 && isDigit(x[j] as string); j--) {
      if (x[j] !== '0') {
        lead = '1';
        break;
      }
    }
  }
  const left = numberAt(x, i, lead);
  const right = numberAt(y, i, lead);
  if (left.value !== right.value) return left.value < right.value;
  if (left.end !== right.end) return left.end < right.end;
  return codeOf(c) < codeOf(d);
}

function numberAt(text: string | string[], start: number, lead: string): { value: number | bigint; end: number } {
  let end = start;
  let digits = lead;
  while (end < text.length && isDigit(text[end] as string)) digits += digitValue(text[end++] as string);
  if (digits.length <= 15) return { value: Number(digits), end };
  return { value: BigInt.asIntN(64, BigInt(digits)), end };
}

function digitValue(char: string): string {
  return char >= '0' && char <= '9' ? char : '';
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function codeOf(char: string): number {
  return char.codePointAt(0) as number;
}

function isLetter(char: string): boolean {
  const code = char.charCodeAt(0);
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  return letter.test(char);
}

function isDigit(char: string): boolean {
  const code = char.charCodeAt(0);
  return code < 0x80 ? code >= 0x30 && code <= 0x39 : digit.test(char);
}
