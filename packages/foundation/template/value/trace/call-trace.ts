import type { Generation } from '../../recorder/recorder.ts';
import type { Value } from '../value.ts';
import type { MergeTrace } from './merge-trace.ts';
import type { Traced } from './rope.ts';
import type { Slots } from './slots.ts';
import type { Source, Step } from './source.ts';

/** The trace of a call under way, for functions whose result no `TraceRule` can explain afterwards. */
export interface CallTrace {
  /** What containers hold. */
  readonly slots: Slots;
  /** What the argument at the index is made of. */
  argument(index: number): Traced;
  /** States what the value that the function is about to return is made of. */
  result(traced: Traced): void;
  /** A place below the data of a scope, for what a function reads from elsewhere. */
  origin(scope: string, path: readonly Step[]): Source;
  /** The text of the template that the function is about to execute is the argument at the index. */
  inline(text: string, index: number): void;
  /** The result is a generated value, or is made of one. */
  generated(generation: Generation): void;
  /** Follows what is moved from one map, an argument, into another one. */
  merge(into: Value, from: Value, intoIndex: number, fromIndex: number): MergeTrace;
}
