import type { Machine } from '../run/machine.ts';
import { LuaTable } from '../run/table.ts';
import { Builtin, type LuaValue } from '../run/value.ts';
import { Arguments } from './arguments.ts';

export type LibraryFunction = (args: Arguments, machine: Machine) => LuaValue[];

/** A function of the library as a value. */
export function builtin(machine: Machine, name: string, run: LibraryFunction): Builtin {
  return new Builtin(name, (values) => run(new Arguments(machine, values), machine));
}

/** Puts functions into a table, which is made if none is given. */
export function fill(
  machine: Machine,
  functions: Readonly<Record<string, LibraryFunction>>,
  table = new LuaTable(),
): LuaTable {
  for (const [name, run] of Object.entries(functions)) table.set(name, builtin(machine, name, run));
  return table;
}

/** A function that is there to say why it does not work. */
export function refused(why: string): LibraryFunction {
  return (_args, machine) => {
    throw machine.error(`${machine.calleeName()} is not available here: ${why}`);
  };
}
