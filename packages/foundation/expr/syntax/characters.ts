const letter = /^[\p{L}_$]$/u;
const digit = /^\p{Nd}$/u;
const space = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;

/** What may start a name. */
export const isLetter = (rune: string | undefined): boolean => rune !== undefined && letter.test(rune);
/** What may go on in a name. */
export const isNameRune = (rune: string | undefined): boolean =>
  rune !== undefined && (letter.test(rune) || digit.test(rune));
/** `unicode.IsSpace`. */
export const isSpace = (rune: string | undefined): boolean => rune !== undefined && space.test(rune);

/** A text that could be written as a name. */
export function isName(text: string): boolean {
  const [first, ...rest] = Array.from(text);
  return isLetter(first) && rest.every(isNameRune);
}
