import { dayNames, monthNames } from '../../fmt/calendar-names.ts';
import type { TimeValue } from './time-value.ts';

/** One element of a layout, with the literal text before it; the last has no element. */
export interface LayoutPart {
  readonly prefix: string;
  /** As the layout writes it: `2006`, `Jan`, `-07:00`, `.000`. */
  readonly element: string | undefined;
}

const elements =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|_2(?!006)|2|__2|[345]|PM|pm|[-Z]070000|[-Z]07:00:00|[-Z]0700|[-Z]07:00|[-Z]07|[.,](?:0+|9+)(?![0-9])/g;

const layouts = new Map<string, readonly LayoutPart[]>();

/** A layout in its parts, as Go reads it from left to right. */
export function layoutParts(layout: string): readonly LayoutPart[] {
  const known = layouts.get(layout);
  if (known) return known;
  const parts: LayoutPart[] = [];
  let at = 0;
  for (const match of layout.matchAll(elements)) {
    parts.push({ prefix: layout.slice(at, match.index), element: match[0] });
    at = match.index + match[0].length;
  }
  parts.push({ prefix: layout.slice(at), element: undefined });
  if (layouts.size > 200) layouts.clear();
  layouts.set(layout, parts);
  return parts;
}

const padded = (value: number, width: number): string =>
  value < 0 ? `-${String(-value).padStart(width, '0')}` : String(value).padStart(width, '0');

/** `Time.Format`. */
export function formatTime(time: TimeValue, layout: string): string {
  const parts = time.parts();
  let out = '';
  for (const { prefix, element } of layoutParts(layout)) out += prefix + (element ? formatElement(element, parts) : '');
  return out;
}

function formatElement(element: string, t: ReturnType<TimeValue['parts']>): string {
  const month = monthNames[t.month - 1] as string;
  const weekday = dayNames[t.weekday] as string;
  const hour12 = t.hour % 12 || 12;
  switch (element) {
    case 'January':
      return month;
    case 'Jan':
      return month.slice(0, 3);
    case '1':
      return String(t.month);
    case '01':
      return padded(t.month, 2);
    case 'Monday':
      return weekday;
    case 'Mon':
      return weekday.slice(0, 3);
    case '2':
      return String(t.day);
    case '_2':
      return String(t.day).padStart(2);
    case '02':
      return padded(t.day, 2);
    case '__2':
      return String(t.yearDay).padStart(3);
    case '002':
      return padded(t.yearDay, 3);
    case '15':
      return padded(t.hour, 2);
    case '3':
      return String(hour12);
    case '03':
      return padded(hour12, 2);
    case '4':
      return String(t.minute);
    case '04':
      return padded(t.minute, 2);
    case '5':
      return String(t.second);
    case '05':
      return padded(t.second, 2);
    case '2006':
      return padded(t.year, 4);
    case '06':
      return padded(Math.abs(t.year) % 100, 2);
    case 'PM':
      return t.hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return t.hour >= 12 ? 'pm' : 'am';
    case 'MST':
      return t.zone || formatOffset('-0700', t.offset);
  }
  return /^[.,]/.test(element) ? formatFraction(element, t.nanosecond) : formatOffset(element, t.offset);
}

function formatFraction(element: string, nanos: number): string {
  const digits = padded(nanos, 9)
    .slice(0, element.length - 1)
    .padEnd(element.length - 1, '0');
  if (element[1] === '0') return element[0] + digits;
  const trimmed = digits.replace(/(?<!0)0+$/, '');
  return trimmed === '' ? '' : element[0] + trimmed;
}

function formatOffset(element: string, offset: number): string {
  if (element[0] === 'Z' && offset === 0) return 'Z';
  const minutes = Math.trunc(offset / 60);
  const colon = element.includes(':') ? ':' : '';
  const size = element.replaceAll(':', '').length;
  let out = `${minutes < 0 ? '-' : '+'}${padded(Math.trunc(Math.abs(minutes) / 60), 2)}`;
  if (size > 3) out += colon + padded(Math.abs(minutes) % 60, 2);
  if (size > 5) out += colon + padded(Math.abs(offset) % 60, 2);
  return out;
}
