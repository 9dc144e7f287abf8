import { RE2JS } from 're2js';
import { type Overload, overload } from '../language/functions.ts';
import {
  CelError,
  checkedInt,
  type Duration,
  type MapKey,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from '../language/values.ts';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time.ts';

function fails(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

function toInt(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw fails('string', 'int');
  const value = BigInt(text.replace('+', ''));
  if (value >= 2n ** 63n || value < -(2n ** 63n)) throw fails('string', 'int');
  return value;
}

function doubleToInt(value: number): bigint {
  if (!Number.isFinite(value) || value >= 2 ** 63 || value <= -(2 ** 63)) throw new CelError('integer overflow');
  return BigInt(Math.trunc(value));
}

function toUint(value: bigint): Uint {
  if (value < 0n || value >= 2n ** 64n) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

function toDouble(text: string): number {
  const value = /^[+-]?(Inf|Infinity)$/i.test(text) ? Number(text.replace(/inf(inity)?/i, 'Infinity')) : Number(text);
  if (text.trim() !== text || text === '' || (Number.isNaN(value) && !/^nan$/i.test(text)))
    throw fails('string', 'double');
  return value;
}

function toBool(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw fails('string', 'bool');
}

/** A double as Go's shortest form writes it. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    const [mantissa, exponent = ''] = value.toExponential().split('e');
    return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
  }
  return String(value);
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
    throw error;
  }
}

const patterns = new Map<string, RE2JS>();

/** Compiles a pattern once, with Go's words when it is none. */
export function pattern(text: string): RE2JS {
  let compiled = patterns.get(text);
  if (!compiled) {
    try {
      compiled = RE2JS.compile(text);
    } catch (error) {
      throw new CelError(error instanceof Error ? error.message.toString() : String(error));
    }
    if (patterns.size > 1000) patterns.clear();
    patterns.set(text, compiled);
  }
  return compiled;
}

const characters = (text: string): bigint => BigInt([...text].length);
const matches = (text: string, expression: string): boolean => pattern(expression).matcher(text).find();

export const conversions: readonly Overload[] = [
  overload('dyn(A): dyn', (value: Value) => value),
  overload('type(A): type<A>', (value: Value) => new TypeValue(typeNameOf(value))),
  overload('int(int): int', (value: bigint) => value),
  overload('int(uint): int', (value: Uint) => checkedInt(value.value)),
  overload('int(double): int', doubleToInt),
  overload('int(string): int', toInt),
  overload('int(timestamp): int', (value: Timestamp) => value.nanos / 1_000_000_000n),
  overload('int(duration): int', (value: Duration) => value.nanos),
  overload('uint(uint): uint', (value: Uint) => value),
  overload('uint(int): uint', toUint),
  overload('uint(double): uint', (value: number) => {
    if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) throw new CelError('unsigned integer overflow');
    return new Uint(BigInt(Math.trunc(value)));
  }),
  overload('uint(string): uint', (text: string) => {
    if (!/^\d+$/.test(text) || BigInt(text) >= 2n ** 64n) throw fails('string', 'uint');
    return new Uint(BigInt(text));
  }),
  overload('double(double): double', (value: number) => value),
  overload('double(int): double', (value: bigint) => Number(value)),
  overload('double(uint): double', (value: Uint) => Number(value.value)),
  overload('double(string): double', toDouble),
  overload('bool(bool): bool', (value: boolean) => value),
  overload('bool(string): bool', toBool),
  overload('string(string): string', (value: string) => value),
  overload('string(bool): string', (value: boolean) => String(value)),
  overload('string(int): string', (value: bigint) => String(value)),
  overload('string(uint): string', (value: Uint) => String(value.value)),
  overload('string(double): string', formatDouble),
  overload('string(bytes): string', toText),
  overload('string(timestamp): string', formatTimestamp),
  overload('string(duration): string', formatDuration),
  overload('bytes(bytes): bytes', (value: Uint8Array) => value),
  overload('bytes(string): bytes', (value: string) => new Uint8Array(Buffer.from(value))),
  overload('timestamp(timestamp): timestamp', (value: Timestamp) => value),
  overload('timestamp(string): timestamp', (text: string) => {
    const value = parseTimestamp(text);
    if (!value) throw fails('string', 'google.protobuf.Timestamp');
    return value;
  }),
  overload('timestamp(int): timestamp', (value: bigint) => new Timestamp(value * 1_000_000_000n)),
  overload('duration(duration): duration', (value: Duration) => value),
  overload('duration(string): duration', (text: string) => {
    const value = parseDuration(text);
    if (!value) throw fails('string', 'google.protobuf.Duration');
    return value;
  }),
  overload('size(string): int', characters),
  overload('size(bytes): int', (value: Uint8Array) => BigInt(value.length)),
  overload('size(list<A>): int', (value: readonly Value[]) => BigInt(value.length)),
  overload('size(map<A, B>): int', (value: ReadonlyMap<MapKey, Value>) => BigInt(value.size)),
  overload('string.size(): int', characters),
  overload('bytes.size(): int', (value: Uint8Array) => BigInt(value.length)),
  overload('list<A>.size(): int', (value: readonly Value[]) => BigInt(value.length)),
  overload('map<A, B>.size(): int', (value: ReadonlyMap<MapKey, Value>) => BigInt(value.size)),
  overload('string.contains(string): bool', (text: string, part: string) => text.includes(part)),
  overload('string.startsWith(string): bool', (text: string, part: string) => text.startsWith(part)),
  overload('string.endsWith(string): bool', (text: string, part: string) => text.endsWith(part)),
  overload('matches(string, string): bool', matches),
  overload('string.matches(string): bool', matches),
];
