/** From the least to the most: of a size, or of a cost. Both end at 2^64. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const LIMIT = 2 ** 64;
const capped = (value: number): number => Math.min(value, LIMIT);
const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : capped(a * b));

export const UNKNOWN: Range = { min: 0, max: LIMIT };
/** What any range widens. */
export const NOTHING: Range = { min: LIMIT, max: 0 };
export const exactly = (value: number): Range => ({ min: value, max: value });

export const plus = (...ranges: readonly Range[]): Range =>
  ranges.reduce((a, b) => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) }), exactly(0));
export const times = (a: Range, b: Range): Range => ({ min: product(a.min, b.min), max: product(a.max, b.max) });
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
/** Rounded up. */
export const scaled = (range: Range, factor: number): Range => ({
  min: capped(Math.ceil(range.min * factor)),
  max: capped(Math.ceil(range.max * factor)),
});

/** Costs of what every expression is made of. */
export const COST = { name: 1, list: 10, map: 30, struct: 40, check: 350_000 } as const;
/** Of one character, and of one character of a regular expression. */
export const TRAVERSAL = 0.1;
export const REGEX = 0.25;
