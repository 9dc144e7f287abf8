/** Letters of two, of which a title has the first large. */
const titles: Readonly<Record<string, string>> = {
  Ǆ: 'ǅ',
  ǆ: 'ǅ',
  Ǉ: 'ǈ',
  ǉ: 'ǈ',
  Ǌ: 'ǋ',
  ǌ: 'ǋ',
  Ǳ: 'ǲ',
  ǳ: 'ǲ',
};

/** `unicode.ToUpper`: one letter for one; what would become several stays. */
export function upperRune(rune: string): string {
  const upper = rune.toUpperCase();
  return [...upper].length === 1 ? upper : rune;
}

/** `unicode.ToLower`. */
export function lowerRune(rune: string): string {
  if (rune === 'İ') return 'i';
  const lower = rune.toLowerCase();
  return [...lower].length === 1 ? lower : rune;
}

/** `unicode.ToTitle`. Georgian has capitals, but not at the start of words. */
export function titleRune(rune: string): string {
  return titles[rune] ?? (/[\u10d0-\u10ff]/.test(rune) ? rune : upperRune(rune));
}
