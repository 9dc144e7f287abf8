import { compileFunction } from '../run/compile.ts';
import { LuaError } from '../run/lua-error.ts';
import type { Machine } from '../run/machine.ts';
import { decimalNumber, integerNumber } from '../run/numbers.ts';
import { show, typeName } from '../run/show.ts';
import { LuaTable } from '../run/table.ts';
import { type Builtin, isFunction, isTruthy, LuaFunction, type LuaValue } from '../run/value.ts';
import { parseChunk } from '../syntax/parser.ts';
import { LuaSyntaxError } from '../syntax/syntax-error.ts';
import type { Arguments } from './arguments.ts';
import { builtin, fill, type LibraryFunction, refused } from './define.ts';

const noFiles = 'a script can reach no files';

const functions: Readonly<Record<string, LibraryFunction>> = {
  assert(args, machine) {
    if (!isTruthy(args.get(1))) throw machine.error(args.optionalString(2, 'assertion failed!'));
    return args.values;
  },
  collectgarbage: () => [],
  dofile: refused(noFiles),
  loadfile: refused(noFiles),
  module: refused('a script is one chunk'),
  newproxy: refused('there is no user data'),
  error(args, machine) {
    const value = args.any(1);
    const level = args.optionalInteger(2, 1);
    if (typeof value !== 'string' || level <= 0) throw new LuaError(value, machine.line());
    throw errorAt(machine, value, level);
  },
  getfenv: (args, machine) => {
    const target = environmentOwner(args, machine);
    return [target instanceof LuaFunction ? target.globals : machine.globals];
  },
  setfenv(args, machine) {
    const globals = args.table(2);
    const target = environmentOwner(args, machine);
    if (!(target instanceof LuaFunction)) throw machine.error('cannot change the environment of given object');
    target.globals = globals;
    return [target];
  },
  getmetatable(args, machine) {
    const metatable = machine.metatable(args.any(1));
    return [metatable?.get('__metatable') ?? metatable];
  },
  setmetatable(args, machine) {
    const [object, metatable] = [args.get(1), args.get(2)];
    if (metatable !== undefined && !(metatable instanceof LuaTable))
      throw machine.argumentError(2, `nil or table expected, got ${typeName(metatable)}`);
    if (object === undefined) throw machine.error('cannot set metatable to a nil object.');
    if (machine.metatable(object)?.get('__metatable') !== undefined)
      throw machine.error('cannot change a protected metatable');
    if (!(object instanceof LuaTable)) throw machine.argumentError(1, `table expected, got ${typeName(object)}`);
    object.metatable = metatable;
    return [object];
  },
  load(args, machine) {
    const reader = args.function(1);
    let text = '';
    for (;;) {
      const [part] = machine.call(reader, []);
      if (part === undefined || part === '') break;
      if (typeof part !== 'string' && typeof part !== 'number')
        return [undefined, 'reader function must return a string'];
      machine.bounds.text(text.length + show(part).length, show(part).length);
      text += show(part);
    }
    return load(machine, text);
  },
  loadstring: (args, machine) => load(machine, args.string(1)),
  next: (args, machine) => next(machine, args.table(1), args.get(2)),
  pcall(args, machine) {
    const callee = args.any(1);
    if (!isFunction(callee) && !isFunction(machine.metamethod(callee, '__call')))
      return [false, `attempt to call a ${typeName(callee)} value`];
    return attempt(() => machine.call(callee, args.values.slice(1)));
  },
  xpcall(args, machine) {
    const [callee, handler] = [args.function(1), args.function(2)];
    return attempt(
      () => machine.call(callee, []),
      (value) => machine.call(handler, [value]).slice(0, 1),
    );
  },
  print: (args, machine) => {
    for (const value of args.values) machine.bounds.work(toText(machine, value).length >> 5);
    return [];
  },
  rawequal: (args) => [args.any(1) === args.any(2)],
  rawget: (args) => [args.table(1).get(args.any(2))],
  rawset(args, machine) {
    machine.rawSet(args.table(1), args.any(2), args.any(3));
    return [];
  },
  require(args, machine) {
    const name = args.string(1);
    const library = machine.registry.get(name);
    if (library === undefined)
      throw machine.error(`module ${name} not found: a script can only require what is built in`);
    return [library];
  },
  select(args, machine) {
    const which = args.get(1);
    if (which === '#') return [args.count - 1];
    if (typeof which === 'string') throw machine.argumentError(1, `invalid string '${which}'`);
    if (typeof which !== 'number') throw machine.argumentError(1, `number or string expected, got ${typeName(which)}`);
    const index = Math.trunc(which);
    const from = index < 0 ? args.count + index : Math.min(index, args.count);
    if (from < 1) throw machine.argumentError(1, 'index out of range');
    return args.values.slice(from);
  },
  tonumber(args, machine) {
    const value = args.any(1);
    const base = args.optionalInteger(2, 10);
    if (typeof value !== 'string') return [typeof value === 'number' ? value : undefined];
    machine.bounds.work(value.length >> 5);
    const text = value.replace(/^[ \n\t]+|(?<![ \n\t])[ \n\t]+$/g, '');
    if (text.includes('.')) return [decimalNumber(text)];
    const hex = args.get(2) === undefined && /^0x/i.test(text);
    return [hex ? integerNumber(text.slice(2), 16) : integerNumber(text, base)];
  },
  tostring: (args, machine) => [toText(machine, args.any(1))],
  type: (args) => [typeName(args.any(1))],
  unpack(args, machine) {
    const table = args.table(1);
    const [start, end] = [args.optionalInteger(2, 1), args.optionalInteger(3, table.length)];
    if (end - start >= 250_000) throw machine.error('too many results to unpack');
    const values: LuaValue[] = [];
    for (let i = start; i <= end; i++) values.push(table.get(i));
    machine.bounds.work(values.length);
    return values;
  },
};

