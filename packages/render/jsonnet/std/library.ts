import type { Machine } from '../machine/machine.ts';
import { type Field, JsonnetObject, type Value } from '../machine/values.ts';
import { arrays } from './arrays.ts';
import { manifests } from './manifest.ts';
import { type Library, nativeFunction, textOf } from './native.ts';
import { numbers } from './numbers.ts';
import { objects } from './objects.ts';
import { strings } from './strings.ts';

export interface Surroundings {
  /** The value of an external variable; undefined if there is none. */
  external(name: string): Value | undefined;
  /** What `std.trace` tells. */
  trace(message: string): void;
}

/** The object `std`. Of no program, no file and no clock: functions alone, and what `surroundings` answers. */
export function standardLibrary(machine: Machine, surroundings: Surroundings): JsonnetObject {
  const own: Library = {
    'extVar(x)': (_, slot) => {
      const name = textOf(machine, slot);
      const value = surroundings.external(name);
      if (value === undefined) throw machine.fail(`Undefined external variable: ${name}`);
      return value;
    },
    'native(x)': () => null,
    'trace(str, rest)': (_, text, rest) => {
      surroundings.trace(textOf(machine, text));
      return machine.force(rest);
    },
  };
  const hidden = (value: () => Value): Field => ({ visibility: 'hidden', plus: false, value });
  const fields = new Map<string, Field>();
  for (const [signature, native] of Object.entries({
    ...strings,
    ...numbers,
    ...arrays,
    ...objects,
    ...manifests,
    ...own,
  }))
    fields.set(
      signature.slice(0, signature.indexOf('(')),
      hidden(() => nativeFunction(machine, signature, native)),
    );
  fields.set(
    'pi',
    hidden(() => Math.PI),
  );
  return new JsonnetObject([{ fields }]);
}

/** `std` as one file sees it. */
export function libraryOf(std: JsonnetObject, file: string): JsonnetObject {
  return new JsonnetObject([
    ...std.layers,
    { fields: new Map([['thisFile', { visibility: 'hidden', plus: false, value: () => file }]]) },
  ]);
}
