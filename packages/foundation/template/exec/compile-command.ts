import { goQuote } from '@tiphys/go';
import { type CommandNode, formatNode, type NumberNode, type Operand, type PlacedNode } from '../parse/node.ts';
import { assign, canBeNil, zeroOf } from '../value/assign.ts';
import type { FunctionSpec } from '../value/function-spec.ts';
import type { Traced } from '../value/trace/rope.ts';
import { isTrue } from '../value/truth.ts';
import { anyType, type GoType, intType, reflectValueType, stringType } from '../value/type.ts';
import { GoComplex, GoFloat32, GoInt, GoMap, GoSlice, GoString, int, type Value } from '../value/value.ts';
import { type Compiler, compilePipe, type Evaluate } from './compile.ts';
import type { Execution } from './execution.ts';
import { fieldOf } from './field.ts';

/** Stands for "no value comes from the pipeline", which is not the same as no value. */
export const missing: unique symbol = Symbol('missing');

/** The value that the pipeline feeds to a command. */
export type Final = Value | typeof missing;
export type Command = (s: Execution, dot: Value, final: Final) => Value;
/** An argument, evaluated for a parameter of a type. */
type Argument = (s: Execution, dot: Value, type: GoType) => Value;

/** One command of a pipeline. */
export function compileCommand(command: CommandNode, compiler: Compiler): Command {
  const [first, ...rest] = command.args as [Operand, ...Operand[]];
  switch (first.type) {
    case 'field':
    case 'chain':
    case 'variable':
      return compileAccess(first, rest, compiler);
    case 'identifier':
      return compileFunction(first, command, rest, compiler);
  }
  const evaluate: Evaluate = first.type === 'pipe' ? compilePipe(first, compiler) : compileConstant(first);
  const isPipe = first.type === 'pipe';
  const hasArgs = rest.length > 0;
  return (s, dot, final) => {
    if (!isPipe) s.node = first;
    if (hasArgs || final !== missing) s.fail(nonFunction(first));
    if (!isPipe) s.tracer?.literal();
    return evaluate(s, dot);
  };
}

function nonFunction(node: Operand): string {
  return `can't give argument to non-function ${formatNode(node)}`;
}

function compileConstant(node: Operand): Evaluate {
  switch (node.type) {
    case 'bool':
      return () => node.value;
    case 'string':
      return () => node.text;
    case 'dot':
      return (s, dot) => {
        s.tracer?.dot();
        return dot;
      };
    case 'nil':
      return (s) => s.fail('nil is not a command');
    case 'number':
      return idealConstant(node);
    default:
      return (s) => s.fail(`can't evaluate command ${goQuote(formatNode(node))}`);
  }
}

function idealConstant(node: NumberNode): Evaluate {
  const { text } = node;
  if (node.complex) {
    const value = new GoComplex(node.complex[0], node.complex[1]);
    return () => value;
  }
  const isHexInt = /^0[xX]./.test(text) && !/[pP]/.test(text);
  if (node.float !== undefined && !isHexInt && text[0] !== "'" && /[.eEpP]/.test(text)) {
    const value = node.float;
    return () => value;
  }
  if (node.int !== undefined) {
    const value = int(node.int);
    return () => value;
  }
  if (node.uint !== undefined) {
    return (s) => {
      s.node = node;
      return s.fail(`${text} overflows int`);
    };
  }
  return () => undefined;
}

/** `.a.b`, `$x.a.b` or `(pipeline).a.b`, of which the last may be a method that takes arguments. */
function compileAccess(
  node: Extract<Operand, { type: 'field' | 'chain' | 'variable' }>,
  rest: Operand[],
  compiler: Compiler,
): Command {
  const base = compileBase(node, compiler);
  const names = node.type === 'chain' ? node.field : node.type === 'variable' ? node.ident.slice(1) : node.ident;
  const args = rest.map((arg) => compileArgument(arg, compiler));
  const lastIndex = names.length - 1;
  if (lastIndex < 0) {
    return (s, dot, final) => {
      s.node = node;
      const value = base.evaluate(s, dot);
      if (args.length > 0 || final !== missing) s.fail(nonFunction(node));
      return value;
    };
  }
  return (s, dot, final) => {
    s.node = node;
    const piped = s.tracer?.piped;
    let value = base.evaluate(s, dot);
    let isInterface = base.isInterface(s);
    for (let i = 0; i <= lastIndex; i++) {
      const name = names[i] as string;
      const isLast = i === lastIndex;
      const hasArgs = isLast && (args.length > 0 || final !== missing);
      const container = value;
      let isCalled = false;
      if (container instanceof Map && !hasArgs) {
        const next: Value = container.get(name);
        value = next !== undefined ? next : fieldOf(s, container, name, false, isInterface, undefined);
      } else if (container instanceof GoMap && !hasArgs && isEntry(container, name)) {
        value = container.entries.get(name);
      } else {
        value = fieldOf(s, container, name, hasArgs, isInterface, (receiver, type) => {
          const method = type.methods?.get(name) as FunctionSpec;
          isCalled = true;
          s.tracer?.receive(piped);
          return invoke(s, dot, method, name, node, isLast ? args : [], isLast ? final : missing, [receiver]);
        });
      }
      if (s.tracer && !isCalled) s.tracer.field(container, name);
      isInterface = container instanceof Map || (container instanceof GoMap && container.type.elem === anyType);
    }
    return value;
  };
}

