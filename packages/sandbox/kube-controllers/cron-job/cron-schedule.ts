import { Cron } from 'croner';

/** When a CronJob runs, as robfig/cron reads its schedule: five fields, a descriptor such as `@daily`, or `@every 1h30m`. */
export interface CronSchedule {
  /** The first time after the given one, in milliseconds; undefined when there is none, such as for 31 February. */
  after(time: number): number | undefined;
}

const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Throws an Error that says what is wrong with the schedule or the time zone. `timeZone` is UTC if absent. */
export function cronSchedule(schedule: string, timeZone = 'UTC'): CronSchedule {
  const every = /^@every\s+(\S+)$/.exec(schedule.trim())?.[1];
  if (every) return interval(every);
  const cron = new Cron(schedule.trim(), { timezone: timeZone, paused: true });
  return { after: (time) => cron.nextRun(new Date(time))?.getTime() };
}

function interval(text: string): CronSchedule {
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g))
    ms += Number(count) * (units[unit ?? ''] ?? 0);
  if (!/^(\d+(\.\d+)?(ms|[hms]))+$/.test(text) || ms < 1000) throw new Error(`failed to parse duration @every ${text}`);
  const step = Math.floor(ms / 1000) * 1000;
  return { after: (time) => Math.floor(time / 1000) * 1000 + step };
}

/** Throws an Error when the IANA time zone is not known. */
export function checkTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (error) {
    throw new Error(`unknown time zone ${timeZone}`, { cause: error });
  }
}

/** RFC 3339 in a time zone: `2026-01-01T13:00:00+01:00`. */
export function zonedTime(time: number, timeZone = 'UTC'): string {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const offset = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(time)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const suffix = offset?.slice('GMT'.length).replace('+00:00', '') || 'Z';
  return `${format.format(time).replace(' ', 'T')}${suffix}`;
}
