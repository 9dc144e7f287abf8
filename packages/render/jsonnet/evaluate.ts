import type { SourceText } from './language/jsonnet-error.ts';
import { parse } from './language/parser.ts';
import { checkNames } from './language/static-check.ts';
import type { ImportNode, Node } from './language/syntax.ts';
import { Compiler } from './machine/compile.ts';
import { Machine, type MachineLimits } from './machine/machine.ts';
import { JsonnetArray, JsonnetFunction, JsonnetObject, type Value } from './machine/values.ts';
import { libraryOf, standardLibrary } from './std/library.ts';

/** A variable that is given from outside: a text, or code that is evaluated. */
export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly code: boolean;
}

/** A program that was read, for any number of runs. */
export interface Program {
  readonly source: SourceText;
  readonly root: Node;
  /** Also those that a run never reaches. */
  readonly imports: readonly ImportNode[];
}

/** What an import leads to; `missing` is told when a run reaches it. */
export type Imported =
  | { readonly kind: 'code'; readonly program: Program }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'missing'; readonly message: string };

export interface Evaluation {
  readonly program: Program;
  readonly externals?: readonly Variable[];
  /** Arguments, if the program is a function. */
  readonly arguments?: readonly Variable[];
  /** Throws a `JsonnetError` for a program that cannot be read. */
  readonly find: (from: string, node: ImportNode) => Imported;
  readonly limits?: Partial<MachineLimits>;
  readonly now?: () => number;
}

export type PlainValue = null | boolean | number | string | PlainValue[] | { [name: string]: PlainValue };

const defaultLimits: MachineLimits = { depth: 4_000, time: 10_000, size: 10_000_000 };

/** Reads a program. Throws a `JsonnetError` that names line and column. */
export function readProgram(source: SourceText): Program {
  const root = parse(source);
  return { source, root, imports: checkNames(root, ['std']) };
}

/** Runs a program: what it gives, as JSON values, with what it traced. Throws a `JsonnetError`. */
export function evaluate(evaluation: Evaluation): { value: PlainValue; traced: string[] } {
  const machine = new Machine({ ...defaultLimits, ...evaluation.limits }, evaluation.now ?? Date.now);
  try {
    const run = new Run(machine, evaluation);
    return { value: plain(machine, run.result()), traced: run.traced };
  } catch (error) {
    // The engine's own stack, or its bound on the length of a text, was met before ours.
    if (error instanceof RangeError) throw machine.fail(`max stack frames exceeded. (${error.message})`, 'limit');
    throw error;
  }
}

class Run {
  readonly traced: string[] = [];
  readonly #machine: Machine;
  readonly #evaluation: Evaluation;
  readonly #std: JsonnetObject;
  readonly #compiler: Compiler;
  readonly #values = new Map<Program, Value>();
  readonly #externals = new Map<string, Value>();

  constructor(machine: Machine, evaluation: Evaluation) {
    this.#machine = machine;
    this.#evaluation = evaluation;
    this.#compiler = new Compiler(machine, (node) => this.#import(node));
    this.#std = standardLibrary(machine, {
      external: (name) => this.#external(name),
      trace: (message) => this.traced.push(message),
    });
  }

  result(): Value {
    const { program, arguments: given = [] } = this.#evaluation;
    const value = this.#value(program);
    if (!(value instanceof JsonnetFunction)) {
      return value;
    }
    const named = given.map((variable) => ({ name: variable.name, value: this.#given(variable, 'top-level-arg') }));
    return this.#machine.run(value, this.#machine.bind(value, { positional: [], named }));
  }

  #value(program: Program): Value {
    const known = this.#values.get(program);
    if (known !== undefined) return known;
    const scope = { names: ['std'], parent: undefined, inObject: false };
    const std = libraryOf(this.#std, program.source.name);
    const value = this.#compiler.code(
      program.root,
      scope,
    )({ slots: [std], parent: undefined, self: undefined, layer: 0 });
    this.#values.set(program, value);
    return value;
  }

  #import(node: ImportNode): Value {
    const found = this.#evaluation.find(node.source.name, node);
    if (found.kind === 'missing') throw this.#machine.fail(found.message);
    if (found.kind === 'text') return this.#machine.sized(found.text);
    if (found.kind === 'bytes') return this.#machine.array([...found.bytes]);
    this.#machine.enter();
    const value = this.#value(found.program);
    this.#machine.leave();
    return value;
  }

  #external(name: string): Value | undefined {
    const known = this.#externals.get(name);
    if (known !== undefined) return known;
    const variable = this.#evaluation.externals?.findLast((candidate) => candidate.name === name);
    if (!variable) return undefined;
    const value = this.#given(variable, 'extvar');
    this.#externals.set(name, value);
    return value;
  }

  #given({ name, value, code }: Variable, what: string): Value {
    return code ? this.#value(readProgram({ name: `<${what}:${name}>`, text: value })) : value;
  }
}

/** A value as JSON has it; assertions are checked on the way. */
function plain(machine: Machine, value: Value): PlainValue {
  if (value instanceof JsonnetFunction) throw machine.fail("couldn't manifest function as JSON");
  if (value instanceof JsonnetArray) {
    machine.enter();
    const items = value.items.map((item) => plain(machine, machine.force(item)));
    machine.leave();
    return items;
  }
  if (!(value instanceof JsonnetObject)) return value;
  machine.enter();
  value.check(machine);
  const object: { [name: string]: PlainValue } = {};
  for (const name of value.visibleNames()) {
    const child = plain(machine, value.get(name, machine) as Value);
    Object.defineProperty(object, name, { value: child, enumerable: true, configurable: true, writable: true });
  }
  machine.leave();
  return object;
}
