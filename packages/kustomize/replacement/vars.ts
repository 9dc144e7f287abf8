import type { Var } from '../kustomization/kustomization.ts';
import { notYet } from '../not-yet.ts';
import type { Accumulator } from '../target/accumulator.ts';

/** Takes in the vars of a kustomization: notes on the resource that each reads from that it does. */
export function mergeVars(_accumulator: Accumulator, vars: readonly Var[]): void {
  if (vars.length > 0) throw notYet('vars');
}

/** Replaces `$(NAME)` in the fields of varReference, once all names are final. */
export function resolveVars(accumulator: Accumulator, _warn: (line: string) => void): void {
  if (accumulator.vars.all.length > 0) throw notYet('vars');
}
