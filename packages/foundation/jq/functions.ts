import { RE2JS } from 're2js';
import { brokenDown, readTime, secondsOf, timeText } from './dates.ts';
import { jsonOf, textOf } from './formats.ts';
import { isObject } from './is-object.ts';
import { compareValues, indicesOf, JqError, type Path, type Payer, typeOf, updateAt, withoutPaths } from './values.ts';

type Run = (value: unknown, parameters: readonly unknown[], payer: Payer) => unknown;

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new JqError(`${typeOf(value)} is no string`);
}

function number(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new JqError(`${typeOf(value)} is no number`);
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw new JqError(`${typeOf(value)} is no array`);
}

function keysOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return [...value.keys()];
  if (isObject(value)) return Object.keys(value).sort();
  throw new JqError(`${typeOf(value)} has no keys`);
}

function lengthOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'number') return Math.abs(value);
  if (typeof value === 'string') return [...value].length;
  if (typeof value === 'boolean') throw new JqError('boolean has no length');
  return keysOf(value).length;
}

function contains(value: unknown, part: unknown): boolean {
  if (isObject(value) && isObject(part))
    return Object.entries(part).every(([key, inner]) => Object.hasOwn(value, key) && contains(value[key], inner));
  if (Array.isArray(value) && Array.isArray(part))
    return part.every((inner) => value.some((item) => contains(item, inner)));
  if (typeof value === 'string' && typeof part === 'string') return value.includes(part);
  if (typeOf(value) !== typeOf(part)) throw new JqError(`${typeOf(value)} cannot contain ${typeOf(part)}`);
  return compareValues(value, part) === 0;
}

function has(value: unknown, key: unknown): boolean {
  if (value === null) return false;
  if (isObject(value) && typeof key === 'string') return Object.hasOwn(value, key);
  if (Array.isArray(value) && typeof key === 'number') return key >= 0 && key < value.length;
  throw new JqError(`${typeOf(value)} cannot have a key of ${typeOf(key)}`);
}

function flatten(value: unknown, depth: number): unknown[] {
  const items = isObject(value) ? keysOf(value).map((key) => value[key as string]) : list(value);
  return items.flatMap((item) => (Array.isArray(item) && depth > 0 ? flatten(item, depth - 1) : [item]));
}

function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  const found = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text(value)) ? Number(value) : Number.NaN;
  if (Number.isNaN(found)) throw new JqError(`cannot make a number of ${JSON.stringify(value)}`);
  return found;
}

function parse(value: unknown): unknown {
  try {
    return JSON.parse(text(value));
  } catch (error) {
    throw error instanceof SyntaxError ? new JqError(`no JSON: ${error.message}`) : error;
  }
}

const patterns = new Map<string, RE2JS>();

