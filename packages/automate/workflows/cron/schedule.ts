import { type CronSchedule, cronSchedule } from '@tiphys/go';

/** When a CronWorkflow runs. Throws an error that says what is wrong, also with the time zone, which its schedule may name itself. */
export function parseSchedule(text: string, timezone?: string): CronSchedule {
  const schedule = text.trim();
  const zone = /^(?:CRON_TZ|TZ)=(\S*)/.exec(schedule)?.[1] ?? timezone;
  if (zone && !isZone(zone))
    throw new Error(
      `cron schedule ${text}: there is no time zone ${JSON.stringify(zone)}; write one of the IANA database, such as Europe/Berlin`,
    );
  return cronSchedule(schedule, timezone);
}

/** Whether the runtime knows the time zone. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
