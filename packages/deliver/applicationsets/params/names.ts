/** A text as part of a DNS name: lower case, anything else than letters, digits, `-` and `.` becomes `-`; 253 characters at most. */
export function normalizeName(text: string): string {
  const cleaned = text
    .toLowerCase()
    .replace(/[^-a-z0-9.]/gu, '-')
    .slice(0, 253);
  return trim(cleaned, '-.');
}

export interface SlugOptions {
  /** Longest result; 50 if absent. */
  readonly maxLength?: number;
  /** Cut at the last `-` before the longest length, not in a word; true if absent. */
  readonly smart?: boolean;
}

const replaced: Readonly<Record<string, string>> = {
  '"': '',
  "'": '',
  '’': '',
  '‒': '-',
  '–': '-',
  '—': '-',
  '―': '-',
  '&': 'and',
  '@': 'at',
  _: '-',
};

/** A text as one word for URLs and labels: ASCII letters, digits and single dashes. Marks are taken off letters; other scripts become `-`. */
export function slug(text: string, { maxLength = 50, smart = true }: SlugOptions = {}): string {
  let result = [...text.trim()].map((c) => replaced[c] ?? c).join('');
  result = result.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (!smart && result.length >= maxLength) result = result.slice(0, maxLength);
  result = trim(result.replace(/[^a-z0-9-]/gu, '-').replace(/-{2,}/g, '-'), '-_');
  return maxLength > 0 && smart ? cutAtDash(result, maxLength) : result;
}

/** As upstream's `slugify`: `slugify NAME`, `slugify MAX NAME`, `slugify MAX SMART NAME`. */
export function slugify(text: string, options: SlugOptions = {}): string {
  return slug(normalizeName(text), options);
}

function cutAtDash(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const dash = text.lastIndexOf('-', maxLength);
  return text.slice(0, dash > 0 ? dash : maxLength);
}

function trim(text: string, characters: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && characters.includes(text[start] as string)) start += 1;
  while (end > start && characters.includes(text[end - 1] as string)) end -= 1;
  return text.slice(start, end);
}
