import { dayNames, monthNames } from '../../fmt/calendar-names.ts';
import { toBytes } from '../../text/bytes.ts';
import { layoutParts } from './time-layout.ts';
import { TimeValue } from './time-value.ts';
import type { Zone } from './time-zone.ts';

/** What an element of the layout could not read (`bad`), or read but refuses (`range`: its name). */
type Refusal = { readonly bad: true } | { readonly range: string };

interface Reading {
  value: string;
  year: number;
  month: number;
  day: number;
  yearDay: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  half: 'am' | 'pm' | undefined;
  utc: boolean;
  offset: number | undefined;
  zone: string;
}

const bad: Refusal = { bad: true };

/** `time.ParseInLocation` with the local zone, which is UTC,: the time, or the words of the error. */
export function parseTime(layout: string, text: string): TimeValue | string {
  const r: Reading = {
    value: text,
    year: 0,
    month: -1,
    day: -1,
    yearDay: -1,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    half: undefined,
    utc: false,
    offset: undefined,
    zone: '',
  };
  const said = `parsing time ${quote(text)}`;
  const cannot = (value: string, element: string): string =>
    `${said} as ${quote(layout)}: cannot parse ${quote(value)} as ${quote(element)}`;
  const parts = layoutParts(layout);
  for (const [index, { prefix, element }] of parts.entries()) {
    const skipped = skip(r.value, prefix);
    if ('stuck' in skipped) return cannot(skipped.stuck, prefix);
    r.value = skipped.rest;
    if (element === undefined) {
      if (r.value !== '') return `${said}: extra text: ${quote(r.value)}`;
      break;
    }
    const hold = r.value;
    const refusal = read(r, element, parts[index + 1]);
    if (refusal && 'range' in refusal) return `${said}: ${refusal.range} out of range`;
    if (refusal) return cannot(hold, element);
  }
  const fault = settle(r);
  return fault ? `${said}: ${fault}` : assemble(r);
}

/** time's own quoting: bytes outside ASCII as `\x`. */
function quote(text: string): string {
  let out = '"';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (byte >= 0x80 || byte < 0x20) out += `\\x${byte.toString(16).padStart(2, '0')}`;
    else out += char === '"' || char === '\\' ? `\\${char}` : char;
  }
  return `${out}"`;
}

function skip(text: string, prefix: string): { readonly rest: string } | { readonly stuck: string } {
  let value = text;
  let at = 0;
  while (at < prefix.length) {
    if (prefix[at] === ' ') {
      if (value !== '' && value[0] !== ' ') return { stuck: value };
      while (prefix[at] === ' ') at++;
      value = value.replace(/^ +/, '');
      continue;
    }
    if (value === '' || value[0] !== prefix[at]) return { stuck: value };
    at++;
    value = value.slice(1);
  }
  return { rest: value };
}

/** Takes what the pattern matches at the start. */
function take(r: Reading, pattern: RegExp): string | undefined {
  const found = pattern.exec(r.value)?.[0];
  if (found !== undefined) r.value = r.value.slice(found.length);
  return found;
}

function takeNumber(r: Reading, fixed: boolean): number | undefined {
  const digits = take(r, fixed ? /^[0-9]{2}/ : /^[0-9]{1,2}/);
  return digits === undefined ? undefined : Number(digits);
}

function takeName(r: Reading, names: readonly string[], length?: number): number {
  const lower = r.value.toLowerCase();
  const index = names.findIndex((name) => lower.startsWith(name.slice(0, length).toLowerCase()));
  if (index >= 0) r.value = r.value.slice((names[index] as string).slice(0, length).length);
  return index;
}

