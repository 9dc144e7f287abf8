import { parseType, splitTypes, type Type } from './types.ts';
import {
  CelError,
  Duration,
  isList,
  isMap,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from './values.ts';

/** One way to call a function; of a method the first argument is what it is called on. */
export interface Overload {
  readonly name: string;
  readonly method: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  readonly run: (...args: never[]) => Value;
}

/** Declares an overload: `string.contains(string): bool`, `size(list<A>): int`. */
export function overload(signature: string, run: (...args: never[]) => Value): Overload {
  const close = signature.lastIndexOf('):');
  const open = signature.lastIndexOf('(', close);
  const head = signature.slice(0, open);
  const result = parseType(signature.slice(close + 2));
  const args = splitTypes(signature.slice(open + 1, close)).map(parseType);
  const method = /^(.+?[\w>])\.(\w+)$/s.exec(head);
  // Lower-case words before the dot that are no type are a namespace: `sets.contains`.
  if (method && !NAMESPACES.has(method[1] as string))
    return { name: method[2] as string, method: true, args: [parseType(method[1] as string), ...args], result, run };
  return { name: head, method: false, args, result, run };
}

const NAMESPACES = new Set(['sets', 'optional', 'ip', 'format', 'strings', 'jsonpatch']);

const NUMBERS = ['int', 'uint', 'double'];
const TIMES = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];
const ORDERED = ['bool', ...NUMBERS, 'string', 'bytes', ...TIMES];

/** The types whose values know an operator at all. */
const TRAITS: Readonly<Record<string, readonly string[]>> = {
  '_+_': [...NUMBERS, 'string', 'bytes', 'list', ...TIMES],
  '_-_': [...NUMBERS, ...TIMES],
  '_*_': NUMBERS,
  '_/_': NUMBERS,
  '_%_': ['int', 'uint'],
  '-_': ['int', 'double', 'bool'],
  '!_': ['bool', 'int', 'double'],
  '_<_': ORDERED,
  '_<=_': ORDERED,
  '_>_': ORDERED,
  '_>=_': ORDERED,
};

/** Functions by name. */
export class Functions {
  readonly #byName = new Map<string, Overload[]>();

  constructor(libraries: readonly (readonly Overload[])[]) {
    for (const one of libraries.flat()) {
      const known = this.#byName.get(one.name);
      if (known) known.push(one);
      else this.#byName.set(one.name, [one]);
    }
  }

  find(name: string): readonly Overload[] | undefined {
    return this.#byName.get(name);
  }

  /** Calls the first overload that takes the values. */
  call(name: string, overloads: readonly Overload[], method: boolean, args: readonly Value[]): Value {
    for (const one of overloads) {
      if (one.method !== method || one.args.length !== args.length) continue;
      if (one.args.every((type, index) => fits(args[index] as Value, type)))
        return (one.run as (...args: readonly Value[]) => Value)(...args);
    }
    if (method === false && TRAITS[name] && !TRAITS[name].includes(typeNameOf(args[0] as Value)))
      throw new CelError(`no such overload: ${name}`);
    throw new CelError(
      /\W|^_/.test(name) ? 'no such overload' : `no such overload: ${name}(${args.map(typeNameOf).join(', ')})`,
    );
  }
}

function fits(value: Value, type: Type): boolean {
  switch (type.kind) {
    case 'parameter':
      return true;
    case 'list':
      return isList(value);
    case 'map':
      return isMap(value);
    case 'opaque':
      return type.name === 'optional_type'
        ? value instanceof Optional
        : value instanceof Opaque && value.type === type.name;
    case 'object':
      return isMap(value);
    default:
  }
  switch (type.name) {
    case 'dyn':
      return true;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'uint':
      return value instanceof Uint;
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'bytes':
      return value instanceof Uint8Array;
    case 'null':
      return value === null;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    default:
      return value instanceof TypeValue;
  }
}
