import type { CronSchedule } from './cron-schedule.ts';

export interface MissedTimes {
  /** The latest time that was due; undefined when none was. */
  due?: number;
  /** From where on times were looked for. */
  earliest: number;
  missed: 'none' | 'few' | 'many';
}

/**
 * The latest due time since `earliest` (`mostRecentScheduleTime`). With more than a hundred missed ones they are not
 * counted one by one. Throws an Error for a schedule that has no two times.
 */
export function missedTimes(schedule: CronSchedule, earliest: number, now: number): MissedTimes {
  const first = schedule.after(earliest);
  if (first === undefined || now < first) return { earliest, missed: 'none' };
  const second = schedule.after(first);
  if (second === undefined || second - first < 1000)
    throw new Error('time difference between two schedules is less than 1 second');
  if (now < second) return { earliest, due: first, missed: 'none' };
  const between = second - first;
  const count = Math.floor((now - first) / between) + 1;
  let due: number | undefined;
  for (
    let time = schedule.after(first + (count - 2) * between);
    time !== undefined && time <= now;
    time = schedule.after(time)
  )
    due = time;
  return { earliest, missed: count > 100 ? 'many' : 'few', ...(due === undefined ? {} : { due }) };
}

/** Milliseconds until a little after the next time, for clocks that differ. */
export function untilNext(schedule: CronSchedule, earliest: number, now: number): number | undefined {
  let from = now;
  try {
    const { due, missed } = missedTimes(schedule, earliest, now);
    from = due ?? (missed === 'none' ? earliest : now);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  const next = schedule.after(from);
  return next === undefined ? undefined : Math.max(0, next + 100 - now);
}
