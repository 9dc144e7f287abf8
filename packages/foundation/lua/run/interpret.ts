import { type Machine, yielded } from './machine.ts';
import { operations as op } from './operations.ts';
import { LuaTable } from './table.ts';
import type { Frame, Slot, Thread } from './thread.ts';
import { type Builtin, type Cell, isFunction, isTruthy, LuaFunction, type LuaValue } from './value.ts';

/**
 * Runs the topmost frame of a coroutine until the frames above `base` have returned, and gives what the lowest of them
 * returned; or `yielded`. A frame whose `at` is a call goes on with `machine.yields` as the results of that call.
 */
export function interpret(machine: Machine, thread: Thread, base: number): LuaValue[] {
  const { frames } = thread;
  const { bounds } = machine;
  let frame = frames.at(-1) as Frame;
  let { stack, top } = frame;
  let { code, constants } = frame.function.prototype;
  if (frame.at >= 0) {
    top = deliver(stack, top, machine.yields, code[frame.at + 2] as number);
  }
  let at = frame.at + 3;

  /** Goes on with the topmost frame, at what follows the instruction that it stands at. */
  const load = () => {
    frame = frames.at(-1) as Frame;
    ({ stack, top } = frame);
    ({ code, constants } = frame.function.prototype);
    at = frame.at + 3;
  };

  for (;;) {
    if (--bounds.steps < 0) bounds.work(0);
    const a = code[at + 1] as number;
    const b = code[at + 2] as number;
    frame.at = at;
    switch (code[at]) {
      case op.constant:
        stack[top++] = constants[a];
        break;
      case op.local:
        stack[top++] = stack[a];
        break;
      case op.setLocal:
        stack[a] = stack[--top];
        break;
      case op.cell:
        stack[top++] = (stack[a] as Cell).value;
        break;
      case op.setCell:
        (stack[a] as Cell).value = stack[--top] as LuaValue;
        break;
      case op.newCell:
        stack[a] = { value: stack[--top] as LuaValue };
        break;
      case op.captured:
        stack[top++] = frame.function.captures[a]?.value;
        break;
      case op.setCaptured:
        (frame.function.captures[a] as Cell).value = stack[--top] as LuaValue;
        break;
      case op.global: {
        const { globals } = frame.function;
        const value = globals.get(constants[a]);
        stack[top++] = value === undefined && globals.metatable ? machine.index(globals, constants[a]) : value;
        break;
      }
      case op.setGlobal:
        machine.setIndex(frame.function.globals, constants[a], stack[--top] as LuaValue);
        break;
      case op.index:
        top--;
        stack[top - 1] = machine.index(stack[top - 1] as LuaValue, stack[top] as LuaValue);
        break;
      case op.field: {
        const object = stack[top - 1] as LuaValue;
        const value = object instanceof LuaTable ? object.get(constants[a]) : undefined;
        stack[top - 1] = value === undefined ? machine.index(object, constants[a]) : value;
        break;
      }
      case op.setIndex:
        top -= 3;
        machine.setIndex(stack[top] as LuaValue, stack[top + 1] as LuaValue, stack[top + 2] as LuaValue);
        break;
      case op.setIndexAt: {
        const value = stack[--top] as LuaValue;
        machine.setIndex(stack[top - a] as LuaValue, stack[top - a + 1] as LuaValue, value);
        break;
      }
      case op.setField:
        top -= 2;
        machine.setIndex(stack[top] as LuaValue, constants[a], stack[top + 1] as LuaValue);
        break;
      case op.method: {
        const object = stack[top - 1] as LuaValue;
        stack[top - 1] = machine.index(object, constants[a]);
        stack[top++] = object;
        break;
      }
      case op.call:
      case op.callSpread:
      case op.tailCall:
      case op.tailCallSpread: {
        const args = take(stack, top, a, code[at] === op.callSpread || code[at] === op.tailCallSpread);
        top -= a + 1;
        const value = stack[top] as LuaValue;
        const callee = isFunction(value) ? value : machine.callable(value, args);
        const tail = code[at] === op.tailCall || code[at] === op.tailCallSpread;
        if (callee instanceof LuaFunction) {
          if (tail) {
            frames.pop();
            machine.enter(callee, args, frame.wanted);
          } else {
            frame.top = top;
            machine.enter(callee, args, b);
          }
          load();
          continue;
        }
        const results = (callee as Builtin).run(args);
        if (results === yielded) {
          frame.top = top;
          return yielded;
        }
        top = deliver(stack, top, results, b);
        break;
      }
      case op.return:
      case op.returnSpread: {
        const results = take(stack, top, a, code[at] === op.returnSpread);
        const { wanted } = frame;
        frames.pop();
        if (frames.length === base) return results;
        load();
        at -= 3;
        top = deliver(stack, top, results, wanted);
        break;
      }
      case op.varargs:
        top = deliver(stack, top, frame.varargs as LuaValue[], a);
        break;
      case op.closure: {
        const prototype = frame.function.prototype.prototypes[a] as NonNullable<
          (typeof frame.function.prototype.prototypes)[number]
        >;
        const captures = prototype.captures.map((from) =>
          from < 0 ? (frame.function.captures[-1 - from] as Cell) : (stack[from] as Cell),
        );
        stack[top++] = new LuaFunction(prototype, captures, frame.function.globals);
        break;
      }
      case op.jump:
        at = a;
        continue;
      case op.jumpIfFalse:
        if (!isTruthy(stack[--top] as LuaValue)) {
          at = a;
          continue;
        }
        break;
      case op.and:
        if (!isTruthy(stack[top - 1] as LuaValue)) {
          at = a;
          continue;
        }
        top--;
        break;
      case op.or:
        if (isTruthy(stack[top - 1] as LuaValue)) {
          at = a;
          continue;
        }
        top--;
        break;
      case op.add:
      case op.subtract:
      case op.multiply:
      case op.divide:
      case op.modulo:
      case op.power: {
        const right = stack[--top] as LuaValue;
        const left = stack[top - 1] as LuaValue;
        const { event, compute } = arithmetic[(code[at] as number) - op.add] as (typeof arithmetic)[number];
        stack[top - 1] =
          typeof left === 'number' && typeof right === 'number'
            ? compute(left, right)
            : machine.arithmetic(event, left, right, compute);
        break;
      }
      case op.concat: {
        let value = stack[--top] as LuaValue;
        for (let i = 1; i < a; i++) value = machine.concat(stack[--top] as LuaValue, value);
        stack[top++] = value;
        break;
      }
      case op.equal:
        top--;
        stack[top - 1] = machine.equal(stack[top - 1] as LuaValue, stack[top] as LuaValue);
        break;
      case op.notEqual:
        top--;
        stack[top - 1] = !machine.equal(stack[top - 1] as LuaValue, stack[top] as LuaValue);
        break;
      case op.less:
        top--;
        stack[top - 1] = machine.less(stack[top - 1] as LuaValue, stack[top] as LuaValue);
        break;
      case op.lessOrEqual:
        top--;
        stack[top - 1] = machine.lessOrEqual(stack[top - 1] as LuaValue, stack[top] as LuaValue);
        break;
      case op.greater:
        top--;
        stack[top - 1] = machine.less(stack[top] as LuaValue, stack[top - 1] as LuaValue);
        break;
      case op.greaterOrEqual:
        top--;
        stack[top - 1] = machine.lessOrEqual(stack[top] as LuaValue, stack[top - 1] as LuaValue);
        break;
      case op.not:
        stack[top - 1] = !isTruthy(stack[top - 1] as LuaValue);
        break;
      case op.negate: {
        const value = stack[top - 1] as LuaValue;
        stack[top - 1] = typeof value === 'number' ? -value : machine.negate(value);
        break;
      }
      case op.length:
        stack[top - 1] = machine.lengthOf(stack[top - 1] as LuaValue);
        break;
      case op.table:
        stack[top++] = new LuaTable();
        break;
      case op.setItem: {
        const value = stack[--top] as LuaValue;
        machine.rawSet(stack[top - 1] as LuaTable, a, value);
        break;
      }
      case op.setItems: {
        const values = stack[--top] as LuaValue[];
        for (const [i, value] of values.entries()) machine.rawSet(stack[top - 1] as LuaTable, a + i, value);
        break;
      }
      case op.setEntry:
        top -= 2;
        machine.rawSet(stack[top - 1] as LuaTable, stack[top] as LuaValue, stack[top + 1] as LuaValue);
        break;
      case op.pop:
        top -= a;
        break;
      case op.countStart: {
        top -= 3;
        for (const [i, name] of ['init', 'limit', 'step'].entries()) {
          const bound = stack[top + i];
          if (typeof bound !== 'number') throw machine.error(`for statement ${name} must be a number`);
          stack[a + i] = bound;
        }
        const [start, limit, step] = [stack[a], stack[a + 1], stack[a + 2]] as [number, number, number];
        if (!(step > 0 ? start <= limit : start >= limit)) {
          at = b;
          continue;
        }
        stack[top++] = start;
        break;
      }
      case op.countNext: {
        const [last, limit, step] = [stack[a], stack[a + 1], stack[a + 2]] as [number, number, number];
        const next = last + step;
        if (step > 0 ? next <= limit : next >= limit) {
          stack[a] = next;
          stack[top++] = next;
          at = b;
          continue;
        }
        break;
      }
      case op.iterate: {
        const args = [stack[a + 1] as LuaValue, stack[a + 2] as LuaValue];
        const value = stack[a] as LuaValue;
        const callee = isFunction(value) ? value : machine.callable(value, args);
        if (callee instanceof LuaFunction) {
          frame.top = top;
          machine.enter(callee, args, b);
          load();
          continue;
        }
        const results = (callee as Builtin).run(args);
        if (results === yielded) {
          frame.top = top;
          return yielded;
        }
        top = deliver(stack, top, results, b);
        break;
      }
      case op.iterateTest:
        if (stack[top - 1] === undefined) {
          top--;
          at = b;
          continue;
        }
        stack[a + 2] = stack[top - 1];
        break;
    }
    at += 3;
  }
}

