import { goQuote } from '@tiphys/go';
import { monthNames } from '../../fmt/calendar-names.ts';
import { define, defineTyped, FunctionError, type FunctionSpec, unusable } from '../../value/function-spec.ts';
import { type GoType, namedType, uint64Type } from '../../value/type.ts';
import { GoInt, GoNil, GoStruct, int, integerOf, type Value } from '../../value/value.ts';
import { formatTime } from './time-layout.ts';
import { durationType, LocationValue, locationOf, locationType, monthType, weekdayType } from './time-types.ts';
import { isSummer, type Zone, zoneAt } from './time-zone.ts';

const self = (value: Value): TimeValue => value as TimeValue;
const second = 1_000_000_000n;

const part = (name: 'year' | 'day' | 'hour' | 'minute' | 'second' | 'nanosecond' | 'yearDay'): FunctionSpec =>
  define('', ([receiver]) => int(self(receiver).parts()[name]));
const duration = (nanos: bigint): Value => new GoInt(durationType, BigInt.asIntN(64, nanos));
const nanosOf = (value: Value): bigint => integerOf(value) ?? 0n;
const compared = (type: GoType, test: (difference: bigint) => boolean): FunctionSpec =>
  defineTyped([type], ([receiver, other]) => test(self(receiver).nanos - self(other).nanos));

/** Multiples are counted from year 1. */
function multiple(time: TimeValue, size: bigint, isUp: boolean): TimeValue {
  if (size <= 0n) return time;
  const rest = (time.nanos - TimeValue.zero) % size;
  return new TimeValue(time.nanos - rest + (isUp && rest * 2n >= size ? size : 0n), time.zone);
}

function addDate(time: TimeValue, years: number, months: number, days: number): TimeValue {
  const t = time.parts();
  const date = new Date(0);
  date.setUTCFullYear(t.year + years, t.month - 1 + months, t.day + days);
  date.setUTCHours(t.hour, t.minute, t.second);
  const local = BigInt(date.getTime()) * 1_000_000n + BigInt(t.nanosecond);
  const guess = new TimeValue(local - BigInt(t.offset) * second, time.zone);
  return new TimeValue(local - BigInt(guess.parts().offset) * second, time.zone);
}

const rfc3339 = (time: TimeValue): string => formatTime(time, '2006-01-02T15:04:05.999999999Z07:00');

function inLocation(time: TimeValue, location: Value): TimeValue {
  if (!(location instanceof LocationValue)) throw new FunctionError('time: missing Location in call to Time.In');
  return time.in(location.zone);
}

function append(to: Value | undefined, bytes: Uint8Array): Uint8Array {
  return to instanceof Uint8Array ? Buffer.concat([to, bytes]) : Uint8Array.from(bytes);
}

/** Version, seconds since year 1, nanoseconds, and minutes east of Greenwich: -1 for UTC. */
function toBinary(time: TimeValue): Uint8Array {
  const out = Buffer.alloc(15);
  const { offset, nanosecond } = time.parts();
  out.writeUInt8(1, 0);
  out.writeBigInt64BE(time.seconds - TimeValue.zero / second, 1);
  out.writeInt32BE(nanosecond, 9);
  out.writeInt16BE(time.zone === 'UTC' ? -1 : Math.trunc(offset / 60), 13);
  return Uint8Array.from(out);
}

