import { goQuote } from '../fmt/quote.ts';
import { TimeValue } from './time-value.ts';

const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** The parts of a layout: Go's reference time, longest first. */
const parts = /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|002|01|02|03|04|05|06|-07:00:00|-070000|-07:00|-0700|-07|Z07:00:00|Z070000|Z07:00|Z0700|Z07|15|PM|pm|__2|_2006|_2|[.,]0+(?!\d)|[.,]9+(?!\d)|1|2|3|4|5/g;

const two = (value: number): string => String(value).padStart(2, '0');

/** `Time.Format`. */
export function formatTime(time: TimeValue, layout: string): string {
  const f = time.fields2();
  const hour12 = f.hour % 12 || 12;
  return layout.replace(parts, (part) => {
    switch (part) {
      case 'January':
        return months[f.month - 1] as string;
      case 'Jan':
        return (months[f.month - 1] as string).slice(0, 3);
      case 'Monday':
        return days[f.weekday] as string;
      case 'Mon':
        return (days[f.weekday] as string).slice(0, 3);
      case 'MST':
        return f.zone;
      case '2006':
        return String(f.year).padStart(4, '0');
      case '_2006':
        return `_${String(f.year).padStart(4, '0')}`;
      case '002':
        return String(f.yearDay).padStart(3, '0');
      case '__2':
        return String(f.yearDay).padStart(3, ' ');
      case '01':
        return two(f.month);
      case '1':
        return String(f.month);
      case '02':
        return two(f.day);
      case '_2':
        return String(f.day).padStart(2, ' ');
      case '2':
        return String(f.day);
      case '15':
        return two(f.hour);
      case '03':
        return two(hour12);
      case '3':
        return String(hour12);
      case '04':
        return two(f.minute);
      case '4':
        return String(f.minute);
      case '05':
        return two(f.second);
      case '5':
        return String(f.second);
      case '06':
        return two(f.year % 100);
      case 'PM':
        return f.hour >= 12 ? 'PM' : 'AM';
      case 'pm':
        return f.hour >= 12 ? 'pm' : 'am';
    }
    if (/^[.,]/.test(part)) return fraction(part, f.nanosecond);
    return offset(part, f.offset);
  });
}

function fraction(part: string, nanos: number): string {
  const digits = String(nanos).padStart(9, '0').slice(0, part.length - 1);
  if (part[1] === '0') return part[0] + digits.padEnd(part.length - 1, '0');
  const trimmed = digits.replace(/0+$/, '');
  return trimmed === '' ? '' : part[0] + trimmed;
}

function offset(part: string, seconds: number): string {
  if (part.startsWith('Z') && seconds === 0) return 'Z';
  const magnitude = Math.abs(seconds);
  const [h, m, s] = [two(Math.floor(magnitude / 3600)), two(Math.floor(magnitude / 60) % 60), two(magnitude % 60)];
  const sign = seconds < 0 ? '-' : '+';
  const shape = part.slice(1);
  if (shape === '07') return sign + h;
  if (shape === '0700') return sign + h + m;
  if (shape === '07:00') return `${sign}${h}:${m}`;
  return shape === '070000' ? sign + h + m + s : `${sign}${h}:${m}:${s}`;
}

const readers: Readonly<Record<string, string>> = {
  January: `(?<month>${months.join('|')})`,
  Jan: `(?<mon>${months.map((name) => name.slice(0, 3)).join('|')})`,
  Monday: `(?:${days.join('|')})`,
  Mon: `(?:${days.map((name) => name.slice(0, 3)).join('|')})`,
  MST: '(?<zone>[A-Z]{3,5}|[+-]\\d{2})',
  '2006': '(?<year>\\d{4})',
  '01': '(?<m>\\d{2})',
  '1': '(?<m>\\d{1,2})',
  '02': '(?<d>\\d{2})',
  _2: '\\s?(?<d>\\d{1,2})',
  '2': '(?<d>\\d{1,2})',
  '15': '(?<h>\\d{2})',
  '03': '(?<h>\\d{2})',
  '3': '(?<h>\\d{1,2})',
  '04': '(?<min>\\d{2})',
  '4': '(?<min>\\d{1,2})',
  '05': '(?<s>\\d{2}(?:[.,]\\d+)?)',
  '5': '(?<s>\\d{1,2}(?:[.,]\\d+)?)',
  '06': '(?<yy>\\d{2})',
  PM: '(?<pm>AM|PM)',
  pm: '(?<pm>am|pm)',
};

/** `time.ParseInLocation` in UTC: the time, or the words of the error. */
export function parseTime(layout: string, text: string): TimeValue | string {
  const cannot = `parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse ${goQuote(text)} as ${goQuote(layout)}`;
  let source = '';
  let at = 0;
  const used = new Set<string>();
  for (const match of layout.matchAll(parts)) {
    source += escapeText(layout.slice(at, match.index));
    at = match.index + match[0].length;
    source += readerOf(match[0], used);
  }
  source += escapeText(layout.slice(at));
  const groups = new RegExp(`^${source}$`).exec(text)?.groups;
  if (!groups && !new RegExp(`^${source}$`).test(text)) return cannot;
  return assemble(groups ?? {}, text);
}

function readerOf(part: string, used: Set<string>): string {
  if (/^[.,]0/.test(part)) return `(?:[.,]\\d{${part.length - 1}})`;
  if (/^[.,]9/.test(part)) return '(?:[.,]\\d+)?';
  const reader = readers[part] ?? (part.startsWith('Z') ? '(?<off>Z|[+-]\\d{2}(?::?\\d{2}){0,2})' : '(?<off>[+-]\\d{2}(?::?\\d{2}){0,2})');
  const name = /\?<(\w+)>/.exec(reader)?.[1];
  if (name === undefined) return reader;
  if (used.has(name)) return reader.replace(/\?<\w+>/, '?:');
  used.add(name);
  return reader;
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function assemble(groups: Readonly<Record<string, string | undefined>>, text: string): TimeValue | string {
  const number = (name: string, fallback: number): number => (groups[name] === undefined ? fallback : Number.parseFloat((groups[name] as string).replace(',', '.')));
  let month = number('m', 1);
  if (groups['month']) month = months.indexOf(groups['month']) + 1;
  if (groups['mon']) month = months.findIndex((name) => name.startsWith(groups['mon'] as string)) + 1;
  const short = number('yy', 0);
  const year = groups['yy'] === undefined ? number('year', 0) : short >= 69 ? 1900 + short : 2000 + short;
  let hour = number('h', 0);
  if (groups['pm']?.toLowerCase() === 'pm' && hour < 12) hour += 12;
  if (groups['pm']?.toLowerCase() === 'am' && hour === 12) hour = 0;
  const day = number('d', 1);
  const [whole = '0', fraction = ''] = (groups['s'] ?? '0').split(/[.,]/);
  const range = (what: string): string => `parsing time ${goQuote(text)}: ${what} out of range`;
  if (month < 1 || month > 12) return range('month');
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || day < 1) return range('day');
  if (hour > 23) return range('hour');
  if (number('min', 0) > 59) return range('minute');
  if (Number(whole) > 59) return range('second');
  const offset = offsetOf(groups['off']);
  const seconds = BigInt(Math.floor(date.getTime() / 1000) + hour * 3600 + number('min', 0) * 60 + Number(whole) - offset);
  return new TimeValue(seconds * 1_000_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9) || '0'), offset === 0 ? 'UTC' : offset);
}

function offsetOf(text: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})?:?(\d{2})?$/.exec(text ?? '');
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0));
}
