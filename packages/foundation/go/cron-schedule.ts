import { readDuration } from './duration.ts';
import { goQuote } from './quote.ts';
import { ZonedClock } from './zoned-clock.ts';

/** When something runs again and again, as robfig/cron reads it: five fields, a descriptor such as `@daily`, or `@every 1h30m`. */
export interface CronSchedule {
  /** The first time after the given one, in milliseconds; undefined when there is none within five years, such as for 31 February. */
  after(time: number): number | undefined;
}

/** What the values of a field may be. */
interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly names: readonly string[];
}

/** The values of a field that count, and whether it says that any does. */
interface Field {
  readonly values: ReadonlySet<number>;
  readonly isAny: boolean;
}

interface Fields {
  readonly minute: Field;
  readonly hour: Field;
  readonly day: Field;
  readonly month: Field;
  readonly weekday: Field;
}

const bounds: Readonly<Record<keyof Fields, Bounds>> = {
  minute: { low: 0, high: 59, names: [] },
  hour: { low: 0, high: 23, names: [] },
  day: { low: 1, high: 31, names: [] },
  month: { low: 1, high: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  weekday: { low: 0, high: 6, names: 'sun mon tue wed thu fri sat'.split(' ') },
};

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/**
 * Reads a schedule, which may name its own time zone in front (`CRON_TZ=Asia/Tokyo 0 9 * * *`). Throws an Error in robfig/cron's
 * words. A wall-clock time that clocks jump over is left out, one that comes twice counts twice. robfig/cron itself goes wrong on days whose
 * midnight clocks jump over (it loses them, or runs on the day after), where they move by half an hour, and where a whole day is left
 * out (it never returns): there this one keeps to the rule.
 */
export function cronSchedule(text: string, timeZone = 'UTC'): CronSchedule {
  if (text === '') throw new Error('empty spec string');
  const [, own, rest = text] = /^(?:CRON_TZ|TZ)=(\S*)(.*)$/s.exec(text) ?? [];
  const clock = zoned(own ?? timeZone);
  const schedule = own === undefined ? rest : rest.trim();
  if (!schedule.startsWith('@')) return onFields(fieldsOf(schedule), clock);
  if (schedule.startsWith('@every ')) return interval(schedule);
  const fields = Object.hasOwn(descriptors, schedule) ? descriptors[schedule] : undefined;
  if (fields === undefined) throw new Error(`unrecognized descriptor: ${schedule}`);
  return onFields(fieldsOf(fields), clock);
}

function zoned(timeZone: string): ZonedClock {
  try {
    return new ZonedClock(timeZone || 'UTC');
  } catch (error) {
    throw new Error(`provided bad location ${timeZone}: unknown time zone ${timeZone}`, { cause: error });
  }
}

/** Shorter ones than a second are a second. */
function interval(descriptor: string): CronSchedule {
  const length = readDuration(descriptor.slice('@every '.length));
  if (typeof length === 'string') throw new Error(`failed to parse duration ${descriptor}: ${length}`);
  const step = Math.max(1, Math.floor(Number(length) / 1e9)) * 1000;
  return { after: (time) => Math.floor(time / 1000) * 1000 + step };
}

function fieldsOf(text: string): Fields {
  const parts = text.trim().split(/\s+/).filter(Boolean);
  if (parts.length !== 5) throw new Error(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  return {
    minute: field(minute, bounds.minute),
    hour: field(hour, bounds.hour),
    day: field(day, bounds.day),
    month: field(month, bounds.month),
    weekday: field(weekday, bounds.weekday),
  };
}

function field(text: string, range: Bounds): Field {
  const values = new Set<number>();
  let isAny = false;
  for (const part of text.split(',').filter(Boolean)) {
    const { start, end, step, isStar } = rangeOf(part, range);
    for (let value = start; value <= end; value += step) values.add(value);
    isAny ||= isStar;
  }
  return { values, isAny };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isStar: boolean;
}

function rangeOf(text: string, { low, high, names }: Bounds): Range {
  const [ends = '', stepText, ...more] = text.split('/');
  const [first = '', second, ...others] = ends.split('-');
  const isStar = first === '*' || first === '?';
  const value = (end: string) =>
    names.includes(end.toLowerCase()) ? names.indexOf(end.toLowerCase()) + low : int(end);
  const start = isStar ? low : value(first);
  let end = isStar ? high : second === undefined ? start : value(second);
  if (!isStar && others.length > 0) throw new Error(`too many hyphens: ${text}`);
  if (more.length > 0) throw new Error(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : int(stepText);
  if (stepText !== undefined && second === undefined) end = high;
  if (start < low) throw new Error(`beginning of range (${start}) below minimum (${low}): ${text}`);
  if (end > high) throw new Error(`end of range (${end}) above maximum (${high}): ${text}`);
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`);
  return { start, end, step, isStar: isStar && step === 1 };
}

function int(text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  const value = Number(text);
  if (value < 0) throw new Error(`negative number (${value}) not allowed: ${text}`);
  return value;
}

/** Steps through months, days, hours and minutes of the wall clock, in seconds. */
function onFields(fields: Fields, clock: ZonedClock): CronSchedule {
  return {
    after: (time) => {
      const found = search(fields, clock, Math.floor(time / 60_000) * 60 + 60);
      return found === undefined ? undefined : found * 1000;
    },
  };
}

function search(fields: Fields, clock: ZonedClock, from: number): number | undefined {
  const lastYear = clock.at(from).year + 5;
  for (let at = from; ; ) {
    const wall = clock.at(at);
    if (wall.year > lastYear) return undefined;
    if (!fields.month.values.has(wall.month)) at = clock.startOf({ ...wall, month: wall.month + 1, day: 1 }, at);
    else if (!isDay(fields, wall)) at = clock.startOf({ ...wall, day: wall.day + 1 }, at);
    else if (!fields.hour.values.has(wall.hour)) at += (60 - wall.minute) * 60;
    else if (!fields.minute.values.has(wall.minute)) at += 60;
    else return at;
  }
}

/** Where day and weekday both leave some out, either is enough. */
function isDay({ day, weekday }: Fields, wall: { day: number; weekday: number }): boolean {
  const isOfMonth = day.values.has(wall.day);
  const isOfWeek = weekday.values.has(wall.weekday);
  return day.isAny || weekday.isAny ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
}
