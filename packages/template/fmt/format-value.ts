import { sortedEntries } from '../value/sorted-entries.ts';
import {
  GoComplex,
  GoError,
  GoFloat32,
  GoFunction,
  GoInt,
  GoMap,
  GoNil,
  GoSlice,
  GoString,
  GoStruct,
  type GoValue,
  typeOf,
  type Value,
} from '../value/value.ts';
import { formatDuration } from './format-duration.ts';
import { formatGeneral } from './format-float.ts';

/** What `fmt.Sprint` prints for one value: the verb `%v`; `plus` is `%+v`. */
export function formatValue(value: Value, plus = false, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return formatGeneral(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'undefined':
      return '<nil>';
  }
  if (value === null) return '<nil>';
  if (depth > 1000) return '...';
  if (value instanceof Map || value instanceof GoMap) return formatMap(value, plus, depth);
  if (Array.isArray(value)) return formatItems(value, plus, depth);
  if (value instanceof Uint8Array) return `[${[...value].join(' ')}]`;
  return formatGo(value, plus, depth);
}

function formatMap(value: Map<string, Value> | GoMap, plus: boolean, depth: number): string {
  const parts = sortedEntries(value).map(
    ([key, item]) => `${formatValue(key, plus, depth + 1)}:${formatValue(item, plus, depth + 1)}`,
  );
  return `map[${parts.join(' ')}]`;
}

function formatItems(items: readonly Value[], plus: boolean, depth: number): string {
  return `[${items.map((item) => formatValue(item, plus, depth + 1)).join(' ')}]`;
}

function formatGo(value: GoValue, plus: boolean, depth: number): string {
  if (value instanceof GoInt)
    return value.type.name === 'time.Duration' ? formatDuration(value.value) : String(value.value);
  if (value instanceof GoString) return value.value;
  if (value instanceof GoFloat32) return formatGeneral(value.value, 32);
  if (value instanceof GoSlice) return formatItems(value.items, plus, depth);
  if (value instanceof GoError) return value.message;
  if (value instanceof GoNil) return '<nil>';
  if (value instanceof GoComplex)
    return `(${formatGeneral(value.real)}${value.imaginary >= 0 ? '+' : ''}${formatGeneral(value.imaginary)}i)`;
  if (value instanceof GoStruct) return formatStruct(value, plus, depth);
  return value instanceof GoFunction ? '0x0' : String(value);
}

function formatStruct(value: GoStruct, plus: boolean, depth: number): string {
  const text = value.toGoString();
  // Methods of a field that is no pointer can't be called by fmt.
  if (text !== undefined && depth === 0) return text;
  if (value.type.kind === 'ptr' && depth > 0) return '0xc000012345';
  const fields = [...value.fields].map(([name, item]) => (plus ? `${name}:` : '') + formatValue(item, plus, depth + 1));
  return `${value.type.kind === 'ptr' ? '&' : ''}{${fields.join(' ')}}`;
}

/** The name of a value's type as `%T` prints it. */
export function typeName(value: Value): string {
  return typeOf(value)?.name ?? '<nil>';
}
