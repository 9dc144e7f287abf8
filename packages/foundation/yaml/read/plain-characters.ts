/** True for what ends a word: a blank, a tab, a line break, or the end of the text. */
export function endsWord(code: number): boolean {
  return code === 0x20 || code === 0x0a || Number.isNaN(code) || code === 0x09;
}

/** True for a character with which a plain scalar may begin. */
export function startsPlain(code: number, next: number): boolean {
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39)) return true;
  switch (code) {
    case 0x2d: // -
    case 0x3a: // :
      return !endsWord(next);
    case 0x2b: // +
    case 0x2e: // .
    case 0x2f: // /
    case 0x5f: // _
    case 0x28: // (
    case 0x24: // $
    case 0x5e: // ^
    case 0x3c: // <
    case 0x7e: // ~
    case 0x5c: // \
      return true;
  }
  return code > 0xa0;
}

/** Characters that mean nothing but themselves in a plain scalar. */
export function isSimple(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x2d && code <= 0x39) || code === 0x5f
  );
}

export function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}
