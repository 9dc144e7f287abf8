import { formatValue, typeName } from '../fmt/format-value.ts';
import { sprintf } from '../fmt/sprintf.ts';
import { byteLength, compareStrings, sliceBytes, toBytes } from '../text/bytes.ts';
import { sliced } from '../trace/rules/lists.ts';
import { indexed } from '../trace/rules/maps.ts';
import { shallow } from '../trace/rules/opaque.ts';
import { escaped, formatted, printed, printedLine } from '../trace/rules/texts.ts';
import { canBeNil, isAssignable, zeroOf } from '../value/assign.ts';
import {
  define,
  defineTyped,
  FunctionError,
  type FunctionMap,
  type FunctionSpec,
  withTraces,
} from '../value/function-spec.ts';
import { isTrue } from '../value/truth.ts';
import { type GoType, reflectValueType, uint8Type } from '../value/type.ts';
import {
  elementsOf,
  GoFloat32,
  GoFunction,
  GoInt,
  GoMap,
  GoNil,
  GoSlice,
  GoStruct,
  int,
  integerOf,
  stringOf,
  typeOf,
  type Value,
} from '../value/value.ts';

type BasicKind = 'bool' | 'int' | 'uint' | 'float' | 'complex' | 'string' | 'other' | 'nil';

function kindOf(value: Value): BasicKind {
  if (value === null || value === undefined) return 'nil';
  const kind = typeOf(value)?.kind ?? 'invalid';
  if (kind === 'bool' || kind === 'string') return kind;
  if (kind.startsWith('int') && kind !== 'interface') return 'int';
  if (kind.startsWith('uint')) return 'uint';
  if (kind.startsWith('float')) return 'float';
  return kind === 'complex128' ? 'complex' : 'other';
}

function numberOf(value: Value): number | bigint {
  if (typeof value === 'number') return value;
  if (value instanceof GoFloat32) return value.value;
  return integerOf(value) ?? 0n;
}

function incompatible(a: Value, b: Value): never {
  throw new FunctionError(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);
}

function equal(a: Value, b: Value): boolean {
  const [k1, k2] = [kindOf(a), kindOf(b)];
  const integers = (k1 === 'int' || k1 === 'uint') && (k2 === 'int' || k2 === 'uint');
  if (integers) return numberOf(a) === numberOf(b);
  if (k1 !== k2) {
    if (k1 === 'nil' || k2 === 'nil')
      return k1 === 'other' || k2 === 'other' ? isNilValue(a) === isNilValue(b) && isNilValue(a) : false;
    return incompatible(a, b);
  }
  switch (k1) {
    case 'float':
      return numberOf(a) === numberOf(b);
    case 'string':
      return stringOf(a) === stringOf(b);
    case 'bool':
      return a === b;
    case 'nil':
      return true;
  }
  const type = typeOf(b);
  if (typeOf(a)?.kind !== type?.kind) {
    throw new FunctionError(sprintf('non-comparable types %s: %v, %s: %v', [a, typeName(a), typeName(b), b]));
  }
  if (isNilValue(a) || isNilValue(b)) return isNilValue(a) === isNilValue(b);
  if (type?.kind === 'map' || type?.kind === 'slice' || type?.kind === 'func') {
    throw new FunctionError(sprintf('non-comparable type %s: %v', [b, typeName(b)]));
  }
  return isSame(a, b);
}

/** Go's `==` on interface values: structs field by field, pointers by identity. */
function isSame(a: Value, b: Value): boolean {
  if (a instanceof GoInt && b instanceof GoInt) return a.type === b.type && a.value === b.value;
  if (a instanceof GoNil && b instanceof GoNil) return a.type === b.type;
  if (!(a instanceof GoStruct && b instanceof GoStruct) || a.type !== b.type || a.type.kind !== 'struct')
    return a === b;
  return [...a.fields].every(([name, value]) => isSame(value, b.fields.get(name)));
}

function isNilValue(value: Value): boolean {
  if (value === null || value === undefined || value instanceof GoNil) return true;
  return (value instanceof GoMap || value instanceof GoSlice) && value.nil;
}

function eq([first, ...others]: Value[]): boolean {
  if (others.length === 0) throw new FunctionError('missing argument for comparison');
  return others.some((other) => equal(first, other));
}