/** True if the name is a key of the map and not a method. */
function isEntry(map: GoMap, name: string): boolean {
  return map.entries.get(name) !== undefined && map.type.key === stringType && !map.type.methods?.has(name);
}

interface Base {
  readonly evaluate: Evaluate;
  readonly isInterface: (s: Execution) => boolean;
}

const never = () => false;

function inRangeSlot(slot: number | undefined): (s: Execution) => boolean {
  return slot === undefined ? never : (s) => s.vars[slot] === true;
}

function compileBase(node: Extract<Operand, { type: 'field' | 'chain' | 'variable' }>, compiler: Compiler): Base {
  const { scope } = compiler;
  switch (node.type) {
    case 'field':
      return {
        evaluate: (s, dot) => {
          s.tracer?.dot();
          return dot;
        },
        isInterface: inRangeSlot(scope.dotRangeSlot),
      };
    case 'variable': {
      const name = node.ident[0] as string;
      const variable = scope.resolve(name);
      if (!variable) return { evaluate: (s) => s.fail(`undefined variable: ${name}`), isInterface: never };
      const { slot, rangeSlot } = variable;
      return {
        evaluate: (s) => {
          s.tracer?.variable(slot);
          return s.vars[slot];
        },
        isInterface: inRangeSlot(rangeSlot),
      };
    }
    case 'chain': {
      if (node.node.type === 'nil') {
        return {
          evaluate: (s) => s.fail(`indirection through explicit nil in ${formatNode(node)}`),
          isInterface: never,
        };
      }
      const inner = compileArgument(node.node, compiler);
      return { evaluate: (s, dot) => inner(s, dot, reflectValueType), isInterface: never };
    }
  }
}

/** A function's name with its arguments; `node` is what an error of the function itself is placed at. */
function compileFunction(
  identifier: Extract<Operand, { type: 'identifier' }>,
  node: PlacedNode,
  rest: Operand[],
  compiler: Compiler,
): Command {
  const name = identifier.ident;
  const args = rest.map((arg) => compileArgument(arg, compiler));
  const callee = name === 'call' && rest[0] ? formatNode(rest[0]) : '';
  const isLogic = name === 'and' || name === 'or';
  return (s, dot, final) => {
    s.node = identifier;
    const spec = s.functions.get(name);
    if (!spec) {
      if (isLogic) return evaluateLogic(s, dot, name === 'or', args, final);
      return s.fail(`${goQuote(name)} is not a defined function`);
    }
    if (name === 'call') s.callee = callee;
    return invoke(s, dot, spec, name, node, args, final, undefined);
  };
}

function evaluateLogic(s: Execution, dot: Value, isOr: boolean, args: readonly Argument[], final: Final): Value {
  if (args.length === 0 && final === missing) {
    s.fail(`wrong number of args for ${isOr ? 'or' : 'and'}: want at least 1 got 0`);
  }
  const piped = s.tracer?.piped;
  const passed: Traced[] | undefined = s.tracer && isOr ? [] : undefined;
  let value: Value;
  for (let i = 0; i < args.length; i++) {
    value = (args[i] as Argument)(s, dot, reflectValueType);
    if (passed) s.tracer?.choose(value, passed);
    if (isTrue(value) === isOr) return value;
  }
  if (final === missing) return value;
  s.tracer?.resume(piped);
  if (passed) s.tracer?.choose(final, passed);
  return final;
}

function invoke(
  s: Execution,
  dot: Value,
  spec: FunctionSpec,
  name: string,
  node: PlacedNode,
  args: readonly Argument[],
  final: Final,
  receiver: [Value] | undefined,
): Value {
  const { params, rest } = spec;
  const count = args.length + (final === missing ? 0 : 1);
  if (rest) {
    if (count < params.length) {
      s.fail(`wrong number of args for ${name}: want at least ${params.length} got ${args.length}`);
    }
  } else if (count !== params.length) {
    s.fail(`wrong number of args for ${name}: want ${params.length} got ${count}`);
  }
  if (spec.unusable !== undefined) s.fail(spec.unusable);
  const frame = s.tracer?.enter(receiver !== undefined);
  let values: Value[];
  if (count === 1 && !receiver && !frame) values = [argumentAt(0, s, dot, spec, args, final)];
  else if (count === 2 && !receiver && !frame)
    // A list that grows takes more memory than one that is written out.
    values = [argumentAt(0, s, dot, spec, args, final), argumentAt(1, s, dot, spec, args, final)];
  else {
    values = receiver ?? [];
    for (let i = 0; i < args.length; i++) {
      values.push((args[i] as Argument)(s, dot, params[i] ?? (rest as GoType)));
      frame?.argument();
    }
    if (final !== missing) {
      frame?.final();
      values.push(assign(final, params[args.length] ?? (rest as GoType), s.refuse));
    }
  }
  s.budget.step(1 + sizeOf(values));
  const { callNode, callName } = s;
  s.callNode = node;
  s.callName = name;
  try {
    const result = spec.call(values, s);
    if (typeof result === 'string') s.budget.string(result.length);
    else if (typeof result === 'object' && result !== null) limitResult(s, result);
    if (frame) s.tracer?.leave(frame, { name, spec, args: values, result });
    return result;
  } catch (error) {
    return s.failCall(node, name, error);
  } finally {
    s.callNode = callNode;
    s.callName = callName;
  }
}

