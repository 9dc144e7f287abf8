import type { Builtin } from './builtin.ts';
import { collections } from './collections.ts';
import { encodings } from './encodings.ts';
import { numbers } from './numbers.ts';
import { texts } from './texts.ts';
import { times } from './times.ts';

/** The functions that are built in, but for those that take predicates. */
export const builtins: ReadonlyMap<string, Builtin> = new Map(
  Object.entries({ ...texts, ...numbers, ...collections, ...encodings, ...times }),
);