function less(a: Value, b: Value): boolean {
  const [k1, k2] = [kindOf(a), kindOf(b)];
  const basic = (kind: BasicKind): boolean => kind !== 'other' && kind !== 'nil';
  if (!basic(k1) || !basic(k2)) throw new FunctionError('invalid type for comparison');
  const integers = (k1 === 'int' || k1 === 'uint') && (k2 === 'int' || k2 === 'uint');
  if (k1 !== k2 && !integers) incompatible(a, b);
  if (k1 === 'bool' || k1 === 'complex') throw new FunctionError('invalid type for comparison');
  if (k1 === 'string') return compareStrings(stringOf(a) as string, stringOf(b) as string) < 0;
  return numberOf(a) < numberOf(b);
}

function indexNumber(index: Value, size: number): number {
  const value = integerOf(index);
  if (value === undefined) {
    throw new FunctionError(
      index === null || index === undefined
        ? 'cannot index slice/array with nil'
        : `cannot index slice/array with type ${typeName(index)}`,
    );
  }
  if (value < 0n || value > BigInt(size)) throw new FunctionError(`index out of range: ${value}`);
  return Number(value);
}

function index([item, ...indexes]: Value[]): Value {
  if (item === null || item === undefined) throw new FunctionError('index of untyped nil');
  let current: Value = item;
  for (const step of indexes) current = indexOne(current, step);
  return current;
}

function indexOne(item: Value, step: Value): Value {
  if (item === null || item === undefined) throw new FunctionError('index of nil pointer');
  if (item instanceof GoNil) throw new FunctionError('index of nil pointer');
  if (item instanceof Map || item instanceof GoMap) return mapIndex(item, step);
  const text = stringOf(item);
  if (text !== undefined) {
    const bytes = toBytes(text);
    const at = indexNumber(step, bytes.length);
    if (at >= bytes.length) throw new FunctionError('reflect: string index out of range');
    return new GoInt(uint8Type, BigInt(bytes[at] as number));
  }
  const items = elementsOf(item);
  if (!items) throw new FunctionError(`can't index item of type ${typeName(item)}`);
  const at = indexNumber(step, items.length);
  if (at >= items.length) throw new FunctionError('reflect: slice index out of range');
  return items[at];
}

function mapIndex(map: Map<string, Value> | GoMap, step: Value): Value {
  const type = typeOf(map) as GoType;
  const keyType = type.key as GoType;
  if (step === null || step === undefined) {
    if (!canBeNil(keyType)) throw new FunctionError(`value is nil; should be of type ${keyType.name}`);
  } else if (
    keyType.kind !== 'interface' &&
    typeOf(step) !== keyType &&
    !isAssignable(typeOf(step) as GoType, keyType)
  ) {
    throw new FunctionError(`value has type ${typeName(step)}; should be ${keyType.name}`);
  }
  const entries = map instanceof GoMap ? map.entries : (map as Map<Value, Value>);
  const found = entries.get(stringOf(step) ?? step);
  return found === undefined ? zeroOf(type.elem as GoType) : found;
}

function slice([item, ...indexes]: Value[]): Value {
  if (item === null || item === undefined) throw new FunctionError('slice of untyped nil');
  if (indexes.length > 3) throw new FunctionError(`too many slice indexes: ${indexes.length}`);
  const text = stringOf(item);
  const items = text === undefined ? elementsOf(item) : undefined;
  if (text !== undefined && indexes.length === 3) throw new FunctionError('cannot 3-index slice a string');
  if (text === undefined && !items) throw new FunctionError(`can't slice item of type ${typeName(item)}`);
  const size = text === undefined ? (items as readonly Value[]).length : byteLength(text);
  const at = indexes.map((value) => indexNumber(value, size));
  const [from, to] = [at[0] ?? 0, at[1] ?? size];
  if (from > to) throw new FunctionError(`invalid slice index: ${from} > ${to}`);
  if (at[2] !== undefined && to > at[2]) throw new FunctionError(`invalid slice index: ${to} > ${at[2]}`);
  if (text !== undefined) return sliceBytes(text, from, to);
  if (item instanceof Uint8Array) return item.slice(from, to);
  const part = (items as readonly Value[]).slice(from, to);
  return item instanceof GoSlice ? new GoSlice(item.type, part) : part;
}

