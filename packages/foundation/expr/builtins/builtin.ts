import type { Value } from '@tiphys/template';
import type { RunBudget } from '../values/budget.ts';

/** What functions can see of the run that calls them. */
export interface BuiltinContext {
  readonly budget: RunBudget;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** A function that is built in. The checker has counted the arguments; a failure is a `Panic`. */
export type Builtin = (args: readonly Value[], context: BuiltinContext) => Value;
