import { goQuote } from '../fmt/quote.ts';
import { define } from '../functions/function-spec.ts';
import { namedType } from '../value/type.ts';
import { GoStruct, int, type Value } from '../value/value.ts';
import { formatTime, monthNames } from './time-layout.ts';

const self = (value: Value): TimeValue => value as TimeValue;

export const timeType = namedType(
  'time.Time',
  { kind: 'struct', fields: ['wall', 'ext', 'loc'] },
  {
    Unix: define('', ([receiver]) => self(receiver).seconds),
    UnixNano: define('', ([receiver]) => self(receiver).nanos),
    UnixMilli: define('', ([receiver]) => self(receiver).nanos / 1_000_000n),
    Year: define('', ([receiver]) => int(self(receiver).parts().year)),
    Month: define('', ([receiver]) => int(self(receiver).parts().month)),
    Day: define('', ([receiver]) => int(self(receiver).parts().day)),
    Hour: define('', ([receiver]) => int(self(receiver).parts().hour)),
    Minute: define('', ([receiver]) => int(self(receiver).parts().minute)),
    Second: define('', ([receiver]) => int(self(receiver).parts().second)),
    Format: define('string', ([receiver, layout]) => formatTime(self(receiver), layout as string)),
    UTC: define('', ([receiver]) => self(receiver).in('UTC')),
    Local: define('', ([receiver]) => self(receiver).in('UTC')),
    String: define('', ([receiver]) => self(receiver).toGoString()),
    IsZero: define('', ([receiver]) => self(receiver).nanos === TimeValue.zero),
  },
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

/** A zone: a name of the IANA database, or a name (which may be empty) with seconds east of Greenwich. */
export type Zone = string | { readonly name: string; readonly offset: number };

/** A time.Time: nanoseconds since 1970 and a zone. */
export class TimeValue extends GoStruct {
  /** January 1, year 1. */
  static readonly zero = -62_135_596_800_000_000_000n;
  readonly nanos: bigint;
  readonly zone: Zone;

  constructor(nanos: bigint, zone: Zone) {
    super(timeType, new Map());
    this.nanos = nanos;
    this.zone = zone;
  }

  in(zone: Zone): TimeValue {
    return new TimeValue(this.nanos, zone);
  }

  get seconds(): bigint {
    const second = 1_000_000_000n;
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
    const zone = this.zone === 'UTC' ? 'time.UTC' : `time.Location(${goQuote(t.zone)})`;
    const clock = [t.hour, t.minute, t.second, t.nanosecond].join(', ');
    return `time.Date(${t.year}, time.${monthNames[t.month - 1]}, ${t.day}, ${clock}, ${zone})`;
  }

  override toJsonValue(): Value {
    return formatTime(this, '2006-01-02T15:04:05.999999999Z07:00');
  }
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(zone)) {
    try {
      formats.set(zone, new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      formats.set(zone, undefined);
    }
  }
  return formats.get(zone);
}

/** The zone of a name; UTC for names that are not known, and for `Local`. */
export function zoneOf(name: string): string {
  return name === '' || name === 'Local' || name === 'UTC' || !formatOf(name) ? 'UTC' : name;
}

function zoneAt(zone: Zone, millis: number): { offset: number; zone: string } {
  if (typeof zone !== 'string') return { offset: zone.offset, zone: zone.name };
  if (zone === 'UTC') return { offset: 0, zone: 'UTC' };
  const long =
    formatOf(zone)
      ?.formatToParts(millis)
      .find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const match = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(long);
  const offset = match
    ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 3600 + Number(match[3]) * 60 + Number(match[4] ?? 0))
    : 0;
  const short =
    new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short' })
      .formatToParts(millis)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return { offset, zone: /^[A-Z]{3,5}$/.test(short) ? short : (europeNames[zone]?.[offset] ?? offsetName(offset)) };
}

/** Names that the English locale of JavaScript does not know. */
const europeNames: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  ...Object.fromEntries(
    'Berlin Paris Madrid Rome Vienna Zurich Amsterdam Brussels Stockholm Oslo Copenhagen Prague Warsaw Budapest'
      .split(' ')
      .map((city) => [`Europe/${city}`, { 3600: 'CET', 7200: 'CEST' }]),
  ),
  'Asia/Tokyo': { 32400: 'JST' },
  'Asia/Kolkata': { 19800: 'IST' },
  'Asia/Shanghai': { 28800: 'CST' },
  'Europe/London': { 0: 'GMT', 3600: 'BST' },
};

function offsetName(offset: number): string {
  if (offset === 0) return 'UTC';
  const minutes = Math.abs(offset) / 60;
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${minutes % 60 ? String(minutes % 60).padStart(2, '0') : ''}`;
}
