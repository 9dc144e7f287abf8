import { workflowNames } from '@tiphys/api';
import type { CronSchedule } from '@tiphys/go';
import { parseTime } from '@tiphys/template';
import { workflowAt } from '../cron/cron-decision.ts';
import { parseSchedule } from '../cron/schedule.ts';
import { timestamp } from '../model/time.ts';
import type { CronWorkflow, Workflow } from '../model/types.ts';
import { VerbError } from './submit.ts';

const { labels } = workflowNames;
const day = 86_400_000;
/** Of the 63 characters that a label may have, eleven are for the time. */
const longestPrefix = 52;

export interface BackfillOptions {
  /** Names the workflows and what keeps them in turn; if absent they have the names that the CronWorkflow would have given them. */
  readonly name?: string;
  /** Milliseconds; times after `start` and not after `end` are made up for. */
  readonly start: number;
  readonly end: number;
  /** All at once; else one after the other, the earliest first. */
  readonly parallel?: boolean;
  /** Name of the argument that gets the scheduled time. */
  readonly argument: string;
  /** More are refused. */
  readonly most: number;
}

/**
 * The workflows that a CronWorkflow would have started in a span of time, the earliest first, each under the name that it would have had:
 * what has run and is still there is not run again, unless the backfill has a name of its own. They are kept apart from the CronWorkflow's own history
 * and concurrency. Throws a `VerbError`.
 */
export function backfilled(cron: CronWorkflow, options: BackfillOptions): Workflow[] {
  const name = cron.metadata.name ?? '';
  return dueTimes(cron, options).map((due, index) => {
    const { metadata, spec, ...kind } = workflowAt(cron, due);
    const parameters = spec.arguments?.parameters ?? [];
    const given = { name: options.argument, value: timestamp(due) };
    return {
      ...kind,
      metadata: {
        ...metadata,
        ...ownName(name, due, options),
        labels: { ...metadata.labels, [labels.backfill]: name },
      },
      spec: {
        ...spec,
        arguments: {
          ...spec.arguments,
          parameters: [...parameters.filter((each) => each.name !== options.argument), given],
        },
        ...(options.parallel ? {} : inTurn(spec, options.name ?? name, index)),
      },
    };
  });
}

/** As upstream `CRON-backfill-NAME-…`, cut where a Workflow's name would be too long, here with the time instead of what is random. */
function ownName(cron: string, due: number, { name }: BackfillOptions): { name?: string } {
  if (name === undefined) return {};
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/i.test(name))
    throw new VerbError(`the name ${JSON.stringify(name)} of the backfill is to be of letters, digits and dashes`);
  return { name: `${`${cron}-backfill-${name.toLowerCase()}`.slice(0, longestPrefix)}-${due / 1000}` };
}

/**
 * Milliseconds of a time that is written as a layout of Go says, or without one as RFC 3339 or RFC 1123, which are the forms of `argo`. Throws a
 * `VerbError`.
 */
export function timeAs(text: string, layout?: string): number {
  if (layout !== undefined) {
    const parsed = parseTime(layout, text);
    if (typeof parsed === 'string')
      throw new VerbError(`${JSON.stringify(text)} is not written as --format says: ${parsed}`);
    return Number(parsed.nanos / 1_000_000n);
  }
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new VerbError(
      `${JSON.stringify(text)} is no time: give it as 2026-01-31T00:00:00Z, or say with --format how it is written`,
    );
  return at;
}

/** They wait for each other by a mutex, which the one of the highest priority gets; what runs besides goes before them. */
function inTurn(spec: Workflow['spec'], name: string, index: number): Partial<Workflow['spec']> {
  const { mutexes = [], ...others } = spec.synchronization ?? {};
  return {
    priority: (spec.priority ?? 0) - index,
    synchronization: { ...others, mutexes: [...mutexes, { name: `backfill-${name}` }] },
  };
}

function dueTimes({ metadata, spec }: CronWorkflow, { start, end, most }: BackfillOptions): number[] {
  if (!(start < end)) throw new VerbError('the start is not before the end: give both as 2026-01-31T00:00:00Z');
  const times = new Set<number>();
  for (const text of spec.schedules ?? []) {
    let schedule: CronSchedule;
    try {
      schedule = parseSchedule(text, spec.timezone);
    } catch (error) {
      throw new VerbError(`CronWorkflow ${metadata.name}: ${(error as Error).message}`);
    }
    for (let at = schedule.after(start); at !== undefined && at <= end; at = schedule.after(at)) {
      times.add(at);
      // also where `most` is no number
      if (!(times.size <= most))
        throw new VerbError(
          `the schedule has more than ${most} times in the ${Math.ceil((end - start) / day)} days: choose a shorter span, or raise --max-workflow-count`,
        );
    }
  }
  return [...times].sort((a, b) => a - b);
}
