import type {
  ApplyNode,
  Bind,
  ForSpec,
  FunctionNode,
  ImportNode,
  Node,
  ObjectComprehension,
  ObjectNode,
} from '../language/syntax.ts';
import { arithmetic } from './arithmetic.ts';
import { indexValue, sliceValue } from './indexing.ts';
import type { Machine } from './machine.ts';
import {
  type Field,
  JsonnetArray,
  JsonnetFunction,
  JsonnetObject,
  type Layer,
  Lazy,
  type Slot,
  TailCall,
  typeOf,
  type Value,
} from './values.ts';

/** What the variables of one place stand for, and the object that it lies in. */
export interface Frame {
  readonly slots: (Slot | undefined)[];
  readonly parent: Frame | undefined;
  readonly self: JsonnetObject | undefined;
  /** The layer of `self` in which the place lies. */
  readonly layer: number;
}

export interface Scope {
  readonly names: readonly string[];
  readonly parent: Scope | undefined;
  readonly inObject: boolean;
}

type Code = (frame: Frame) => Value;
type TailCode = (frame: Frame) => Value | TailCall;

/** What imports give. */
export type Importer = (node: ImportNode) => Value;

/** Makes functions of expressions; bodies of functions and fields are made when they are first needed. */
export class Compiler {
  readonly #machine: Machine;
  readonly #import: Importer;

  constructor(machine: Machine, importer: Importer) {
    this.#machine = machine;
    this.#import = importer;
  }

