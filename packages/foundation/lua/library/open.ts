import type { Machine } from '../run/machine.ts';
import { LuaTable } from '../run/table.ts';
import { openBase } from './base.ts';
import { openCoroutine } from './coroutine.ts';
import { builtin, fill, refused } from './define.ts';
import { openMath } from './math.ts';
import { openOs } from './os.ts';
import { openString } from './string.ts';
import { openTable } from './table.ts';

/** Opens what upstream opens: base, table and the safe half of os; with `open` the other libraries as well. */
export function openLibraries(machine: Machine, now: () => number, open: boolean): void {
  openBase(machine);
  openTable(machine);
  openOs(machine, now, open);
  const library = fill(machine, {
    loadlib: refused('there are no native libraries'),
    seeall: refused('there are no modules'),
  });
  if (open) {
    openString(machine);
    openMath(machine);
    openCoroutine(machine);
    openRefusals(machine);
  }
  library.later(() => {
    const loaded = new LuaTable();
    for (const [name, value] of machine.registry) loaded.set(name, value);
    library.set('loaded', loaded);
  });
  machine.globals.set('package', library);
}

/** Libraries that a script finds, and that tell it why it cannot have them. */
function openRefusals(machine: Machine): void {
  for (const [name, why] of [
    ['io', 'a script can reach no files'],
    ['channel', 'a script runs alone'],
  ] as const) {
    const library = new LuaTable();
    library.metatable = fill(machine, { __index: refused(`${name}: ${why}`) });
    machine.globals.set(name, library);
  }
  const debug = new LuaTable();
  debug.set(
    'traceback',
    builtin(machine, 'traceback', (args) => [args.get(1) ?? '']),
  );
  debug.metatable = fill(machine, { __index: refused('debug: a script cannot look into the interpreter') });
  machine.globals.set('debug', debug);
}