const arithmetic: readonly { readonly event: string; compute(a: number, b: number): number }[] = [
  { event: '__add', compute: (a, b) => a + b },
  { event: '__sub', compute: (a, b) => a - b },
  { event: '__mul', compute: (a, b) => a * b },
  { event: '__div', compute: (a, b) => a / b },
  { event: '__mod', compute: modulo },
  { event: '__pow', compute: (a, b) => a ** b },
];

/** The result has the sign of the divisor. */
function modulo(a: number, b: number): number {
  const rest = a % b;
  return (b > 0 && rest < 0) || (b < 0 && rest > 0) ? rest + b : rest;
}

/** Pushes as many results as are wanted, or all as one pack; the new top. */
function deliver(stack: Slot[], top: number, results: LuaValue[], wanted: number): number {
  if (wanted < 0) {
    stack[top] = results;
    return top + 1;
  }
  for (let i = 0; i < wanted; i++) stack[top + i] = results[i];
  return top + wanted;
}

/** The last values of the stack; with `spread` the last of them is a pack. */
function take(stack: readonly Slot[], top: number, count: number, spread: boolean): LuaValue[] {
  const values = stack.slice(top - count, top) as LuaValue[];
  if (!spread) return values;
  const pack = values.pop() as unknown as LuaValue[];
  for (const value of pack) values.push(value);
  return values;
}
