import { isObject } from './is-object.ts';

/** An error of a program: what `try` catches. */
export class JqError extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super(typeof value === 'string' ? value : JSON.stringify(value));
    this.value = value;
  }
}

export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function isTrue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false;
}

const order = ['null', 'false', 'true', 'number', 'string', 'array', 'object'];
const rank = (value: unknown) => order.indexOf(typeof value === 'boolean' ? String(value) : typeOf(value));

/** Below zero, zero or above, by the order of jq over all values. */
export function compareValues(a: unknown, b: unknown): number {
  const difference = rank(a) - rank(b);
  if (difference !== 0) return difference;
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string')
    return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  if (!isObject(a) || !isObject(b)) return 0;
  const [left, right] = [Object.keys(a).sort(), Object.keys(b).sort()];
  const keys = compareLists(left, right);
  if (keys !== 0) return keys;
  for (const key of left) {
    const found = compareValues(a[key], b[key]);
    if (found !== 0) return found;
  }
  return 0;
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const found = compareValues(a[i], b[i]);
    if (found !== 0) return found;
  }
  return a.length - b.length;
}

const shown = (value: unknown) => `${typeOf(value)} (${(JSON.stringify(value) ?? 'null').slice(0, 40)})`;

/** `+`, `-`, `*`, `/`, `%`. */
export function arithmetic(operator: string, a: unknown, b: unknown): unknown {
  if (typeof a === 'number' && typeof b === 'number') return numbers(operator, a, b);
  if (operator === '+') {
    if (a === null || a === undefined) return b;
    if (b === null || b === undefined) return a;
    if (typeof a === 'string' && typeof b === 'string') return a + b;
    if (Array.isArray(a) && Array.isArray(b)) return [...(a as unknown[]), ...(b as unknown[])];
    if (isObject(a) && isObject(b)) return { ...a, ...b };
  }
  if (operator === '-' && Array.isArray(a) && Array.isArray(b))
    return a.filter((item: unknown) => !b.some((other) => compareValues(item, other) === 0));
  if (operator === '*') {
    if (typeof a === 'string' && typeof b === 'number') return b <= 0 ? null : repeat(a, b);
    if (isObject(a) && isObject(b)) return deepMerge(a, b);
  }
  if (operator === '/' && typeof a === 'string' && typeof b === 'string') return a === '' ? [] : a.split(b);
  throw new JqError(`cannot compute ${shown(a)} ${operator} ${shown(b)}`);
}

function repeat(text: string, count: number): string {
  if (text.length * count > 1_000_000) throw new JqError('a repeated string is too long');
  return text.repeat(Math.ceil(count));
}

function numbers(operator: string, a: number, b: number): number {
  if ((operator === '/' || operator === '%') && Math.trunc(b) === 0 && (operator === '%' || b === 0))
    throw new JqError(`cannot divide ${a} by ${b}`);
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return Math.trunc(a) % Math.trunc(b);
  }
}

function deepMerge(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = merged[key];
    merged[key] = isObject(before) && isObject(value) ? deepMerge(before, value) : value;
  }
  return merged;
}

export type Path = readonly unknown[];

/** The value at an index of any kind; null where there is none. */
export function valueAtIndex(value: unknown, index: unknown): unknown {
  if (value === null || value === undefined) {
    if (typeof index === 'string' || typeof index === 'number' || index === null || isObject(index)) return null;
  } else if (isObject(value) && typeof index === 'string') return Object.hasOwn(value, index) ? value[index] : null;
  else if (Array.isArray(value)) {
    if (typeof index === 'number') return value.at(Math.floor(index)) ?? null;
    if (isObject(index)) return value.slice(...bounds(value.length, index));
    if (Array.isArray(index)) return indicesOf(value, index);
  } else if (typeof value === 'string' && typeof index === 'number') {
    return [...value].at(Math.floor(index)) ?? null;
  } else if (typeof value === 'string' && isObject(index)) {
    const characters = [...value];
    return characters.slice(...bounds(characters.length, index)).join('');
  }
  throw new JqError(`cannot index ${shown(value)} with ${shown(index)}`);
}

/** From where to where a slice goes. */
function bounds(length: number, { start, end }: Record<string, unknown>): [number, number] {
  const place = (at: unknown, missing: number, round: (x: number) => number) => {
    if (at === null || at === undefined) return missing;
    if (typeof at !== 'number') throw new JqError('the bounds of a slice are no numbers');
    const whole = round(at < 0 ? at + length : at);
    return Math.min(Math.max(whole, 0), length);
  };
  const from = place(start, 0, Math.floor);
  return [from, Math.max(from, place(end, length, Math.ceil))];
}

export function indicesOf(value: readonly unknown[], wanted: readonly unknown[]): number[] {
  const found: number[] = [];
  if (wanted.length === 0) return found;
  for (let i = 0; i + wanted.length <= value.length; i++)
    if (wanted.every((item, j) => compareValues(value[i + j], item) === 0)) found.push(i);
  return found;
}

/** Pays for work that grows with values. */
export interface Payer {
  charge(steps: number): void;
  /** Milliseconds since 1970; absent where a program must give the same at all times. */
  readonly now?: (() => number) | undefined;
}

/** A copy with the value at the path set; `change` makes it of what is there. */
export function updateAt(value: unknown, path: Path, change: (value: unknown) => unknown, payer: Payer): unknown {
  const [head, ...rest] = path;
  if (path.length === 0) return change(value);
  const next = updateAt(valueAtIndex(value, head), rest, change, payer);
  payer.charge((Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0) >> 3);
  if (typeof head === 'string') return { ...(value as object | null), [head]: next };
  const list: unknown[] = Array.isArray(value) ? [...(value as unknown[])] : [];
  if (typeof head === 'number') {
    const at = head < 0 ? list.length + head : head;
    if (at < 0 || at > 100_000) throw new JqError('an index is out of bounds');
    while (list.length < at) list.push(null);
    list[at] = next;
    return list;
  }
  if (!isObject(head) || !Array.isArray(next)) throw new JqError('a slice can only be set to an array');
  const [from, to] = bounds(list.length, head);
  list.splice(from, to - from, ...(next as unknown[]));
  return list;
}

/** A copy without what the paths name: all are found before anything goes. */
export function withoutPaths(value: unknown, paths: readonly Path[], payer: Payer): unknown {
  let result = value;
  for (const path of [...paths].sort((a, b) => compareValues(b, a))) {
    const last = path.at(-1);
    if (path.length === 0) return null;
    const parent = path.slice(0, -1);
    if (
      path.reduce<unknown>((at, index) => (at === null ? null : valueAtIndex(at, index)), result) === null &&
      !holds(result, path)
    )
      continue;
    const without = (holder: unknown) => {
      if (Array.isArray(holder)) {
        if (isObject(last)) return updateAt(holder, [last], () => [], payer);
        const at = typeof last === 'number' ? (last < 0 ? holder.length + last : last) : -1;
        return holder.filter((_item, i) => i !== at);
      }
      const { [String(last)]: _gone, ...rest } = holder as Record<string, unknown>;
      return rest;
    };
    result = updateAt(result, parent, without, payer);
  }
  return result;
}

/** Whether there is something at the path, be it null. */
function holds(value: unknown, path: Path): boolean {
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((at, index) => (at === null ? null : valueAtIndex(at, index)), value);
  const last = path.at(-1);
  if (isObject(holder)) return typeof last === 'string' && Object.hasOwn(holder, last);
  return Array.isArray(holder) && (isObject(last) || (typeof last === 'number' && Math.abs(last) <= holder.length));
}
