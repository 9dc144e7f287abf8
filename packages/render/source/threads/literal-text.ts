import type { Recorded } from '@tiphys/template';

/** Equal characters next to different ones may be equal by chance: that many are not taken for literal. */
const margin = 4;

/**
 * What stands around the generated parts of a text, in order: the first piece is its beginning and the last its end, both may
 * be empty. `other` is the same text with other generated values; `found` and `otherFound` are generated values that may
 * stand in them word for word. Undefined if nothing can be told.
 */
export function literalText(
  text: string,
  found: readonly string[],
  other: string,
  otherFound: readonly string[],
): string[] | undefined {
  const pieces = cut(text, found);
  const others = cut(other, otherFound);
  if (pieces.length !== others.length) return undefined;
  const literals = pieces.flatMap((piece, index) => common(piece, others[index] as string));
  return literals.length > 1 ? literals : undefined;
}

function cut(text: string, found: readonly string[]): string[] {
  return found.reduce((pieces, value) => pieces.flatMap((piece) => piece.split(value)), [text]);
}

/** The runs that two texts have in common, the first at the beginning of both and the last at the end of both. */
function common(a: string, b: string): string[] {
  if (a === b) return [a];
  const start = prefixLength(a, b);
  const end = Math.min(suffixLength(a, b), Math.min(a.length, b.length) - start);
  const first = a.slice(0, Math.max(0, start - margin));
  const last = a.slice(a.length - Math.max(0, end - margin));
  const middle = a.length === b.length ? runs(a, b, start, a.length - end) : [];
  return [first, ...middle, end - margin > 0 ? last : ''];
}

function runs(a: string, b: string, from: number, to: number): string[] {
  const found: string[] = [];
  let start = from;
  for (let at = from; at <= to; at++) {
    if (at < to && a[at] === b[at]) continue;
    if (at - start > 3 * margin) found.push(a.slice(start + margin, at - margin));
    start = at + 1;
  }
  return found;
}

function prefixLength(a: string, b: string): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++;
  return length;
}

function suffixLength(a: string, b: string): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}

/** Functions whose values may be any others of the same form. */
const free = new Set(['randAlphaNum', 'randAlpha', 'randNumeric', 'randAscii', 'randBytes', 'uuidv4', 'randInt']);
const aYearAndSome = 37_111_111_111;

/** Another value of the same form, no character of which is the same; undefined where there is none that surely works. */
export function otherValue(name: string, value: Recorded): Recorded | undefined {
  if (typeof value !== 'string') return undefined;
  if (name === 'now') return String(Number(value) + aYearAndSome);
  if (!free.has(name)) return undefined;
  return value.replace(/[a-zA-Z0-9]/g, (character) => {
    const [low, size] = /[a-f]/.test(character)
      ? ['a', 6]
      : /[g-z]/.test(character)
        ? ['g', 20]
        : /[A-Z]/.test(character)
          ? ['A', 26]
          : ['0', 10];
    const base = (low as string).charCodeAt(0);
    return String.fromCharCode(base + ((character.charCodeAt(0) - base + 1) % (size as number)));
  });
}
