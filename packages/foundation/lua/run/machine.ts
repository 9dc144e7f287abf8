import { Bounds, type Limits } from './bounds.ts';
import { LuaError } from './lua-error.ts';
import { coerceNumber } from './numbers.ts';
import { show, typeName } from './show.ts';
import { LuaTable } from './table.ts';
import { type Frame, Thread } from './thread.ts';
import { Builtin, isFunction, isTruthy, type LuaFunction, type LuaValue } from './value.ts';

type Run = (machine: Machine, thread: Thread, base: number) => LuaValue[] | typeof yielded;

/** What a builtin returns to suspend the coroutine; the values are in `machine.yields`. */
export const yielded: LuaValue[] = [];

const longestChain = 100;

/**
 * The state of one script: globals, limits, coroutines; and the rules of values that instructions and library share.
 * The loop over instructions is given to it.
 */
export class Machine {
  readonly bounds: Bounds;
  readonly globals = new LuaTable();
  readonly registry = new Map<string, LuaValue>();
  stringMetatable: LuaTable | undefined;
  thread = new Thread(undefined);
  yields: LuaValue[] = [];
  readonly #run: Run;
  #nested = 0;
  /** How many frames there were when a builtin called another one, which no text names then. */
  #direct = -1;

  constructor(limits: Limits, run: Run) {
    this.bounds = new Bounds(limits, () => this.line());
    this.#run = run;
    this.thread.status = 'running';
  }

  /** The line of the innermost Lua function; 0 outside. */
  line(): number {
    const frame = this.thread.frames.at(-1);
    return frame ? (frame.function.prototype.lines[Math.max(frame.at, 0) / 3] ?? 0) : 0;
  }

  /** An error that tells its line, as those of the language do. */
  error(message: string): LuaError {
    const line = this.line();
    return new LuaError(`<string>:${line}: ${message}`, line);
  }