/** Fills the globals with the base library. */
export function openBase(machine: Machine): void {
  const { globals } = machine;
  fill(machine, functions, globals);
  globals.set('_G', globals);
  globals.set('_VERSION', 'Lua 5.1');
  const step = builtin(machine, 'next', (args) => next(machine, args.table(1), args.get(2)));
  globals.set(
    'pairs',
    builtin(machine, 'pairs', (args) => [step, args.table(1), undefined]),
  );
  const count = builtin(machine, 'ipairs', (args) => {
    const index = args.integer(2) + 1;
    const value = args.table(1).get(index);
    return value === undefined ? [] : [index, value];
  });
  globals.set(
    'ipairs',
    builtin(machine, 'ipairs', (args) => [count, args.table(1), 0]),
  );
  machine.registry.set('_G', globals);
}

/** The text of a value, by `__tostring` where its metatable has it. */
export function toText(machine: Machine, value: LuaValue): string {
  const handler = machine.metamethod(value, '__tostring');
  if (!isFunction(handler)) return show(value);
  const [text] = machine.call(handler, [value]);
  return show(text);
}

function next(machine: Machine, table: LuaTable, key: LuaValue): LuaValue[] {
  const entry = table.next(key);
  if (entry === null) throw machine.error('invalid key to next');
  return entry ?? [undefined];
}

/** The results after true, or false and the error. What stopped the script is not caught. */
function attempt(run: () => LuaValue[], handle: (value: LuaValue) => LuaValue[] = (value) => [value]): LuaValue[] {
  try {
    return [true, ...run()];
  } catch (error) {
    if (!(error instanceof LuaError)) throw error;
    return [false, ...handle(error.value)];
  }
}

function load(machine: Machine, text: string): LuaValue[] {
  machine.bounds.work(text.length);
  try {
    return [new LuaFunction(compileFunction(parseChunk(text)), [], machine.globals)];
  } catch (error) {
    if (!(error instanceof LuaSyntaxError)) throw error;
    return [undefined, `<string> line:${error.line}: ${error.message}`];
  }
}

/** Levels 1 and 2 are both the function that calls `error`, as upstream; 3 is the one that called it. */
function errorAt(machine: Machine, message: string, level: number): LuaError {
  const frame = machine.thread.frames.at(-Math.max(1, level - 1));
  const line = frame ? (frame.function.prototype.lines[Math.max(frame.at, 0) / 3] ?? 0) : 0;
  return new LuaError(frame ? `<string>:${line}: ${message}` : ` ${message}`, line);
}

function environmentOwner(args: Arguments, machine: Machine): LuaFunction | Builtin | undefined {
  const value = args.get(1) ?? 1;
  if (isFunction(value)) return value;
  if (typeof value !== 'number' || value <= 0) return undefined;
  return machine.thread.frames.at(-Math.trunc(value))?.function;
}
