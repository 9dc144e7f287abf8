import { JqError } from './values.ts';

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
/** Seconds that a `Date` can have, which is more than a time in an event has. */
const farthest = 8.64e12;
const longestFormat = 1000;

/** A time of day as jq breaks it down: year, month from 0, day, hour, minute, seconds with their fraction, weekday, day of the year. */
export function brokenDown(seconds: unknown): number[] {
  const at = dateOf(seconds);
  const fraction = (seconds as number) - Math.floor(seconds as number);
  return [
    ...[at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes()],
    ...[at.getUTCSeconds() + fraction, at.getUTCDay(), dayOfYear(at)],
  ];
}

/** Seconds since 1970 of a time that is broken down. */
export function secondsOf(parts: unknown): number {
  if (!Array.isArray(parts) || parts.length < 6 || parts.some((part) => typeof part !== 'number'))
    throw new JqError('mktime requires an array of 6 or more numbers');
  const [year, month, day, hour, minute, second] = parts as [number, number, number, number, number, number];
  const ms = new Date(0).setUTCFullYear(year, month, day) + (hour * 3600 + minute * 60 + Math.floor(second)) * 1000;
  if (Number.isNaN(ms)) throw new JqError('mktime got a time that there is not');
  return ms / 1000;
}

function dateOf(seconds: unknown): Date {
  if (typeof seconds !== 'number' || !(Math.abs(seconds) <= farthest))
    throw new JqError('a time is no number of seconds');
  return new Date(Math.floor(seconds) * 1000);
}

function dayOfYear(at: Date): number {
  return Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / 86_400_000);
}

const two = (number: number) => String(number).padStart(2, '0');
const spaced = (number: number) => String(number).padStart(2, ' ');
const twelve = (at: Date) => at.getUTCHours() % 12 || 12;

const written: Readonly<Record<string, string | ((at: Date) => string)>> = {
  Y: (at) => String(at.getUTCFullYear()).padStart(4, '0'),
  C: (at) => two(Math.floor(at.getUTCFullYear() / 100)),
  y: (at) => two(at.getUTCFullYear() % 100),
  m: (at) => two(at.getUTCMonth() + 1),
  d: (at) => two(at.getUTCDate()),
  e: (at) => spaced(at.getUTCDate()),
  H: (at) => two(at.getUTCHours()),
  k: (at) => spaced(at.getUTCHours()),
  I: (at) => two(twelve(at)),
  l: (at) => spaced(twelve(at)),
  M: (at) => two(at.getUTCMinutes()),
  S: (at) => two(at.getUTCSeconds()),
  p: (at) => (at.getUTCHours() < 12 ? 'AM' : 'PM'),
  j: (at) => String(dayOfYear(at) + 1).padStart(3, '0'),
  a: (at) => (days[at.getUTCDay()] ?? '').slice(0, 3),
  A: (at) => days[at.getUTCDay()] ?? '',
  b: (at) => (months[at.getUTCMonth()] ?? '').slice(0, 3),
  h: '%b',
  B: (at) => months[at.getUTCMonth()] ?? '',
  u: (at) => String(at.getUTCDay() || 7),
  w: (at) => String(at.getUTCDay()),
  s: (at) => String(at.getTime() / 1000),
  Z: () => 'UTC',
  z: () => '+0000',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  c: '%a %b %e %H:%M:%S %Y',
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
};

/** A time, in seconds or broken down, in UTC by a format of `strftime`. */
export function timeText(time: unknown, format: unknown): string {
  return write(dateOf(Array.isArray(time) ? secondsOf(time) : time), textOf(format));
}

function write(at: Date, format: string): string {
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    const how = Object.hasOwn(written, letter) ? written[letter] : undefined;
    if (how === undefined) throw new JqError(`strftime does not know %${letter}`);
    return typeof how === 'string' ? write(at, how) : how(at);
  });
}

function textOf(format: unknown): string {
  if (typeof format !== 'string') throw new JqError('the format of a time is no text');
  if (format.length > longestFormat)
    throw new JqError(`the format of a time is longer than ${longestFormat} characters`);
  return format;
}

interface Reading {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  isAfternoon?: boolean;
  yearDay?: number;
  offset: number;
  seconds?: number;
}

const indexOf = (names: readonly string[], text: string) =>
  names.findIndex((name) => name.slice(0, 3).toLowerCase() === text.slice(0, 3).toLowerCase());
const ignored = () => undefined;