  /** What the text calls the builtin that runs. */
  calleeName(): string {
    if (this.#direct === this.thread.frames.length) return '(anonymous)';
    const frame = this.thread.frames.at(-1);
    return frame?.function.prototype.callNames.get(frame.at) ?? '?';
  }

  argumentError(position: number, message: string): LuaError {
    return this.error(`bad argument #${position} to ${this.calleeName()} (${message})`);
  }

  enter(callee: LuaFunction, args: LuaValue[], wanted: number): Frame {
    const { prototype } = callee;
    const { frames } = this.thread;
    if (frames.length + this.#nested >= this.bounds.limits.depth) throw this.error('stack overflow');
    const stack: Frame['stack'] = new Array(prototype.slots);
    for (let i = 0; i < prototype.parameters; i++) stack[i] = args[i];
    for (const slot of prototype.shared) stack[slot] = { value: args[slot] };
    const varargs = prototype.variadic ? args.slice(prototype.parameters) : [];
    const frame: Frame = { function: callee, at: -3, stack, top: prototype.slots, varargs, wanted };
    frames.push(frame);
    return frame;
  }

  /** Calls any value from a builtin or a metamethod. Nothing can yield across it. */
  call(callee: LuaValue, args: LuaValue[]): LuaValue[] {
    const target = isFunction(callee) ? callee : this.callable(callee, args);
    if (target instanceof Builtin) return this.#callBuiltin(target, args);
    const { thread } = this;
    const base = thread.frames.length;
    const outer = thread.base;
    this.enter(target, args, -1);
    thread.base = base;
    this.#nested++;
    try {
      return this.#run(this, thread, base);
    } catch (error) {
      thread.frames.length = base;
      throw error;
    } finally {
      thread.base = outer;
      this.#nested--;
    }
  }

  #callBuiltin(callee: Builtin, args: LuaValue[]): LuaValue[] {
    const outer = this.#direct;
    this.#direct = this.thread.frames.length;
    if (++this.#nested > this.bounds.limits.depth) throw this.error('stack overflow');
    try {
      const results = callee.run(args);
      if (results === yielded) throw this.error('attempt to yield across metamethod/C-call boundary');
      return results;
    } finally {
      this.#nested--;
      this.#direct = outer;
    }
  }

  /** Runs a coroutine until it yields or ends. */
  resume(thread: Thread, args: LuaValue[]): LuaValue[] {
    const outer = this.thread;
    if (this.#nested >= this.bounds.limits.depth) throw this.error('stack overflow');
    outer.status = 'normal';
    thread.status = 'running';
    this.thread = thread;
    this.#nested++;
    try {
      const results = thread.started ? this.#goOn(thread, args) : this.#begin(thread, args);
      thread.status = results === yielded ? 'suspended' : 'dead';
      return results === yielded ? this.yields : results;
    } catch (error) {
      thread.status = 'dead';
      throw error;
    } finally {
      this.#nested--;
      this.thread = outer;
      outer.status = 'running';
    }
  }

  #begin(thread: Thread, args: LuaValue[]): LuaValue[] {
    thread.started = true;
    if (thread.start instanceof Builtin) return thread.start.run(args);
    this.enter(thread.start as LuaFunction, args, -1);
    return this.#run(this, thread, 0);
  }

  #goOn(thread: Thread, args: LuaValue[]): LuaValue[] {
    this.yields = args;
    return this.#run(this, thread, 0);
  }

  /** What a call of a value that is no function calls; puts the value before the arguments. */
  callable(value: LuaValue, args: LuaValue[]): LuaFunction | Builtin {
    const handler = this.metamethod(value, '__call');
    if (!isFunction(handler)) throw this.error('attempt to call a non-function object');
    args.unshift(value);
    return handler;
  }

  metatable(value: LuaValue): LuaTable | undefined {
    if (value instanceof LuaTable) return value.metatable;
    return typeof value === 'string' ? this.stringMetatable : undefined;
  }

  metamethod(value: LuaValue, event: string): LuaValue {
    return this.metatable(value)?.get(event);
  }

  index(object: LuaValue, key: LuaValue): LuaValue {
    let current = object;
    if (typeof key === 'string' && key.length > 256) this.bounds.work(key.length >> 6);
    for (let i = 0; i < longestChain; i++) {
      const table = current instanceof LuaTable ? current : undefined;
      const value = table?.get(key);
      if (value !== undefined) return value;
      const handler = this.metamethod(current, '__index');
      if (handler === undefined) {
        if (table) return undefined;
        throw this.error(
          `attempt to index a non-table object(${typeName(current)}) with key '${show(key).slice(0, 200)}'`,
        );
      }
      if (isFunction(handler)) return this.call(handler, [current, key])[0];
      current = handler;
    }
    throw this.error('too many recursions in gettable');
  }

  setIndex(object: LuaValue, key: LuaValue, value: LuaValue): void {
    let current = object;
    for (let i = 0; i < longestChain; i++) {
      const table = current instanceof LuaTable ? current : undefined;
      const plain = table && (table.metatable === undefined || table.get(key) !== undefined);
      const handler = plain ? undefined : this.metamethod(current, '__newindex');
      if (handler === undefined) {
        if (table) {
          this.rawSet(table, key, value);
          return;
        }
        throw this.error(
          `attempt to index a non-table object(${typeName(current)}) with key '${show(key).slice(0, 200)}'`,
        );
      }
      if (isFunction(handler)) {
        this.call(handler, [current, key, value]);
        return;
      }
      current = handler;
    }
    throw this.error('too many recursions in settable');
  }

  rawSet(table: LuaTable, key: LuaValue, value: LuaValue): void {
    if (key === undefined) throw this.error('table index is nil');
    if (typeof key === 'number' && Number.isNaN(key)) throw this.error('table index is NaN');
    const length = typeof key === 'string' ? key.length : 0;
    this.bounds.work(table.set(key, value) + (length > 256 ? length >> 6 : 0));
  }

  /** What two operands that are not both numbers give. */
  arithmetic(event: string, left: LuaValue, right: LuaValue, compute: (a: number, b: number) => number): LuaValue {
    const handler = this.metamethod(left, event) ?? this.metamethod(right, event);
    if (isFunction(handler)) return this.call(handler, [left, right])[0];
    const [a, b] = [this.#number(left), this.#number(right)];
    if (a !== undefined && b !== undefined) return compute(a, b);
    throw this.error(
      `cannot perform ${event.slice(2)} operation between ${a === undefined ? typeName(left) : 'number'} and ${b === undefined ? typeName(right) : 'number'}`,
    );
  }

  #number(value: LuaValue): number | undefined {
    if (typeof value !== 'string') return typeof value === 'number' ? value : undefined;
    this.bounds.work(value.length >> 5);
    return coerceNumber(value);
  }

  negate(value: LuaValue): LuaValue {
    const handler = this.metamethod(value, '__unm');
    if (isFunction(handler)) return this.call(handler, [value])[0];
    const number = this.#number(value);
    if (number === undefined) throw this.error('__unm undefined');
    return -number;
  }

  lengthOf(value: LuaValue): LuaValue {
    if (typeof value === 'string') return value.length;
    const handler = this.metamethod(value, '__len');
    if (isFunction(handler)) return this.call(handler, [value])[0];
    if (value instanceof LuaTable) return value.length;
    throw this.error('__len undefined');
  }

  concat(left: LuaValue, right: LuaValue): LuaValue {
    if (isText(left) && isText(right)) {
      const [a, b] = [show(left), show(right)];
      // Long texts are joined without a copy; anyone who reads the result pays for it.
      this.bounds.text(a.length + b.length, Math.min(a.length, b.length) + 1);
      return a + b;
    }
    const handler = this.metamethod(left, '__concat') ?? this.metamethod(right, '__concat');
    if (isFunction(handler)) return this.call(handler, [left, right])[0];
    throw this.error(`cannot perform concat operation between ${typeName(left)} and ${typeName(right)}`);
  }

  equal(left: LuaValue, right: LuaValue): boolean {
    if (typeof left === 'string' && typeof right === 'string' && left.length === right.length && left.length > 256)
      this.bounds.work(left.length >> 5);
    if (left === right) return true;
    if (!(left instanceof LuaTable && right instanceof LuaTable)) return false;
    return this.#compare('__eq', left, right) ?? false;
  }

  less(left: LuaValue, right: LuaValue): boolean {
    if (typeof left === 'number' && typeof right === 'number') return left < right;
    if (typeof left === 'string' && typeof right === 'string') {
      this.#charge(left, right);
      return left < right;
    }
    return this.#comparison('__lt', left, right) ?? this.#incomparable(left, right);
  }

  lessOrEqual(left: LuaValue, right: LuaValue): boolean {
    if (typeof left === 'number' && typeof right === 'number') return left <= right;
    if (typeof left === 'string' && typeof right === 'string') {
      this.#charge(left, right);
      return left <= right;
    }
    const result = this.#comparison('__le', left, right);
    if (result !== undefined) return result;
    return !(this.#comparison('__lt', right, left) ?? this.#incomparable(left, right));
  }

  #charge(left: string, right: string): void {
    const shorter = Math.min(left.length, right.length);
    if (shorter > 256) this.bounds.work(shorter >> 5);
  }

  #comparison(event: string, left: LuaValue, right: LuaValue): boolean | undefined {
    return typeName(left) === typeName(right) ? this.#compare(event, left, right) : undefined;
  }

  /** Both operands have to agree on the handler. */
  #compare(event: string, left: LuaValue, right: LuaValue): boolean | undefined {
    const handler = this.metamethod(left, event);
    if (!isFunction(handler) || handler !== this.metamethod(right, event)) return undefined;
    return isTruthy(this.call(handler, [left, right])[0]);
  }

  #incomparable(left: LuaValue, right: LuaValue): never {
    throw this.error(`attempt to compare ${typeName(left)} with ${typeName(right)}`);
  }
}

function isText(value: LuaValue): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
