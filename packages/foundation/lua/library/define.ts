import type { Machine } from '../run/machine.ts';
import { LuaTable } from '../run/table.ts';
import { Builtin, type LuaValue } from '../run/value.ts';
import { Arguments } from './arguments.ts';

export type LibraryFunction = (args: Arguments, machine: Machine) => LuaValue[];

/** A function of the library as a value. */
export function builtin(machine: Machine, name: string, run: LibraryFunction): Builtin {
  return new Builtin(name, (values) => run(new Arguments(machine, values), machine));
}

/** A library; a table that is given gets the functions beside its own. They are made when somebody looks for one. */
export function fill(
  machine: Machine,
  functions: Readonly<Record<string, LibraryFunction>>,
  table = new LuaTable(),
): LuaTable {
  table.later(() => {
    for (const name in functions) table.set(name, builtin(machine, name, functions[name] as LibraryFunction));
  });
  return table;
}

/** A function that is there to say why it does not work. */
export function refused(why: string): LibraryFunction {
  return (_args, machine) => {
    throw machine.error(`${machine.calleeName()} is not available here: ${why}`);
  };
}
