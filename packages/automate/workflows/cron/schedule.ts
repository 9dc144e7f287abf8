import { goDuration } from '@tiphys/go';
import { Cron } from 'croner';

/** When a CronWorkflow runs: five fields, a descriptor such as `@daily`, or `@every 1h30m`; perhaps with `CRON_TZ=` in front. */
export interface Schedule {
  /** The first time after the given one, in milliseconds; undefined when there is none. */
  after(time: number): number | undefined;
}

const hour = 3_600_000;

/**
 * Reads a schedule. A wall-clock time that does not exist on the day when clocks go forward is left out, one that comes twice when
 * they go back runs twice, as Argo Workflows has it. Throws an error that says what is wrong.
 */
export function parseSchedule(text: string, timezone?: string): Schedule {
  const [, own, rest = text] = /^(?:CRON_TZ|TZ)=(\S+)\s+(.*)$/s.exec(text.trim()) ?? [];
  const every = /^@every\s+(\S+)$/.exec(rest.trim())?.[1];
  if (every) return interval(every);
  const zone = own ?? timezone ?? 'UTC';
  if (!isZone(zone))
    throw new Error(
      `cron schedule ${text}: there is no time zone ${JSON.stringify(zone)}; write one of the IANA database, such as Europe/Berlin`,
    );
  const cron = new Cron(rest.trim(), { timezone: zone, paused: true, mode: '5-part' });
  return { after: (time) => next(cron, time, zone) };
}

/** Whether the runtime knows the time zone: else the first time that is computed would fail, in every pass and unseen. */
function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function interval(text: string): Schedule {
  const length = goDuration(text);
  if (length === undefined || length < 1000) throw new Error(`failed to parse duration @every ${text}`);
  const step = Math.floor(length / 1000) * 1000;
  return { after: (time) => Math.floor(time / 1000) * 1000 + step };
}

function next(cron: Cron, time: number, timezone: string): number | undefined {
  let from = time;
  for (let tries = 0; tries < 100; tries += 1) {
    const found = cron.nextRun(new Date(from))?.getTime();
    if (found === undefined) return undefined;
    const repeated = repeatedTime(cron, { from: time, to: found, timezone });
    if (repeated !== undefined) return repeated;
    if (cron.match(new Date(found))) return found;
    // a time that the clocks jump over is moved by the library
    from = found;
  }
  return undefined;
}

/** A time that comes a second time because the clocks go back between two times. */
function repeatedTime(
  cron: Cron,
  { from, to, timezone }: { from: number; to: number; timezone: string },
): number | undefined {
  const before = offset(from, timezone);
  if (before <= offset(Math.min(to, from + 26 * hour), timezone)) return undefined;
  const minute = Math.floor(from / 60_000) * 60_000 + 60_000;
  for (let at = minute; at < Math.min(to, from + 26 * hour); at += 60_000) if (cron.match(new Date(at))) return at;
  return undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds that a time zone is ahead of UTC at a time. */
function offset(time: number, timezone: string): number {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
    formats.set(timezone, format);
  }
  return Date.parse(`${format.format(time).replace(' ', 'T')}Z`) - Math.floor(time / 1000) * 1000;
}
