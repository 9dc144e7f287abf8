import type { DependencyFilter } from '../spec/sensor.ts';
import { failed, passed, refused, type Verdict } from './verdict.ts';

const clockTime = /^([01]?\d|2[0-3]):([0-5]\d):([0-5]\d)$/;

/** The seconds of a day that `HH:MM:SS` means; undefined if it is no such time. */
export function secondsOf(text: string): number | undefined {
  const [, hours, minutes, seconds] = clockTime.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** True if the name is a time zone of IANA. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^(?:UTC|GMT|[A-Za-z]+\/.+|[A-Z]{2,4}(?:\d[A-Z]{3})?|[A-Z][A-Za-z-]+)$/.test(name);
  } catch {
    return false;
  }
}

/** The `time` filter: from `start` on and before `stop`, over midnight where `stop` is the earlier one. */
export function timeFilter({ start, stop, timezone }: NonNullable<DependencyFilter['time']>, time: string): Verdict {
  const [from, to] = [secondsOf(start), secondsOf(stop)];
  if (from === undefined) return failed('time', [`${JSON.stringify(start)} is no time of the form HH:MM:SS`]);
  if (to === undefined) return failed('time', [`${JSON.stringify(stop)} is no time of the form HH:MM:SS`]);
  const zone = timezone === 'Local' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : timezone || 'UTC';
  if (!isTimezone(zone)) return failed('time', [`unknown time zone ${zone}`]);
  const at = new Date(time);
  const now = timeOfDay(at, zone);
  const inside = from < to ? now >= from && now < to : now >= from || now < to;
  return inside ? passed : refused(`the event came at ${clock(now)} (${zone}), wanted ${start} to ${stop}`);
}

function timeOfDay(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return read('hour') * 3600 + read('minute') * 60 + read('second') + at.getUTCMilliseconds() / 1000;
}

function clock(seconds: number): string {
  return new Date(Math.floor(seconds) * 1000).toISOString().slice(11, 19);
}