export const timeType = namedType('time.Time', { kind: 'struct', fields: ['wall', 'ext', 'loc'] }, (type) =>
  Object.fromEntries<FunctionSpec>([
    ['Unix', define('', ([receiver]) => self(receiver).seconds)],
    ['UnixNano', define('', ([receiver]) => BigInt.asIntN(64, self(receiver).nanos))],
    ['UnixMilli', define('', ([receiver]) => self(receiver).nanos / 1_000_000n)],
    ['UnixMicro', define('', ([receiver]) => self(receiver).nanos / 1000n)],
    ['Year', part('year')],
    ['Month', define('', ([receiver]) => new GoInt(monthType, BigInt(self(receiver).parts().month)))],
    ['Day', part('day')],
    ['YearDay', part('yearDay')],
    ['Weekday', define('', ([receiver]) => new GoInt(weekdayType, BigInt(self(receiver).parts().weekday)))],
    ['Hour', part('hour')],
    ['Minute', part('minute')],
    ['Second', part('second')],
    ['Nanosecond', part('nanosecond')],
    ['Format', define('string', ([receiver, layout]) => formatTime(self(receiver), layout as string))],
    ['UTC', define('', ([receiver]) => self(receiver).in('UTC'))],
    ['Local', define('', ([receiver]) => self(receiver).in('UTC'))],
    ['String', define('', ([receiver]) => self(receiver).toGoString())],
    ['GoString', define('', ([receiver]) => self(receiver).toGoSyntax())],
    ['IsZero', define('', ([receiver]) => self(receiver).nanos === TimeValue.zero)],
    [
      'Add',
      defineTyped(
        [durationType],
        ([receiver, by]) => new TimeValue(self(receiver).nanos + nanosOf(by), self(receiver).zone),
      ),
    ],
    ['Sub', defineTyped([type], ([receiver, other]) => duration(self(receiver).nanos - self(other).nanos))],
    ['After', compared(type, (difference) => difference > 0n)],
    [
      'Compare',
      defineTyped([type], ([receiver, other]) => {
        const difference = self(receiver).nanos - self(other).nanos;
        return int(difference < 0n ? -1 : difference > 0n ? 1 : 0);
      }),
    ],
    ['Location', define('', ([receiver]) => new LocationValue(self(receiver).zone))],
    ['In', defineTyped([locationType], ([receiver, location]) => inLocation(self(receiver), location as Value))],
    ['IsDST', define('', ([receiver]) => isSummer(self(receiver).zone, Number(self(receiver).seconds) * 1000))],
    ['MarshalText', define('', ([receiver]) => Buffer.from(rfc3339(self(receiver))))],
    ['MarshalJSON', define('', ([receiver]) => Buffer.from(`"${rfc3339(self(receiver))}"`))],
    ['MarshalBinary', define('', ([receiver]) => toBinary(self(receiver)))],
    ['GobEncode', define('', ([receiver]) => toBinary(self(receiver)))],
    [
      'AppendFormat',
      define('[]byte, string', ([receiver, to, layout]) =>
        append(to, Buffer.from(formatTime(self(receiver), layout as string))),
      ),
    ],
    ['AppendText', define('[]byte', ([receiver, to]) => append(to, Buffer.from(rfc3339(self(receiver)))))],
    ['AppendBinary', define('[]byte', ([receiver, to]) => append(to, toBinary(self(receiver))))],
    ['Zone', unusable('invalid function signature for Zone: second return value should be error; is int')],
    ['ISOWeek', unusable('invalid function signature for ISOWeek: second return value should be error; is int')],
    [
      'ZoneBounds',
      unusable('invalid function signature for ZoneBounds: second return value should be error; is time.Time'),
    ],
    ['Date', unusable('function Date has 3 return values; should be 1 or 2')],
    ['Clock', unusable('function Clock has 3 return values; should be 1 or 2')],
    ['Before', compared(type, (difference) => difference < 0n)],
    ['Equal', compared(type, (difference) => difference === 0n)],
    ['Truncate', defineTyped([durationType], ([receiver, size]) => multiple(self(receiver), nanosOf(size), false))],
    ['Round', defineTyped([durationType], ([receiver, size]) => multiple(self(receiver), nanosOf(size), true))],
    [
      'AddDate',
      define('int, int, int', ([receiver, ...by]) => {
        const [years, months, days] = by.map((value) => Number(nanosOf(value))) as [number, number, number];
        return addDate(self(receiver), years, months, days);
      }),
    ],
  ]),
);

export interface TimeFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly yearDay: number;
  readonly nanosecond: number;
  /** Seconds east of Greenwich. */
  readonly offset: number;
  readonly zone: string;
}

/** How Go holds a time without a monotonic clock; UTC is a nil location. */
function fieldsOf(nanos: bigint, zone: Zone): ReadonlyMap<string, Value> {
  const sinceYearOne = nanos - TimeValue.zero;
  const seconds = BigInt.asIntN(64, floorDivide(sinceYearOne, second));
  return new Map<string, Value>([
    ['wall', new GoInt(uint64Type, sinceYearOne - floorDivide(sinceYearOne, second) * second)],
    ['ext', seconds],
    ['loc', zone === 'UTC' ? new GoNil(locationType) : locationOf(zone)],
  ]);
}

function floorDivide(value: bigint, by: bigint): bigint {
  const whole = value / by;
  return value < 0n && value % by !== 0n ? whole - 1n : whole;
}

/** A time.Time: nanoseconds since 1970 and a zone. */
export class TimeValue extends GoStruct {
  /** January 1, year 1. */
  static readonly zero = -62_135_596_800_000_000_000n;
  readonly nanos: bigint;
  readonly zone: Zone;

  constructor(nanos: bigint, zone: Zone) {
    super(timeType, fieldsOf(nanos, zone));
    this.nanos = nanos;
    this.zone = zone;
  }

  in(zone: Zone): TimeValue {
    return new TimeValue(this.nanos, zone);
  }

  get seconds(): bigint {
    const whole = this.nanos / second;
    return this.nanos < 0n && this.nanos % second !== 0n ? whole - 1n : whole;
  }

  /** Parts of the date in its zone. */
  parts(): TimeFields {
    const seconds = this.seconds;
    const { offset, zone } = zoneAt(this.zone, Number(seconds) * 1000);
    const date = new Date((Number(seconds) + offset) * 1000);
    const yearStart = Date.UTC(2000, 0, 1);
    const start = new Date(yearStart);
    start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      weekday: date.getUTCDay(),
      yearDay: Math.floor((date.getTime() - start.getTime()) / 86_400_000) + 1,
      nanosecond: Number(this.nanos - seconds * 1_000_000_000n),
      offset,
      zone,
    };
  }

  override toGoString(): string {
    return formatTime(this, '2006-01-02 15:04:05.999999999 -0700 MST');
  }

  override toGoSyntax(): string {
    const t = this.parts();
    const zone =
      this.zone === 'UTC' || this.zone === 'Local' ? `time.${this.zone}` : `time.Location(${goQuote(t.zone)})`;
    const clock = [t.hour, t.minute, t.second, t.nanosecond].join(', ');
    return `time.Date(${t.year}, time.${monthNames[t.month - 1]}, ${t.day}, ${clock}, ${zone})`;
  }

  override toJsonValue(): Value {
    return formatTime(this, '2006-01-02T15:04:05.999999999Z07:00');
  }
}