function read(
  r: Reading,
  element: string,
  next: { readonly prefix: string; readonly element: string | undefined } | undefined,
): Refusal | undefined {
  switch (element) {
    case '06': {
      const digits = take(r, /^[0-9]{2}/);
      if (digits === undefined) return bad;
      r.year = Number(digits) + (Number(digits) >= 69 ? 1900 : 2000);
      return undefined;
    }
    case '2006': {
      const digits = take(r, /^[0-9]{4}/);
      if (digits === undefined) return bad;
      r.year = Number(digits);
      return undefined;
    }
    case 'Jan':
    case 'January':
      r.month = takeName(r, monthNames, element === 'Jan' ? 3 : undefined) + 1;
      return r.month === 0 ? bad : undefined;
    case 'Mon':
    case 'Monday':
      return takeName(r, dayNames, element === 'Mon' ? 3 : undefined) < 0 ? bad : undefined;
    case '1':
    case '01':
      return readNumber(r, 'month', element === '01', 1, 12, 'month');
    case '_2':
      take(r, /^ /);
      return readNumber(r, 'day', false, 0, 99, '');
    case '2':
    case '02':
      return readNumber(r, 'day', element === '02', 0, 99, '');
    case '__2':
    case '002':
      return readYearDay(r, element);
    case '15':
      return readNumber(r, 'hour', false, 0, 23, 'hour');
    case '3':
    case '03':
      return readNumber(r, 'hour', element === '03', 0, 12, 'hour');
    case '4':
    case '04':
      return readNumber(r, 'minute', element === '04', 0, 59, 'minute');
    case '5':
    case '05':
      return readNumber(r, 'second', element === '05', 0, 59, 'second') ?? readFreeFraction(r, next);
    case 'PM':
    case 'pm': {
      const half = take(r, element === 'PM' ? /^[AP]M/ : /^[ap]m/);
      r.half = half?.toLowerCase() as Reading['half'];
      return half ? undefined : bad;
    }
    case 'MST':
      return readZone(r);
  }
  return /^[.,]/.test(element) ? readFraction(r, element) : readOffset(r, element);
}

function readNumber(
  r: Reading,
  field: 'month' | 'day' | 'hour' | 'minute' | 'second',
  fixed: boolean,
  low: number,
  high: number,
  name: string,
): Refusal | undefined {
  const number = takeNumber(r, fixed);
  if (number === undefined) return bad;
  r[field] = number;
  return name !== '' && (number < low || number > high) ? { range: name } : undefined;
}

function readYearDay(r: Reading, element: string): Refusal | undefined {
  if (element === '__2') take(r, /^ {1,2}/);
  const digits = take(r, element === '002' ? /^[0-9]{3}/ : /^[0-9]{1,3}/);
  if (digits === undefined) return bad;
  r.yearDay = Number(digits);
  return undefined;
}

/** A fraction after the seconds is read even if the layout has none. */
function readFreeFraction(r: Reading, next: { readonly element: string | undefined } | undefined): undefined {
  if (/^[.,]/.test(next?.element ?? '')) return;
  const fraction = take(r, /^[.,][0-9]+/);
  if (fraction) r.nanosecond = nanoseconds(fraction);
}

function nanoseconds(fraction: string): number {
  return Number(fraction.slice(1, 10).padEnd(9, '0'));
}

function readFraction(r: Reading, element: string): Refusal | undefined {
  if (element[1] === '9') {
    const free = take(r, /^[.,][0-9]+/);
    if (free) r.nanosecond = nanoseconds(free);
    return undefined;
  }
  const fraction = take(r, new RegExp(`^[.,][0-9]{${element.length - 1}}`));
  if (!fraction) return bad;
  r.nanosecond = nanoseconds(fraction);
  return undefined;
}