/** One of the values that a function gets, what the pipeline feeds it being the last. */
function argumentAt(
  i: number,
  s: Execution,
  dot: Value,
  { params, rest }: FunctionSpec,
  args: readonly Argument[],
  final: Final,
): Value {
  const type = params[i] ?? (rest as GoType);
  return i < args.length ? (args[i] as Argument)(s, dot, type) : assign(final as Value, type, s.refuse);
}

/** Steps that arguments cost by their size alone, so that work on large texts is noticed. */
function sizeOf(values: readonly Value[]): number {
  let size = 0;
  for (const value of values) if (typeof value === 'string' && value.length > 4096) size += value.length >>> 10;
  return size;
}

function limitResult(s: Execution, result: Value): void {
  if (Array.isArray(result)) s.budget.list(result.length);
  else if (result instanceof Map) s.budget.list(result.size);
  else if (result instanceof GoSlice) s.budget.list(result.items.length);
  else if (result instanceof GoMap) s.budget.list(result.entries.size);
}

function compileArgument(node: Operand, compiler: Compiler): Argument {
  switch (node.type) {
    case 'dot':
      return (s, dot, type) => {
        s.node = node;
        s.tracer?.dot();
        return assign(dot, type, s.refuse);
      };
    case 'nil':
      return (s, _dot, type) => {
        s.node = node;
        s.tracer?.literal();
        if (canBeNil(type)) return zeroOf(type);
        return s.fail(`cannot assign nil to ${type.name}`);
      };
    case 'field':
    case 'chain':
    case 'variable':
      return validated(node, compileAccess(node, [], compiler));
    case 'identifier':
      return validated(node, compileFunction(node, node, [], compiler));
    case 'pipe': {
      const evaluate = compilePipe(node, compiler);
      return (s, dot, type) => {
        s.node = node;
        return assign(evaluate(s, dot), type, s.refuse);
      };
    }
    case 'bool':
    case 'number':
    case 'string':
      return compileLiteral(node);
  }
}

function validated(node: Operand, command: Command): Argument {
  return (s, dot, type) => {
    s.node = node;
    return assign(command(s, dot, missing), type, s.refuse);
  };
}

function compileLiteral(node: Extract<Operand, { type: 'bool' | 'number' | 'string' }>): Argument {
  const ideal = compileConstant(node);
  return (s, dot, type) => {
    s.node = node;
    s.tracer?.literal();
    if (type === anyType || type === reflectValueType) return ideal(s, dot);
    return literalOf(s, node, type);
  };
}

function literalOf(s: Execution, node: Extract<Operand, { type: 'bool' | 'number' | 'string' }>, type: GoType): Value {
  const found = (): string => `found ${formatNode(node)}`;
  switch (type.kind) {
    case 'bool':
      return node.type === 'bool' ? node.value : s.fail(`expected bool; ${found()}`);
    case 'string':
      if (node.type !== 'string') return s.fail(`expected string; ${found()}`);
      return type.named ? new GoString(type, node.text) : node.text;
    case 'float32':
    case 'float64': {
      if (node.type !== 'number' || node.float === undefined) return s.fail(`expected float; ${found()}`);
      return type.kind === 'float32' ? new GoFloat32(node.float) : node.float;
    }
    case 'complex128':
      if (node.type !== 'number' || !node.complex) return s.fail(`expected complex; ${found()}`);
      return new GoComplex(node.complex[0], node.complex[1]);
    case 'int':
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
      if (node.type !== 'number' || node.int === undefined) return s.fail(`expected integer; ${found()}`);
      return integer(type, node.int);
    case 'uint':
    case 'uint8':
    case 'uint16':
    case 'uint32':
    case 'uint64':
      if (node.type !== 'number' || node.uint === undefined) return s.fail(`expected unsigned integer; ${found()}`);
      return integer(type, node.uint);
    default:
      return s.fail(`can't handle ${formatNode(node)} for arg of type ${type.name}`);
  }
}

function integer(type: GoType, value: bigint): Value {
  if (type === intType) return int(value);
  return type.kind === 'int64' && !type.named ? value : new GoInt(type, value);
}