function length([item]: Value[]): Value {
  const text = stringOf(item);
  if (text !== undefined) return int(byteLength(text));
  if (item === undefined) throw new FunctionError('reflect: call of reflect.Value.Type on zero Value');
  if (item === null || item instanceof GoNil) throw new FunctionError('len of nil pointer');
  if (item instanceof Map) return int(item.size);
  if (item instanceof GoMap) return int(item.entries.size);
  if (item instanceof Uint8Array) return int(item.length);
  const items = elementsOf(item);
  if (!items) throw new FunctionError(`len of type ${typeName(item)}`);
  return int(items.length);
}

/** `fmt.Sprint`: spaces between operands of which neither is a string. */
function sprint(args: readonly Value[]): string {
  let out = '';
  for (const [i, arg] of args.entries()) {
    if (i > 0 && typeof arg !== 'string' && typeof args[i - 1] !== 'string') out += ' ';
    out += formatValue(arg);
  }
  return out;
}

/** The text that the escaping functions work on: nil prints as an action prints it. */
function shown(args: readonly Value[]): string {
  return sprint(args.map((arg) => (arg === null || arg === undefined ? '<no value>' : arg)));
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\0': '\ufffd',
};

const jsEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

function escapeHtml(text: string): string {
  return text.replace(/["'&<>\0]/g, (char) => htmlEscapes[char] as string);
}

function escapeJs(text: string): string {
  return text.replace(/[\\'"<>&=\x00-\x1f]|[^\x00-\x7f]/gu, (char) => {
    const known = jsEscapes[char];
    if (known) return known;
    // A byte that is no UTF-8 reads as U+FFFD, which is printable: it is written as it is.
    if (!char.isWellFormed()) return char;
    const code = char.codePointAt(0) as number;
    if (code >= 0x80 && /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char)) return char;
    return `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

/** `url.QueryEscape`. */
export function queryEscape(text: string): string {
  return [...toBytes(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      if (/[A-Za-z0-9\-_.~]/.test(char)) return char;
      return byte === 0x20 ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function call([fn, ...args]: Value[], context: Parameters<FunctionSpec['call']>[1]): Value {
  if (fn === null || fn === undefined) throw new FunctionError('call of nil');
  if (!(fn instanceof GoFunction))
    throw new FunctionError(`non-function ${(context as { callee?: string }).callee ?? ''} of type ${typeName(fn)}`);
  return fn.spec.call(args, context);
}

const variadic = (
  body: (args: Value[], context: Parameters<FunctionSpec['call']>[1]) => Value,
  first = 0,
): FunctionSpec =>
  defineTyped(
    Array.from({ length: first }, () => reflectValueType),
    body,
    { rest: reflectValueType },
  );

const functions: FunctionMap = new Map<string, FunctionSpec>([
  ['call', variadic(call, 1)],
  ['html', define('...any', (args) => escapeHtml(shown(args)))],
  ['js', define('...any', (args) => escapeJs(shown(args)))],
  ['urlquery', define('...any', (args) => queryEscape(shown(args)))],
  ['index', variadic(index, 1)],
  ['slice', variadic(slice, 1)],
  ['len', define('value', length)],
  ['not', define('value', ([value]) => !isTrue(value))],
  ['print', define('...any', (args) => sprint(args))],
  [
    'printf',
    define('string, ...any', ([format, ...args], context) => {
      return sprintf(format as string, args, (units) => context.budget.string(units));
    }),
  ],
  ['println', define('...any', (args) => `${args.map((arg) => formatValue(arg)).join(' ')}\n`)],
  ['eq', variadic(eq, 1)],
  ['ne', define('value, value', ([a, b]) => !equal(a, b))],
  ['lt', define('value, value', ([a, b]) => less(a, b))],
  ['le', define('value, value', ([a, b]) => less(a, b) || equal(a, b))],
  ['gt', define('value, value', ([a, b]) => !(less(a, b) || equal(a, b)))],
  ['ge', define('value, value', ([a, b]) => !less(a, b))],
]);

/** Go's own functions; `and` and `or` are part of the language. */
export const builtinFunctions: FunctionMap = withTraces(functions, {
  html: escaped(escapeHtml),
  js: escaped(escapeJs),
  urlquery: escaped(queryEscape),
  index: indexed,
  len: shallow,
  not: shallow,
  slice: sliced,
  print: printed,
  printf: formatted,
  println: printedLine,
});
