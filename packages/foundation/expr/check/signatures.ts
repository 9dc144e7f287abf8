import {
  anyType,
  boolType,
  durationType,
  float64Type,
  type GoType,
  intType,
  locationType,
  mapOf,
  sliceOf,
  sliceOfAny,
  sliceOfInt,
  sliceOfString,
  stringType,
  timeType,
} from '@tiphys/template';
import { isUnknown, type Nature, natureText, ofType, unknown } from './nature.ts';

/** One way to call a function that is built in. */
export interface Signature {
  readonly params: readonly GoType[];
  readonly result: GoType;
}

const types: Readonly<Record<string, GoType>> = {
  any: anyType,
  bool: boolType,
  string: stringType,
  int: intType,
  duration: durationType,
  location: locationType,
  anys: sliceOfAny,
  ints: sliceOfInt,
  floats: sliceOf(float64Type),
  strings: sliceOfString,
};

const table = `
type any: string
string any: string
trim string: string | string string: string
trimPrefix string string: string | string: string
trimSuffix string string: string | string: string
upper string: string
lower string: string
split string string: strings | string string int: strings
splitAfter string string: strings | string string int: strings
replace string string string int: string | string string string: string
repeat string int: string
join strings string: string | anys string: string | anys: string | strings string: string | strings: string
indexOf string string: int
lastIndexOf string string: int
hasPrefix string string: bool
hasSuffix string string: bool
toJSON any: string
fromJSON string: any
toBase64 string: string
fromBase64 string: string
duration string: duration
timezone string: location
sort anys string: anys | ints string: anys | floats string: anys | strings string: anys | anys: anys | floats: anys | strings: anys | ints: anys
bitand int int: int
bitor int int: int
bitxor int int: int
bitnand int int: int
bitshl int int: int
bitshr int int: int
bitushr int int: int
bitnot int: int`;

/** The ways to call each function whose arguments are checked by type, in the order in which they are tried. */
export const signatures: ReadonlyMap<string, readonly Signature[]> = new Map(
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [, name, rest] = /^(\w+) (.*)$/.exec(line) as unknown as [string, string, string];
      return [name, rest.split(' | ').map(signatureOf)];
    }),
);

function signatureOf(text: string): Signature {
  const [params, result] = text.split(': ') as [string, string];
  return { params: params.split(' ').map((name) => types[name] as GoType), result: types[result] as GoType };
}

const testType = 'func([]interface {}, func(interface {}) bool) bool';
const predicateTypes: Readonly<Record<string, string>> = {
  all: testType,
  any: testType,
  none: testType,
  one: testType,
};

/** The type of a function that is named without being called. */
export function builtinType(name: string): GoType {
  const [first] = signatures.get(name) ?? [];
  const typed = first && `func(${first.params.map((type) => type.name).join(', ')}) ${first.result.name}`;
  const text = predicateTypes[name] ?? typed ?? 'func(...interface {}) (interface {}, error)';
  return { name: text, kind: 'func', named: false };
}

/** The nature of the result, or why the arguments do not fit. */
type Validation = (args: readonly Nature[]) => Nature | string;

const numbers = 'float32 float64 int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64'.split(' ');
const kindOf = ({ type }: Nature): string => type?.kind ?? 'invalid';
/** As messages print it, where Go has no type for nil. */
const shown = (nature: Nature): string =>
  nature.isNil ? '%!s(<nil>)' : isUnknown(nature) ? 'interface {}' : natureText(nature);
const oneOf = (nature: Nature, kinds: readonly string[]): boolean =>
  isUnknown(nature) || kinds.includes(kindOf(nature));

function single(kinds: readonly string[], words: string, result: (arg: Nature) => Nature): Validation {
  return (args) => {
    if (args.length !== 1) return `invalid number of arguments (expected 1, got ${args.length})`;
    const [arg] = args as [Nature];
    return oneOf(arg, kinds) ? result(arg) : words.replace('%', shown(arg));
  };
}

const int = (): Nature => ofType(intType);
const float = (): Nature => ofType(float64Type);
const list = (): Nature => ofType(sliceOfAny);
const lists = ['slice', 'array'];
const element = (arg: Nature): Nature => (isUnknown(arg) ? unknown : ofType(arg.type?.elem));

function aggregate(name: string): Validation {
  return (args) => {
    if (args.length === 0) return `not enough arguments to call ${name}`;
    for (const arg of args) {
      if (oneOf(arg, lists)) return unknown;
      if (!numbers.includes(kindOf(arg))) return `invalid argument for ${name} (type ${shown(arg)})`;
    }
    return args[0] as Nature;
  };
}

/** Functions that look at their arguments in ways of their own. */
export const validations: ReadonlyMap<string, Validation> = new Map<string, Validation>([
  ['len', single([...lists, 'map', 'string'], 'invalid argument for len (type %)', int)],
  ['abs', single(numbers, 'invalid argument for abs (type %)', (arg) => (isUnknown(arg) ? unknown : arg))],
  ['ceil', single(numbers, 'invalid argument for ceil (type %)', float)],
  ['floor', single(numbers, 'invalid argument for floor (type %)', float)],
  ['round', single(numbers, 'invalid argument for round (type %)', float)],
  ['int', single([...numbers, 'string'], 'invalid argument for int (type %)', int)],
  ['float', single([...numbers, 'string'], 'invalid argument for float (type %)', float)],
  ['first', single(lists, 'cannot get first element from %', element)],
  ['last', single(lists, 'cannot get last element from %', element)],
  ['keys', single(['map'], 'cannot get keys from %', list)],
  ['values', single(['map'], 'cannot get values from %', list)],
  ['toPairs', single(['map'], 'cannot transform % to pairs', list)],
  ['fromPairs', single(lists, 'cannot transform % from pairs', () => ofType(mapOf(anyType, anyType)))],
  ['reverse', single(lists, 'cannot reverse %', list)],
  ['uniq', single(lists, 'cannot uniq %', list)],
  ['flatten', single(lists, 'cannot flatten %', list)],
  ['max', aggregate('max')],
  ['min', aggregate('min')],
  ['mean', aggregate('mean')],
  ['median', aggregate('median')],
  [
    'concat',
    (args) => {
      if (args.length === 0) return 'invalid number of arguments (expected at least 1, got 0)';
      const wrong = args.find((arg) => !oneOf(arg, lists));
      return wrong ? `cannot concat ${shown(wrong)}` : list();
    },
  ],
  [
    'take',
    (args) => {
      if (args.length !== 2) return `invalid number of arguments (expected 2, got ${args.length})`;
      const [from, count] = args as [Nature, Nature];
      if (!oneOf(from, lists)) return `cannot take from ${shown(from)}`;
      if (!oneOf(count, ['int', 'int8', 'int16', 'int32', 'int64'])) return `cannot take ${shown(count)} elements`;
      return isUnknown(from) ? unknown : ofType(from.type);
    },
  ],
  [
    'now',
    (args) => {
      const isZone = args.length === 1 && args[0]?.type === locationType;
      if (args.length === 0 || isZone) return ofType(timeType);
      return `invalid number of arguments (expected 0, got ${args.length})`;
    },
  ],
  [
    'date',
    (args) => {
      if (args.length < 1) return `invalid number of arguments (expected at least 1, got ${args.length})`;
      const rest = args[0]?.type === locationType ? args.length - 1 : args.length;
      if (rest > 3) return `invalid number of arguments (expected at most 3, got ${rest})`;
      return ofType(timeType);
    },
  ],
]);
