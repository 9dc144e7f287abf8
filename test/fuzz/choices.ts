import fc from 'fast-check';

/** A stream of numbers that decides what is generated; at its end everything is the first, simplest choice. */
export class Choices {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** From 0 to below `count`. */
  below(count: number): number {
    const number = this.#numbers[this.#at++] ?? 0;
    return count > 0 ? number % count : 0;
  }

  pick<T>(options: readonly T[]): T {
    return options[this.below(options.length)] as T;
  }

  /** False is the simple case. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }
}

const MAX = 100 * 2 ** 12;

/** Decides what a whole sequence is about, and then each of its elements. */
export type SequenceMaker<T> = (about: Choices) => (choices: Choices) => T;

/**
 * Sequences of what `make` decides by choices. They shrink to fewer elements, and each element to simpler choices,
 * whatever `make` makes of them.
 */
export function sequencesOf<T>(make: SequenceMaker<T>, maxLength: number, width = 1): fc.Arbitrary<T[]> {
  const choices = (count: number) =>
    fc.array(fc.noBias(fc.nat(MAX)), { minLength: count, maxLength: count, size: 'max' });
  const elements = fc.noBias(fc.array(choices(60), { minLength: 1, maxLength, size: 'max' }));
  const subject = width === 1 ? fc.noBias(fc.nat(MAX)).map((number) => [number]) : choices(width);
  return fc.tuple(subject, elements).map(([about, all]) => {
    const element = make(new Choices(about));
    return all.map((each) => element(new Choices(each)));
  });
}
