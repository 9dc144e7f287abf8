/** The identity of one use of randomness or time: the same identity gets the same value in every render. */
export interface Generation {
  /** Template that contains the call, as the template set names it. */
  readonly template: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based, in bytes. */
  readonly column: number;
  /** How often this call site has generated with this function and these arguments before in this render; from 0. */
  readonly occurrence: number;
  /** Name of the function: `genCA`, `randAlphaNum`, `now`. */
  readonly function: string;
  /** SHA-256 of the arguments, hex. */
  readonly digest: string;
}

/** A generated value as it is recorded: plain JSON. */
export type Recorded = string | readonly string[] | { readonly [field: string]: string };

/**
 * Where generated values come from. Given by the caller of an execution; without one, `freshRecorder` generates anew
 * each time, as Helm does.
 */
export interface Recorder {
  /** The recorded value of the identity, or the result of `make`, which must then be recorded. */
  generate(generation: Generation, make: () => Recorded): Recorded;
  /** Fresh random bytes, for `make`. */
  randomBytes(length: number): Uint8Array;
  /** Milliseconds since the epoch, for `make`. */
  now(): number;
}

/** Key of a generation for maps and storage. */
export function generationKey(generation: Generation): string {
  const { template, line, column, occurrence, digest } = generation;
  return `${template}:${line}:${column}#${occurrence}:${generation.function}:${digest}`;
}