function readOffset(r: Reading, element: string): Refusal | undefined {
  if (element[0] === 'Z' && take(r, /^Z/)) {
    r.utc = true;
    return undefined;
  }
  const { length } = element;
  if (r.value.length < length || [3, 6].some((at) => element[at] === ':' && r.value[at] !== ':')) return bad;
  const sign = r.value[0];
  const text = [...r.value.slice(0, length)].filter((_char, at) => at > 0 && element[at] !== ':').join('');
  r.value = r.value.slice(length);
  const fields = ['hour', 'minute', 'second'].slice(0, text.length / 2);
  let isBad = false;
  const numbers = fields.map((name, i) => {
    const digits = text.slice(2 * i, 2 * i + 2);
    if (isBad || !/^[0-9]{2}$/.test(digits)) {
      isBad = true;
      return { name, value: 0 };
    }
    return { name, value: Number(digits) };
  });
  const outside = numbers.findLast(({ name, value }) => value > (name === 'hour' ? 24 : 60));
  if (outside) return { range: `time zone offset ${outside.name}` };
  if (isBad || (sign !== '+' && sign !== '-')) return bad;
  const [hours = 0, minutes = 0, seconds = 0] = numbers.map(({ value }) => value);
  r.offset = ((hours * 60 + minutes) * 60 + seconds) * (sign === '-' ? -1 : 1);
  return undefined;
}

function readZone(r: Reading): Refusal | undefined {
  if (take(r, /^UTC/)) {
    r.utc = true;
    return undefined;
  }
  const special = take(r, /^(?:ChST|MeST)/) ?? take(r, /^GMT(?:[+-](?:0*(?:2[0-3]|1[0-9]|[0-9]))(?![0-9]))?/);
  const signed = special ?? take(r, /^[+-]0*(?:2[0-3]|1[0-9]|[0-9])(?![0-9])/);
  if (signed !== undefined) {
    r.zone = signed;
    return undefined;
  }
  const letters = /^[A-Z]{0,6}/.exec(r.value)?.[0] ?? '';
  const { length } = letters;
  const known =
    length === 3 ||
    (length === 4 && (letters[3] === 'T' || letters === 'WITA')) ||
    (length === 5 && letters[4] === 'T');
  if (!known) return bad;
  r.zone = letters;
  r.value = r.value.slice(length);
  return undefined;
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

function daysIn(month: number, year: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Brings the parts together; the words of what does not fit. */
function settle(r: Reading): string | undefined {
  if (r.half === 'pm' && r.hour < 12) r.hour += 12;
  else if (r.half === 'am' && r.hour === 12) r.hour = 0;
  if (r.yearDay >= 0) {
    if (r.yearDay < 1 || r.yearDay > (isLeap(r.year) ? 366 : 365)) return 'day-of-year out of range';
    let month = 1;
    let day = r.yearDay;
    for (; day > daysIn(month, r.year); month++) day -= daysIn(month, r.year);
    if (r.month >= 0 && r.month !== month) return 'day-of-year does not match month';
    if (r.day >= 0 && r.day !== day) return 'day-of-year does not match day';
    r.month = month;
    r.day = day;
  }
  if (r.month < 0) r.month = 1;
  if (r.day < 0) r.day = 1;
  return r.day < 1 || r.day > daysIn(r.month, r.year) ? 'day out of range' : undefined;
}

function assemble(r: Reading): TimeValue {
  const date = new Date(0);
  date.setUTCFullYear(r.year, r.month - 1, r.day);
  date.setUTCHours(r.hour, r.minute, r.second);
  const nanos = BigInt(date.getTime()) * 1_000_000n + BigInt(r.nanosecond);
  if (r.utc) return new TimeValue(nanos, 'UTC');
  if (r.offset !== undefined) {
    const zone: Zone =
      r.offset === 0 && (r.zone === '' || r.zone === 'UTC') ? 'Local' : { name: r.zone, offset: r.offset };
    return new TimeValue(nanos - BigInt(r.offset) * 1_000_000_000n, zone);
  }
  if (r.zone === '') return new TimeValue(nanos, 'Local');
  const offset = /^GMT./.test(r.zone) ? Number(r.zone.slice(3)) * 3600 : 0;
  return new TimeValue(nanos, { name: r.zone, offset });
}
