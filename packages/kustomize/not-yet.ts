import { GoError } from './go-error.ts';

/** Refuses what is not built yet. */
export function notYet(what: string): GoError {
  return new GoError(`${what} is not supported yet`);
}
