import type { Generation } from '../recorder/recorder.ts';

/** Where a value came from: a path below a root that the caller named, or a generation. */
export type Origin =
  | {
      readonly kind: 'data';
      /** Name of the root: `Values`, `Release`, `Chart` … (the first field below the template's data). */
      readonly root: string;
      /** Keys and indexes below the root; for a container that was printed whole (toYaml) that of the container. */
      readonly path: readonly (string | number)[];
    }
  | {
      readonly kind: 'generated';
      readonly generation: Generation;
      /** Field of the generated value: `Cert`, `Key`; absent for the whole. */
      readonly field?: string;
    };

/** A piece of output and the action that printed it. Texts joined give the output. */
export interface Segment {
  readonly text: string;
  readonly template: string;
  /** 1-based; the line of the action, or the line on which literal text begins. */
  readonly line: number;
  /** 0-based, in bytes. */
  readonly column: number;
  /** Empty for literal text and for values of unknown origin. */
  readonly origins: readonly Origin[];
  /** Functions that the value passed through, in order, innermost first: `['b64enc', 'quote']`. */
  readonly via: readonly string[];
}

/** The origins of one value: of its whole, and piece by piece if it is a string made by templates. */
export interface Traced {
  readonly origins: readonly Origin[];
  readonly via: readonly string[];
  /** Only for strings that were assembled; the texts joined give the string. */
  readonly segments?: readonly Segment[];
}

/** The trace of a call under way, for functions that want to say more than their `trace` rule. */
export interface Trace {
  /** Origins of the argument at the index. */
  argument(index: number): Traced | undefined;
  /** States the origins of the value that the function is about to return. */
  result(traced: Traced): void;
}
