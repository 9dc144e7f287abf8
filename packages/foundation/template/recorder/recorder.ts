/**
 * The identity of one use of randomness or time: the same identity gets the same value in every render. It is made of what
 * the author wrote, not of where it stands: lines above it, its indentation and the file of a helper may change
 * (docs/decisions/0005-identity-of-generated-values.md).
 */
export interface Generation {
  /** Template that contains the call, as the template set names it. */
  readonly template: string;
  /** 1-based; for people, and the last resort when a call was edited. */
  readonly line: number;
  /** 0-based, in bytes. */
  readonly column: number;
  /** Name of the function: `genCA`, `randAlphaNum`, `now`. */
  readonly function: string;
  /** SHA-256 of the arguments, hex. */
  readonly digest: string;
  /** Template whose execution the caller asked for: the one that includes all others. */
  readonly root: string;
  /** Digest of the text of the actions that included one another until the call's template ran; empty for none. */
  readonly callers: string;
  /** Digest of the text of the action that calls. */
  readonly text: string;
  /** Digest of what the loops around the call stand at: key, name or value; empty outside of loops. */
  readonly rounds: string;
  /** How often this render has generated with all of the same `function`, `digest`, `root`, `callers`, `text` and `rounds` before; from 0. */
  readonly occurrence: number;
}

/** How an execution came to a call, as digests: outermost first. */
export type CallRoute = Pick<Generation, 'root' | 'callers' | 'text' | 'rounds'>;

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

/** Key of a generation for maps and storage: equal for equal identities. */
export function generationKey(generation: Generation): string {
  const { root, callers, text, rounds, digest, occurrence } = generation;
  return `${root}:${generation.function}:${digest}:${callers}:${text}:${rounds}#${occurrence}`;
}
