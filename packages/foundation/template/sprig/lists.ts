import { int64Of, isEmpty } from '../fmt/convert.ts';
import { deepEqual } from '../value/deep-equal.ts';
import { define, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import { sliceOf, sliceOfAny, sliceOfInt } from '../value/type.ts';
import { elementsOf, GoSlice, int, integerOf, typeOf, type Value } from '../value/value.ts';

function kindName(value: Value): string {
  return typeOf(value)?.kind ?? 'invalid';
}

function items(value: Value, refuse: (kind: string) => string): readonly Value[] {
  const list = elementsOf(value);
  if (list) return list;
  if (value === null || value === undefined)
    throw new FunctionError('runtime error: invalid memory address or nil pointer dereference');
  throw new FunctionError(refuse(kindName(value)));
}

const find = (what: string) => (kind: string) => `Cannot find ${what} on type ${kind}`;
const nilList = (): Value => new GoSlice(sliceOfAny, [], true);

function chunk([size, list]: Value[]): Value {
  const all = items(list, (kind) => `Cannot chunk type ${kind}`);
  const width = Number(integerOf(size) ?? 0n);
  if (width <= 0) throw new FunctionError('runtime error: makeslice: len out of range');
  const chunks: Value[] = [];
  for (let i = 0; i < all.length; i += width) chunks.push(all.slice(i, i + width));
  return new GoSlice(sliceOf(sliceOfAny), chunks);
}

function uniq([list]: Value[]): Value {
  const seen: Value[] = [];
  for (const item of items(list, find('uniq'))) if (!seen.some((known) => deepEqual(item, known))) seen.push(item);
  return seen;
}

function slice([list, ...indexes]: Value[]): Value {
  const all = items(list, (kind) => `list should be type of slice or array but ${kind}`);
  if (all.length === 0) return null;
  const start = indexes.length > 0 ? Number(int64Of(indexes[0])) : 0;
  const end = indexes.length < 2 ? all.length : Number(int64Of(indexes[1]));
  if (start < 0 || end > all.length || start > end)
    throw new FunctionError('reflect.Value.Slice: slice index out of bounds');
  if (list instanceof Uint8Array) return list.subarray(start, end);
  const part = all.slice(start, end);
  return list instanceof GoSlice ? new GoSlice(list.type, part) : part;
}

function concat(lists: Value[]): Value {
  const all: Value[] = [];
  for (const list of lists)
    for (const item of items(list, (kind) => `Cannot concat type ${kind} as list`)) all.push(item);
  return all.length === 0 ? nilList() : all;
}

function has([needle, haystack]: Value[]): Value {
  if (haystack === null || haystack === undefined) return false;
  return items(haystack, find('has')).some((item) => deepEqual(needle, item));
}

function range(start: number, stop: number, step: number, limit: (count: number) => void): Value[] {
  const values: Value[] = [];
  if ((stop < start && step >= 0) || (stop >= start && step <= 0)) return values;
  limit(Math.ceil(Math.abs((stop - start) / step)));
  for (let i = start; stop < start ? i > stop : i < stop; i += step) values.push(int(i));
  return values;
}

type Body = FunctionSpec['call'];
const both = (name: string, signature: string, body: Body): [string, FunctionSpec][] => {
  const spec = define(signature, body);
  return [
    [name, spec],
    [`must${name[0]?.toUpperCase()}${name.slice(1)}`, spec],
  ];
};

const first: Body = ([list]) => items(list, find('first'))[0] ?? null;
const last: Body = ([list]) => items(list, find('last')).at(-1) ?? null;
const rest: Body = ([list]) => {
  const all = items(list, find('rest'));
  return all.length === 0 ? nilList() : all.slice(1);
};
const initial: Body = ([list]) => {
  const all = items(list, find('initial'));
  return all.length === 0 ? nilList() : all.slice(0, -1);
};
const number = (value: Value): number => Number(integerOf(value) ?? 0n);

function seq(params: readonly number[], limit: (count: number) => void): string {
  const join = (start: number, stop: number, step: number): string =>
    range(start, stop, step, limit)
      .map((value) => String(integerOf(value)))
      .join(' ');
  const [a = 0, b = 0, c = 0] = params;
  if (params.length === 1) return join(1, a < 1 ? a - 1 : a + 1, a < 1 ? -1 : 1);
  if (params.length === 2) return join(a, b < a ? b - 1 : b + 1, b < a ? -1 : 1);
  if (params.length !== 3) return '';
  if (c < a && b > 0) return '';
  return join(a, c < a ? c - 1 : c + 1, b);
}

/** Sprig's functions on lists. */
export const listFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['list', define('...any', (args) => args)],
  ['tuple', define('...any', (args) => args)],
  ...both('append', 'any, any', ([list, item]) => [...items(list, (kind) => `Cannot push on type ${kind}`), item]),
  ...both('push', 'any, any', ([list, item]) => [...items(list, (kind) => `Cannot push on type ${kind}`), item]),
  ...both('prepend', 'any, any', ([list, item]) => [item, ...items(list, (kind) => `Cannot prepend on type ${kind}`)]),
  ...both('first', 'any', first),
  ...both('last', 'any', last),
  ...both('rest', 'any', rest),
  ...both('initial', 'any', initial),
  ...both('reverse', 'any', ([list]) => [...items(list, find('reverse'))].reverse()),
  ...both('compact', 'any', ([list]) =>
    items(list, (kind) => `Cannot compact on type ${kind}`).filter((item) => !isEmpty(item)),
  ),
  ...both('uniq', 'any', uniq),
  ...both('without', 'any, ...any', ([list, ...omit]) =>
    items(list, find('without')).filter((item) => !omit.some((other) => deepEqual(item, other))),
  ),
  ...both('has', 'any, any', has),
  ...both('slice', 'any, ...any', slice),
  ...both('chunk', 'int, any', chunk),
  ['concat', define('...any', concat)],
  [
    'until',
    define('int', ([count], context) =>
      intSlice(range(0, number(count), number(count) < 0 ? -1 : 1, (size) => context.budget.list(size))),
    ),
  ],
  [
    'untilStep',
    define('int, int, int', ([start, stop, step], context) =>
      intSlice(range(number(start), number(stop), number(step), (size) => context.budget.list(size))),
    ),
  ],
  ['seq', define('...int', (args, context) => seq(args.map(number), (size) => context.budget.list(size)))],
]);

function intSlice(values: Value[]): Value {
  return new GoSlice(sliceOfInt, values);
}