  code(node: Node, scope: Scope): Code {
    const machine = this.#machine;
    switch (node.kind) {
      case 'literal': {
        const { value } = node;
        return typeof value === 'number' ? () => machine.at(node, () => machine.finite(value)) : () => value;
      }
      case 'self':
        return (frame) => frame.self as JsonnetObject;
      case 'dollar':
        return this.#variable('$', scope);
      case 'variable':
        return this.#variable(node.name, scope);
      case 'super': {
        const index = this.code(node.index, scope);
        return (frame) =>
          machine.at(node, () => {
            const name = index(frame);
            if (typeof name !== 'string') throw machine.unexpected(name, 'string');
            if (frame.layer === 0) throw machine.fail('Attempt to use super when there is no super class.');
            const value = (frame.self as JsonnetObject).get(name, machine, frame.layer - 1);
            if (value === undefined) throw machine.fail(`Field does not exist: ${name}`);
            return value;
          });
      }
      case 'in-super': {
        const index = this.code(node.index, scope);
        return (frame) =>
          machine.at(node, () => {
            const name = index(frame);
            if (typeof name !== 'string') throw machine.unexpected(name, 'string');
            return (frame.self as JsonnetObject).has(name, frame.layer - 1);
          });
      }
      case 'index': {
        const [target, index] = [this.code(node.target, scope), this.code(node.index, scope)];
        return (frame) => {
          const value = target(frame);
          const at = index(frame);
          return machine.at(node, () => indexValue(machine, value, at));
        };
      }
      case 'slice': {
        const target = this.code(node.target, scope);
        const parts = node.parts.map((part) => part && this.code(part, scope));
        return (frame) => {
          const value = target(frame);
          const bounds = parts.map((part) => part?.(frame) ?? null);
          return machine.at(node, () => sliceValue(machine, value, bounds));
        };
      }
      case 'apply':
        return this.#apply(node, scope, false) as Code;
      case 'binary':
        return this.#binary(node, scope);
      case 'unary': {
        const operand = this.code(node.operand, scope);
        return (frame) => {
          const value = operand(frame);
          return machine.at(node, () => {
            if (node.operator === '!') {
              if (typeof value !== 'boolean') throw machine.unexpected(value, 'boolean');
              return !value;
            }
            if (typeof value !== 'number') throw machine.unexpected(value, 'number');
            if (node.operator === '~') return Number(~BigInt(Math.trunc(value)));
            return node.operator === '-' ? -value : value;
          });
        };
      }
      case 'conditional':
      case 'local':
      case 'assert':
        return this.#control(node, scope, false) as Code;
      case 'function':
        return this.#function(node, scope);
      case 'array': {
        const items = node.items.map((item) => this.#slot(item, scope));
        return (frame) => machine.array(items.map((item) => item(frame)));
      }
      case 'array-comprehension': {
        const { each, scope: inner } = this.#each(node.specs, scope);
        const body = this.#slot(node.body, inner);
        return (frame) => {
          const found: Slot[] = [];
          machine.at(node, () => each(frame, (at) => found.push(body(at))));
          return machine.array(found);
        };
      }
      case 'object':
        return this.#object(node, scope);
      case 'object-comprehension':
        return this.#comprehension(node, scope);
      case 'error': {
        const message = this.code(node.message, scope);
        return (frame) =>
          machine.at(node, () => {
            throw machine.fail(machine.toText(message(frame)));
          });
      }
      case 'import':
        return () => machine.at(node, () => this.#import(node));
    }
  }

  /** What a function leaves to do at its end: there a strict call may take its place. */
  #tail(node: Node, scope: Scope): TailCode {
    if (node.kind === 'apply' && node.tailstrict) return this.#apply(node, scope, true);
    if (node.kind === 'conditional' || node.kind === 'local' || node.kind === 'assert')
      return this.#control(node, scope, true);
    return this.code(node, scope);
  }

  #control(node: Node & { kind: 'conditional' | 'local' | 'assert' }, scope: Scope, tail: boolean): TailCode {
    const machine = this.#machine;
    const rest = (part: Node, at: Scope): TailCode => (tail ? this.#tail(part, at) : this.code(part, at));
    if (node.kind === 'conditional') {
      const test = this.code(node.test, scope);
      const then = rest(node.then, scope);
      const otherwise = node.otherwise ? rest(node.otherwise, scope) : () => null;
      return (frame) => {
        const chosen = test(frame);
        if (typeof chosen !== 'boolean') throw machine.at(node, () => machine.unexpected(chosen, 'boolean'));
        return chosen ? then(frame) : otherwise(frame);
      };
    }
    if (node.kind === 'local') {
      const { inner, bind } = this.#binds(node.binds, scope);
      const body = rest(node.body, inner);
      return (frame) => body(bind(frame));
    }
    const { test, message } = node.assertion;
    const [holds, why, after] = [this.code(test, scope), message && this.code(message, scope), rest(node.rest, scope)];
    return (frame) => {
      const held = holds(frame);
      if (held === true) return after(frame);
      throw machine.at(node, () =>
        typeof held === 'boolean'
          ? machine.fail(why ? machine.toText(why(frame)) : 'Assertion failed')
          : machine.unexpected(held, 'boolean'),
      );
    };
  }

  #variable(name: string, scope: Scope): Code {
    const machine = this.#machine;
    let up = 0;
    for (let known: Scope | undefined = scope; known; known = known.parent, up += 1) {
      const index = known.names.lastIndexOf(name);
      if (index < 0) continue;
      const frames = up;
      return (frame) => {
        let at: Frame = frame;
        for (let step = 0; step < frames; step += 1) at = at.parent as Frame;
        return machine.force(at.slots[index] as Slot);
      };
    }
    throw new Error(`the variable ${name} was not checked`);
  }

