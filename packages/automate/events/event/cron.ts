import { Cron } from 'croner';

export interface CronSchedule {
  /** Five fields, or a name such as `@daily`. */
  readonly cron: string;
  /** Of IANA. */
  readonly timezone: string;
}

const descriptors: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

function cronOf({ cron, timezone }: CronSchedule): Cron {
  // the day counts where either the month's or the week's fits, as in cron
  return new Cron(descriptors.get(cron) ?? cron, { paused: true, timezone, legacyMode: true });
}

/** The first time of a schedule after a moment, in milliseconds since the epoch; undefined if there is none. */
export function nextCron(schedule: CronSchedule, after: number): number | undefined {
  return cronOf(schedule).nextRun(new Date(after))?.getTime();
}

/** The last time of a schedule at or before a moment; undefined if there is none within 5 years. */
export function previousCron(schedule: CronSchedule, before: number): number | undefined {
  const cron = cronOf(schedule);
  for (let span = 60_000; span <= 157_680_000_000; span *= 4) {
    let found: number | undefined;
    for (let at = cron.nextRun(new Date(before - span - 1)); at && at.getTime() <= before; at = cron.nextRun(at))
      found = at.getTime();
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True if the text is five fields of cron, or a name for them. */
export function isCronText(text: string): boolean {
  const fields = descriptors.get(text) ?? text;
  if (fields.trim().split(/\s+/).length !== 5) return false;
  try {
    cronOf({ cron: fields, timezone: 'UTC' });
    return true;
  } catch {
    return false;
  }
}