type Reader = readonly [pattern: RegExp, take: (text: string, into: Reading) => void];
const numeric = (pattern: RegExp, field: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'): Reader => [
  pattern,
  (text, into) => {
    into[field] = Number(text);
  },
];

const read: Readonly<Record<string, Reader | string>> = {
  Y: numeric(/\d{4}/iy, 'year'),
  y: [
    /\d{2}/iy,
    (text, into) => {
      into.year = Number(text) + (Number(text) < 69 ? 2000 : 1900);
    },
  ],
  m: [
    /\d{1,2}/iy,
    (text, into) => {
      into.month = Number(text) - 1;
    },
  ],
  d: numeric(/ ?\d{1,2}/iy, 'day'),
  e: '%d',
  H: numeric(/ ?\d{1,2}/iy, 'hour'),
  k: '%H',
  I: '%H',
  l: '%H',
  M: numeric(/\d{1,2}/iy, 'minute'),
  S: numeric(/\d{1,2}(?:\.\d{1,9})?/iy, 'second'),
  p: [
    /[AaPp][Mm]/iy,
    (text, into) => {
      into.isAfternoon = /^p/i.test(text);
    },
  ],
  j: [
    /\d{1,3}/iy,
    (text, into) => {
      into.yearDay = Number(text);
    },
  ],
  a: [/sunday|monday|tuesday|wednesday|thursday|friday|saturday|sun|mon|tue|wed|thu|fri|sat/iy, ignored],
  A: '%a',
  b: [
    /january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec/iy,
    (text, into) => {
      into.month = indexOf(months, text);
    },
  ],
  B: '%b',
  h: '%b',
  u: [/\d/iy, ignored],
  w: [/\d/iy, ignored],
  s: [
    /-?\d{1,12}/iy,
    (text, into) => {
      into.seconds = Number(text);
    },
  ],
  Z: [/[A-Za-z]{1,5}/iy, ignored],
  z: [
    /Z|[+-]\d{2}:?\d{2}/iy,
    (text, into) => {
      into.offset = offsetOf(text);
    },
  ],
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  c: '%a %b %e %H:%M:%S %Y',
  n: [/\s*/iy, ignored],
  t: [/\s*/iy, ignored],
  '%': [/%/iy, ignored],
};

function offsetOf(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(text) ?? [];
  return sign ? (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60) : 0;
}

/** A text read by a format of `strptime`, broken down. */
export function readTime(text: unknown, format: unknown): number[] {
  if (typeof text !== 'string') throw new JqError('a time that is to be read is no text');
  const steps = expanded(textOf(format));
  const into: Reading = { year: 1900, month: 0, day: 1, hour: 0, minute: 0, second: 0, offset: 0 };
  let at = 0;
  for (const step of steps) {
    const [pattern, take] = typeof step === 'string' ? [undefined, ignored] : step;
    // each step is short and bounded: no text makes one slow
    const found =
      pattern === undefined
        ? text.startsWith(step as string, at)
          ? (step as string)
          : undefined
        : match(pattern, text, at);
    if (found === undefined)
      throw new JqError(`${JSON.stringify(text.slice(0, 80))} is no time of the format ${format}`);
    take(found, into);
    at += found.length;
  }
  if (at < text.length) throw new JqError(`${JSON.stringify(text.slice(0, 80))} goes on behind the format ${format}`);
  return fromReading(into);
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function expanded(format: string): (Reader | string)[] {
  return [...format.matchAll(/%(.?)|[^%]/gs)].flatMap(([whole, letter]) => {
    if (letter === undefined) return [whole];
    const how = Object.hasOwn(read, letter) ? read[letter] : undefined;
    if (how === undefined) throw new JqError(`strptime does not know %${letter}`);
    return typeof how === 'string' ? expanded(how) : [how];
  });
}

function fromReading({
  year,
  month,
  day,
  hour,
  minute,
  second,
  isAfternoon,
  yearDay,
  offset,
  seconds,
}: Reading): number[] {
  if (seconds !== undefined) return brokenDown(seconds);
  const hours = isAfternoon === undefined ? hour : (hour % 12) + (isAfternoon ? 12 : 0);
  if (month > 11 || day > 31 || hours > 24 || minute > 59 || second >= 61) throw new JqError('there is no such time');
  const date = yearDay === undefined ? [year, month, day] : [year, 0, yearDay];
  return brokenDown(secondsOf([...date, hours, minute, Math.floor(second)]) - offset + (second - Math.floor(second)));
}
