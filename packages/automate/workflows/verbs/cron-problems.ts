import { isZone, parseSchedule } from '../cron/schedule.ts';
import type { CronWorkflow } from '../model/types.ts';

/** Names of its workflows end with a time, and have at most 63 characters. */
const longestName = 52;

/** What is wrong with a CronWorkflow beside its workflow, in upstream's words. */
export function cronProblems({ metadata, spec }: CronWorkflow, now: number): string[] {
  const name = metadata.name ?? '';
  const { schedules = [], timezone, concurrencyPolicy: policy, startingDeadlineSeconds: deadline } = spec;
  const problems: string[] = [];
  if (name.length > longestName)
    problems.push(
      `cron workflow name "${name}" must not be more than ${longestName} characters long (currently ${name.length})`,
    );
  if (schedules.length === 0) problems.push('cron workflow must have at least one schedule');
  for (const schedule of schedules) {
    const problem = attempt(() => parseSchedule(schedule).after(now));
    if (problem) problems.push(`cron schedule ${schedule} is malformed: ${problem}`);
  }
  if (timezone && !isZone(timezone)) problems.push(`invalid timezone "${timezone}": unknown time zone ${timezone}`);
  if (policy && !['Allow', 'Forbid', 'Replace'].includes(policy))
    problems.push(`'${policy}' is not a valid concurrencyPolicy`);
  if (deadline !== undefined && deadline < 0) problems.push('startingDeadlineSeconds must be positive');
  return problems;
}

function attempt(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
