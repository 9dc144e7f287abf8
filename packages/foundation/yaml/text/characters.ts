/** The character after the end of the text. */
export const END = 0;

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** YAML 1.1 has more line breaks than 1.2. */
export function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBreakOrEnd(code: number): boolean {
  return code === END || isBreak(code);
}

export function isBlankOrEnd(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === END || isBreak(code);
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** What names of anchors, tag handles and directives are made of. */
export function isWord(code: number): boolean {
  return (
    isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || code === 0x2d
  );
}

export function isHex(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}