/** Expressions run in linear time, as upstream. */
function pattern(source: string, flags: string): RE2JS {
  const id = `${flags} ${source}`;
  const known = patterns.get(id);
  if (known) return known;
  if (/[^gimnpsl]/.test(flags)) throw new JqError(`${flags} are no flags of a regular expression`);
  const options = (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (/[sp]/.test(flags) ? RE2JS.DOTALL : 0);
  try {
    const made = RE2JS.compile(source.replace(/\(\?<(?=[A-Za-z_])/g, '(?P<'), options);
    if (patterns.size > 500) patterns.clear();
    patterns.set(id, made);
    return made;
  } catch (error) {
    throw new JqError(
      `${JSON.stringify(source)} is no regular expression: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function matches(value: unknown, [source, flags]: readonly unknown[], payer: Payer): unknown[] {
  const subject = text(value);
  const options = flags === null || flags === undefined ? '' : text(flags);
  const matcher = pattern(text(source), options).matcher(subject);
  const characters = (unit: number) => [...subject.slice(0, unit)].length;
  const names = new Map(Object.entries(matcher.namedGroups ?? {}).map(([name, index]) => [index as number, name]));
  const found: unknown[] = [];
  while (matcher.find()) {
    payer.charge(subject.length >> 3);
    const part = (group: number) => {
      const string = matcher.group(group) ?? null;
      return {
        offset: string === null ? -1 : characters(matcher.start(group)),
        length: string === null ? 0 : [...string].length,
        string,
      };
    };
    const captures = Array.from({ length: matcher.groupCount() }, (_, i) => ({
      ...part(i + 1),
      name: names.get(i + 1) ?? null,
    }));
    found.push({ ...part(0), captures });
    if (!options.includes('g')) break;
  }
  return found;
}

function split(value: unknown, [separator, flags]: readonly unknown[], payer: Payer): string[] {
  const subject = text(value);
  const parts: string[] = [];
  const characters = [...subject];
  let from = 0;
  for (const match of matches(subject, [separator, `g${flags === null ? '' : text(flags)}`], payer)) {
    const { offset, length } = match as { offset: number; length: number };
    parts.push(characters.slice(from, offset).join(''));
    from = offset + length;
  }
  parts.push(characters.slice(from).join(''));
  return parts;
}

function indices(value: unknown, wanted: unknown): unknown {
  if (value === null) return null;
  if (typeof value === 'string' && typeof wanted === 'string') return indicesOf([...value], [...wanted]);
  return indicesOf(list(value), Array.isArray(wanted) ? wanted : [wanted]);
}

function trimmed(value: string, start: string, end: string): string {
  const rest = value.startsWith(start) ? value.slice(start.length) : value;
  return end && rest.endsWith(end) ? rest.slice(0, -end.length) : rest;
}

const mathFunctions = [
  ...([
    'floor',
    'ceil',
    'round',
    'sqrt',
    'fabs',
    'trunc',
    'exp',
    'log',
    'log2',
    'log10',
    'log1p',
    'expm1',
    'cbrt',
  ] as const),
  ...(['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'] as const),
] as const;

/** Functions by name and number of parameters, whose values are given. */
export const functions: Readonly<Record<string, Run>> = {
  'not/0': (value) => !(value !== null && value !== false),
  'length/0': lengthOf,
  'utf8bytelength/0': (value) => Buffer.byteLength(text(value)),
  'type/0': typeOf,
  'keys/0': keysOf,
  'keys_unsorted/0': keysOf,
  'has/1': (value, [key]) => has(value, key),
  'contains/1': (value, [part]) => contains(value, part),
  'startswith/1': (value, [part]) => text(value).startsWith(text(part)),
  'endswith/1': (value, [part]) => text(value).endsWith(text(part)),
  'ltrimstr/1': (value, [part]) => trimmed(text(value), text(part), ''),
  'rtrimstr/1': (value, [part]) => trimmed(text(value), '', text(part)),
  'trimstr/1': (value, [part]) => trimmed(text(value), text(part), text(part)),
  'trim/0': (value) => text(value).trim(),
  'ltrim/0': (value) => text(value).trimStart(),
  'rtrim/0': (value) => text(value).trimEnd(),
  'split/1': (value, [separator]) => (text(value) === '' ? [] : text(value).split(text(separator))),
  'split/2': split,
  'matches/2': matches,
  'test/2': (value, parameters, payer) => matches(value, parameters, payer).length > 0,
  'ascii_downcase/0': (value) => text(value).replace(/[A-Z]/g, (c) => c.toLowerCase()),
  'ascii_upcase/0': (value) => text(value).replace(/[a-z]/g, (c) => c.toUpperCase()),
  'explode/0': (value) => [...text(value)].map((c) => c.codePointAt(0)),
  'implode/0': (value) =>
    String.fromCodePoint(...list(value).map((code) => Math.min(Math.max(number(code) | 0, 0), 0x10ffff))),
  'tostring/0': textOf,
  'tonumber/0': toNumber,
  'tojson/0': jsonOf,
  'fromjson/0': parse,
  'ascii/0': (value) => String.fromCharCode(number(value)),
  'reverse/0': (value) =>
    typeof value === 'string' ? [...value].reverse().join('') : value === null ? [] : [...list(value)].reverse(),
  'sort/0': (value, _parameters, payer) => {
    payer.charge(list(value).length * 4);
    return [...list(value)].sort(compareValues);
  },
  'flatten/1': (value, [depth]) => flatten(value, number(depth)),
  'indices/1': (value, [wanted]) => indices(value, wanted),
  'delpaths/1': (value, [paths], payer) =>
    withoutPaths(
      value,
      list(paths).map((path) => list(path) as Path),
      payer,
    ),
  'setpath/2': (value, [path, wanted], payer) => updateAt(value, list(path), () => wanted, payer),
  'infinite/0': () => Number.POSITIVE_INFINITY,
  'nan/0': () => Number.NaN,
  'isnan/0': (value) => Number.isNaN(number(value)),
  'isinfinite/0': (value) => Math.abs(number(value)) >= Number.MAX_VALUE,
  'isnormal/0': (value) => Number.isFinite(number(value)) && number(value) !== 0,
  'pow/2': (_value, [base, exponent]) => number(base) ** number(exponent),
  'abs/0': (value) => Math.abs(number(value)),
  'env/0': () => ({}),
  'now/0': (_value, _parameters, payer) => {
    if (!payer.now) throw new JqError('there is no clock here');
    return payer.now() / 1000;
  },
  'gmtime/0': brokenDown,
  'localtime/0': brokenDown,
  'mktime/0': secondsOf,
  'strftime/1': (value, [format]) => timeText(value, format),
  'strflocaltime/1': (value, [format]) => timeText(value, format),
  'strptime/1': (value, [format]) => readTime(value, format),
  ...Object.fromEntries(
    mathFunctions.map((name) => [`${name}/0`, (value: unknown) => Math[name === 'fabs' ? 'abs' : name](number(value))]),
  ),
};
