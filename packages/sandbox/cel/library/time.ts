import { readDuration } from '@tiphys/go';
import { type Overload, overload } from '../language/functions.ts';
import { CelError, Duration, Timestamp } from '../language/values.ts';

const SECOND = 1_000_000_000n;
const FIRST = -62_135_596_800n * SECOND;
const LAST = 253_402_300_800n * SECOND;

export function checkedTimestamp(nanos: bigint, offset = 0): Timestamp {
  if (nanos < FIRST || nanos >= LAST) throw new CelError('timestamp overflow');
  return new Timestamp(nanos, offset);
}

export function checkedDuration(nanos: bigint): Duration {
  if (nanos >= 2n ** 63n || nanos < -(2n ** 63n)) throw new CelError('integer overflow');
  return new Duration(nanos);
}

/** Reads Go's durations, such as `1h30m`; undefined for other texts. */
export function parseDuration(text: string): Duration | undefined {
  const nanos = readDuration(text);
  return typeof nanos === 'bigint' ? new Duration(nanos) : undefined;
}

/** Reads an RFC 3339 time; undefined for other texts. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[T](\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (!match) return undefined;
  const [, date, time, fraction = '', zone] = match;
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  if (Number.isNaN(milliseconds) || Number(date?.slice(8)) !== new Date(`${date}T00:00:00Z`).getUTCDate())
    return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone ?? '') ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  return new Timestamp(BigInt(milliseconds) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')), offset);
}

export function formatTimestamp({ nanos, offset }: Timestamp): string {
  const fraction = ((nanos % SECOND) + SECOND) % SECOND;
  const shown = (nanos - fraction) / 1_000_000n + BigInt(offset * 60_000);
  const text = new Date(Number(shown)).toISOString().slice(0, 19);
  const digits =
    fraction === 0n
      ? ''
      : `.${String(fraction)
          .padStart(9, '0')
          .replace(/(?<!0)0+$/, '')}`;
  const size = Math.abs(offset);
  const pad = (part: number) => String(part).padStart(2, '0');
  const zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${pad(Math.trunc(size / 60))}:${pad(size % 60)}`;
  return `${text}${digits}${zone}`;
}

/** Seconds, as CEL writes durations: `90s`, `0.5s`, with the digits that a double has. */
export function formatDuration({ nanos }: Duration): string {
  const seconds = Number(nanos / SECOND) + Number(nanos % SECOND) / 1e9;
  return `${plainNumber(seconds)}s`;
}

/** A double with its shortest digits and without an exponent. */
export function plainNumber(value: number): string {
  const [digits = '', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  const sign = digits.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const power = Number(exponent);
  return power < 0
    ? `${sign}0.${'0'.repeat(-power - 1)}${whole}${fraction}`
    : `${sign}${whole}${fraction.padEnd(power, '0')}`;
}

interface Parts {
  year: number;
  month: number;
  day: number;
  weekday: number;
  hour: number;
  minute: number;
  second: number;
}

/** The clock's face at a place: an IANA name or an offset. */
function partsOf({ nanos }: Timestamp, zone: string): Parts {
  const milliseconds = Number(nanos / 1_000_000n);
  const offset = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  const shift = offset
    ? (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3]))
    : zoneShift(milliseconds, zone);
  const date = new Date(milliseconds + shift * 60_000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** Minutes east of Greenwich. */
function zoneShift(milliseconds: number, zone: string): number {
  if (zone === '' || zone === 'UTC') return 0;
  let text: string;
  try {
    text = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).format(milliseconds);
  } catch (error) {
    if (error instanceof RangeError) throw new CelError(`unknown time zone ${zone}`);
    throw error;
  }
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(text);
  return match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
}

function dayOfYear({ year, month, day }: Parts): number {
  return (Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / 86_400_000;
}

const GETTERS: Record<string, (parts: Parts) => number> = {
  getFullYear: ({ year }) => year,
  getMonth: ({ month }) => month,
  getDate: ({ day }) => day,
  getDayOfMonth: ({ day }) => day - 1,
  getDayOfWeek: ({ weekday }) => weekday,
  getDayOfYear: dayOfYear,
  getHours: ({ hour }) => hour,
  getMinutes: ({ minute }) => minute,
  getSeconds: ({ second }) => second,
};

const milliseconds = (nanos: bigint): bigint => (((nanos / 1_000_000n) % 1000n) + 1000n) % 1000n;

export const time: readonly Overload[] = [
  ...Object.entries(GETTERS).flatMap(([name, get]) => [
    overload(`timestamp.${name}(): int`, (value: Timestamp) => BigInt(get(partsOf(value, '')))),
    overload(`timestamp.${name}(string): int`, (value: Timestamp, zone: string) => BigInt(get(partsOf(value, zone)))),
  ]),
  overload('timestamp.getMilliseconds(): int', (value: Timestamp) => milliseconds(value.nanos)),
  overload('timestamp.getMilliseconds(string): int', (value: Timestamp, zone: string) => {
    partsOf(value, zone);
    return milliseconds(value.nanos);
  }),
  overload('duration.getHours(): int', (value: Duration) => value.nanos / (3600n * SECOND)),
  overload('duration.getMinutes(): int', (value: Duration) => value.nanos / (60n * SECOND)),
  overload('duration.getSeconds(): int', (value: Duration) => value.nanos / SECOND),
  overload('duration.getMilliseconds(): int', (value: Duration) => value.nanos / 1_000_000n),
];
