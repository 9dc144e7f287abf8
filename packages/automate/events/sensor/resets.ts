import type { Clock } from '@tiphys/kubernetes';
import { nextCron, previousCron } from '../event/cron.ts';
import type { Trigger } from '../spec/sensor.ts';

function schedulesOf({ template }: Trigger): { cron: string; timezone: string }[] {
  return (template?.conditionsReset ?? []).flatMap(({ byTime }) =>
    byTime?.cron ? [{ cron: byTime.cron, timezone: byTime.timezone || 'UTC' }] : [],
  );
}

/** When the conditions of a trigger should have been reset last, in milliseconds since the epoch; 0 if never. */
export function lastReset(trigger: Trigger, now: number): number {
  return Math.max(0, ...schedulesOf(trigger).map((schedule) => previousCron(schedule, now) ?? 0));
}

/** Calls back at each time of `conditionsReset`, until the signal aborts. */
export function watchResets(
  trigger: Trigger,
  { clock, signal, onReset }: { clock: Clock; signal: AbortSignal; onReset: () => void },
): void {
  for (const schedule of schedulesOf(trigger)) void follow(schedule);

  async function follow(schedule: { cron: string; timezone: string }): Promise<void> {
    for (let at = nextCron(schedule, clock.now()); at !== undefined; at = nextCron(schedule, at)) {
      try {
        await clock.sleep(Math.max(0, at - clock.now()), signal);
      } catch {
        return;
      }
      onReset();
    }
  }
}
