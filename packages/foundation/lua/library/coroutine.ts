import { LuaError } from '../run/lua-error.ts';
import { type Machine, yielded } from '../run/machine.ts';
import { typeName } from '../run/show.ts';
import { Thread } from '../run/thread.ts';
import type { LuaValue } from '../run/value.ts';
import type { Arguments } from './arguments.ts';
import { builtin, fill, type LibraryFunction } from './define.ts';

const functions: Readonly<Record<string, LibraryFunction>> = {
  create: (args) => [new Thread(args.function(1))],
  resume(args, machine) {
    const coroutine = thread(args);
    const refusal = refusalOf(coroutine);
    if (refusal) return [false, refusal];
    try {
      return [true, ...machine.resume(coroutine, args.values.slice(1))];
    } catch (error) {
      if (!(error instanceof LuaError)) throw error;
      return [false, error.value];
    }
  },
  running: (_args, machine) => [machine.thread.start === undefined ? undefined : machine.thread],
  status: (args) => [thread(args).status],
  wrap(args, machine) {
    const coroutine = new Thread(args.function(1));
    return [
      builtin(machine, 'wrap', (inner) => {
        const refusal = refusalOf(coroutine);
        if (refusal) throw machine.error(refusal);
        return machine.resume(coroutine, inner.values);
      }),
    ];
  },
  yield(args, machine) {
    const { thread } = machine;
    if (thread.start === undefined) throw machine.error('can not yield from outside of a coroutine');
    if (thread.base > 0) throw machine.error('attempt to yield across metamethod/C-call boundary');
    machine.yields = args.values;
    return yielded;
  },
};

function thread(args: Arguments): Thread {
  const value: LuaValue = args.get(1);
  if (value instanceof Thread) return value;
  throw args.machine.argumentError(1, `thread expected, got ${typeName(value)}`);
}

function refusalOf({ status }: Thread): string | undefined {
  if (status === 'suspended') return undefined;
  return `can not resume a ${status === 'dead' ? 'dead' : 'running'} thread`;
}

export function openCoroutine(machine: Machine): void {
  const library = fill(machine, functions);
  machine.globals.set('coroutine', library);
  machine.registry.set('coroutine', library);
}