  /** What is cheap and cannot fail is computed at once. */
  #slot(node: Node, scope: Scope): (frame: Frame) => Slot {
    if (node.kind === 'literal' && typeof node.value !== 'number') return () => node.value;
    if (node.kind === 'self' || node.kind === 'function') return this.code(node, scope);
    const code = this.#later(node, scope);
    return (frame) => new Lazy(() => code(frame));
  }

  #later(node: Node, scope: Scope): Code {
    let code: Code | undefined;
    return (frame) => {
      code ??= this.code(node, scope);
      return code(frame);
    };
  }

  #binds(binds: readonly Bind[], scope: Scope) {
    const inner: Scope = { names: binds.map(({ name }) => name), parent: scope, inObject: scope.inObject };
    const bodies = binds.map(({ body }) => this.#slot(body, inner));
    const bind = (frame: Frame): Frame => {
      const next: Frame = { slots: [], parent: frame, self: frame.self, layer: frame.layer };
      for (const body of bodies) next.slots.push(body(next));
      return next;
    };
    return { inner, bind };
  }

  #function({ name, parameters, body }: FunctionNode, scope: Scope): Code {
    const inner: Scope = {
      names: parameters.map((parameter) => parameter.name),
      parent: scope,
      inObject: scope.inObject,
    };
    const fallbacks = parameters.map(({ fallback }) => fallback && this.#slot(fallback, inner));
    const described = parameters.map((parameter) => ({
      name: parameter.name,
      optional: parameter.fallback !== undefined,
    }));
    let run: TailCode | undefined;
    return (frame) =>
      new JsonnetFunction(name, described, (slots) => {
        run ??= this.#tail(body, inner);
        const next: Frame = { slots, parent: frame, self: frame.self, layer: frame.layer };
        for (const [index, fallback] of fallbacks.entries()) if (fallback) slots[index] ??= fallback(next);
        return run(next);
      });
  }

  #apply(node: ApplyNode, scope: Scope, tail: boolean): TailCode {
    const machine = this.#machine;
    const target = this.code(node.target, scope);
    const positional = node.positional.map((argument) => this.#slot(argument, scope));
    const named = node.named.map(({ name, value }) => ({ name, value: this.#slot(value, scope) }));
    return (frame) => {
      const called = target(frame);
      return machine.at(node, () => {
        if (!(called instanceof JsonnetFunction)) throw machine.unexpected(called, 'function');
        const slots = machine.bind(called, {
          positional: positional.map((argument) => argument(frame)),
          named: named.map(({ name, value }) => ({ name, value: value(frame) })),
        });
        if (node.tailstrict) for (const slot of slots) if (slot !== undefined) machine.force(slot);
        return tail ? new TailCall(called, slots) : machine.run(called, slots);
      });
    };
  }

  #binary(node: Node & { kind: 'binary' }, scope: Scope): Code {
    const machine = this.#machine;
    const [left, right] = [this.code(node.left, scope), this.code(node.right, scope)];
    const { operator } = node;
    if (operator === '&&' || operator === '||') {
      return (frame) => {
        const first = left(frame);
        if (typeof first !== 'boolean') throw machine.at(node, () => machine.unexpected(first, 'boolean'));
        if (first === (operator === '||')) return first;
        const second = right(frame);
        if (typeof second !== 'boolean') throw machine.at(node, () => machine.unexpected(second, 'boolean'));
        return second;
      };
    }
    return (frame) => {
      const first = left(frame);
      const second = right(frame);
      return machine.at(node, () => arithmetic(machine, operator, first, second));
    };
  }

  #each(specs: readonly ForSpec[], outer: Scope) {
    const machine = this.#machine;
    let scope = outer;
    const steps = specs.map(({ name, over, conditions }) => {
      const list = this.code(over, scope);
      scope = { names: [name], parent: scope, inObject: scope.inObject };
      const inner = scope;
      return { list, tests: conditions.map((condition) => this.code(condition, inner)) };
    });
    const each = (frame: Frame, found: (frame: Frame) => void, index = 0): void => {
      const step = steps[index];
      if (!step) {
        found(frame);
        return;
      }
      const list = step.list(frame);
      if (!(list instanceof JsonnetArray)) throw machine.unexpected(list, 'array');
      for (const item of list.items) {
        machine.step();
        const next: Frame = { slots: [item], parent: frame, self: frame.self, layer: frame.layer };
        const holds = step.tests.every((test) => {
          const held = test(next);
          if (typeof held !== 'boolean') throw machine.unexpected(held, 'boolean');
          return held;
        });
        if (holds) each(next, found, index + 1);
      }
    };
    return { each, scope };
  }

  /** The frame of the locals of an object; the outermost object is `$`. */
  #objectScope(locals: readonly Bind[], scope: Scope) {
    const outermost = !scope.inObject;
    const names = [...locals.map(({ name }) => name), ...(outermost ? ['$'] : [])];
    const inner: Scope = { names, parent: scope, inObject: true };
    const bodies = locals.map(({ body }) => this.#slot(body, inner));
    const frameOf = (outer: Frame, self: JsonnetObject, layer: number): Frame => {
      const frame: Frame = { slots: [], parent: outer, self, layer };
      for (const body of bodies) frame.slots.push(body(frame));
      if (outermost) frame.slots.push(self);
      return frame;
    };
    return { inner, frameOf };
  }

  #object(node: ObjectNode, scope: Scope): Code {
    const machine = this.#machine;
    const { inner, frameOf } = this.#objectScope(node.locals, scope);
    const fields = node.fields.map(({ name, body, visibility, plus }) => ({
      name: this.code(name, scope),
      spot: name,
      body: this.#later(body, inner),
      visibility,
      plus,
    }));
    const asserts = node.asserts.map((assertion) => ({
      assertion,
      test: this.#later(assertion.test, inner),
      message: assertion.message && this.#later(assertion.message, inner),
    }));
    return (outer) => {
      const frames = new WeakMap<JsonnetObject, Frame[]>();
      const frame = (self: JsonnetObject, layer: number): Frame => {
        const known = frames.get(self) ?? [];
        frames.set(self, known);
        known[layer] ??= frameOf(outer, self, layer);
        return known[layer];
      };
      const found = new Map<string, Field>();
      for (const { name, spot, body, visibility, plus } of fields) {
        const key = name(outer);
        if (key === null) continue;
        if (typeof key !== 'string')
          throw machine.at(node, () => machine.fail(`Field name must be string, got ${typeOf(key)}`));
        if (found.has(key)) throw machine.at(node, () => machine.fail(`Duplicate field name: ${JSON.stringify(key)}`));
        found.set(key, {
          visibility,
          plus,
          value: (self, layer) => machine.at(spot, () => body(frame(self, layer))),
        });
      }
      const check: Layer['check'] = (self, layer) => {
        for (const { assertion, test, message } of asserts) {
          const at = frame(self, layer);
          machine.at(assertion, () => {
            const held = test(at);
            if (held === true) return;
            if (typeof held !== 'boolean') throw machine.unexpected(held, 'boolean');
            throw machine.fail(message ? machine.toText(message(at)) : 'Object assertion failed.');
          });
        }
      };
      return new JsonnetObject([{ fields: found, ...(asserts.length > 0 ? { check } : {}) }]);
    };
  }

  #comprehension(node: ObjectComprehension, scope: Scope): Code {
    const machine = this.#machine;
    const { each, scope: inside } = this.#each(node.specs, scope);
    const name = this.code(node.field.name, inside);
    const { inner, frameOf } = this.#objectScope(node.locals, inside);
    const body = this.#later(node.field.body, inner);
    const { plus } = node.field;
    return (outer) => {
      const fields = new Map<string, Field>();
      machine.at(node, () =>
        each(outer, (at) => {
          const key = name(at);
          if (key === null) return;
          if (typeof key !== 'string') throw machine.fail(`Field name must be string, got ${typeOf(key)}`);
          if (fields.has(key)) throw machine.fail(`Duplicate field name: ${JSON.stringify(key)}`);
          fields.set(key, {
            visibility: 'inherit',
            plus,
            value: (self, layer) => machine.at(node, () => body(frameOf(at, self, layer))),
          });
        }),
      );
      return new JsonnetObject([{ fields }]);
    };
  }
}
