import { isConflict, pause } from '@tiphys/kubernetes';
import { type CronSchedule, isCronText, nextCron } from '../event/cron.ts';
import { goTimeString, parseGoTime } from '../event/go-time.ts';
import { goJson, goMapJson } from '../json/go-json.ts';
import { parseDuration } from '../spec/duration.ts';
import { missing, type SpecProblem, wrong } from '../spec/spec-problem.ts';
import type { Listen, SourceContext } from './source.ts';

export interface CalendarSpec {
  readonly schedule?: string;
  readonly interval?: string;
  readonly exclusionDates?: readonly string[];
  readonly timezone?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly persistence?: {
    readonly catchup?: { readonly enabled?: boolean; readonly maxDuration?: string };
    readonly configMap?: { readonly name?: string; readonly createIfNotExist?: boolean };
  };
}

/** What is wrong with the spec, by upstream's rules. */
export function calendarProblem({
  schedule,
  interval,
  timezone,
  exclusionDates = [],
}: CalendarSpec): SpecProblem | undefined {
  if (!schedule && !interval) return missing('schedule', 'must have either schedule or interval', '"*/5 * * * *"');
  if (schedule && !isCronText(schedule))
    return wrong(
      'schedule',
      `failed to parse schedule ${schedule} from calendar event`,
      'Write five fields of cron, such as "*/5 * * * *"',
    );
  if (interval && !schedule) {
    try {
      if (parseDuration(interval) <= 0)
        return wrong('interval', `interval ${interval} is not positive`, 'Write a duration such as 10s');
    } catch (error) {
      return wrong(
        'interval',
        `failed to parse interval ${interval} from calendar event. Cause: ${(error as Error).message}`,
        'Write a duration such as 10s',
      );
    }
  }
  const odd = exclusionDates.findIndex((text) => exclusionDay(text) === undefined);
  if (odd >= 0)
    return wrong(
      `exclusionDates[${odd}]`,
      `failed to parse exclusion date ${exclusionDates[odd]}`,
      'Write a day, such as 2026-12-24, or EXDATE:20261224',
    );
  if (!timezone) return undefined;
  try {
    nextCron({ cron: '* * * * *', timezone }, 0);
    return undefined;
  } catch {
    return wrong('timezone', `failed to load location ${timezone}`, 'Write a name of IANA, such as Europe/Berlin');
  }
}

/** Tells of the times of a schedule, after a restart also of those that were missed where the spec asks for it. */
export const listen: Listen<CalendarSpec> = async (context, ready) => {
  const { spec, clock, signal } = context;
  let last = await startTime(context);
  ready();
  while (!signal.aborted) {
    const next = nextTime(spec, last);
    if (next === undefined) return;
    if (next > clock.now()) await pause(clock, next - clock.now(), signal);
    if (signal.aborted) return;
    await send(context, next);
    last = next;
  }
};

/** The first time after a moment that is not on an excluded day. */
function nextTime(spec: CalendarSpec, after: number): number | undefined {
  const excluded = new Set((spec.exclusionDates ?? []).map(exclusionDay));
  const zone = spec.timezone || 'UTC';
  let at: number | undefined = after;
  do at = following(spec, at);
  while (at !== undefined && excluded.has(goTimeString(at, zone).slice(0, 10)));
  return at;
}

function following({ schedule, interval, timezone }: CalendarSpec, after: number): number | undefined {
  if (schedule) {
    const cron: CronSchedule = { cron: schedule, timezone: timezone || 'UTC' };
    return nextCron(cron, after);
  }
  // an interval counts in whole seconds, a second at least, as upstream
  const step = Math.max(1000, Math.floor(parseDuration(interval ?? '') / 1000) * 1000);
  return Math.floor(after / 1000) * 1000 + step;
}

/** The day that an exclusion names, as `YYYY-MM-DD`: a date, RFC 3339, or `EXDATE:…` of iCalendar. */
function exclusionDay(text: string): string | undefined {
  const compact = /^(?:EXDATE(?:;[^:]*)?:)?(\d{4})-?(\d{2})-?(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(
    text.trim(),
  );
  return compact ? `${compact[1]}-${compact[2]}-${compact[3]}` : undefined;
}

async function send(context: SourceContext<CalendarSpec>, at: number): Promise<void> {
  const { spec, dispatch, clock, log, signal } = context;
  // what upstream's catch-up cuts off again
  const eventTime = `${goTimeString(at, spec.timezone || 'UTC')} m=+0.000000001`;
  const metadata =
    spec.metadata && Object.keys(spec.metadata).length > 0 ? `,"metadata":${goMapJson(spec.metadata)}` : '';
  const data = `${goJson({ eventTime }).slice(0, -1)}${metadata}}`;
  for (;;) {
    try {
      await dispatch(data);
      break;
    } catch (error) {
      context.failed(error);
      // without a memory the time is gone, as upstream
      if (!spec.persistence?.configMap || signal.aborted) return;
      await pause(clock, 100, signal);
    }
  }
  await save(context, data).catch((error: unknown) =>
    log('error', 'failed to persist calendar event', { error: String(error) }),
  );
}

const mapOf = ({ spec, namespace }: SourceContext<CalendarSpec>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace,
  name: spec.persistence?.configMap?.name ?? '',
});

/** From when on times count: the last one that was told of, if they are to be caught up with. */
async function startTime(context: SourceContext<CalendarSpec>): Promise<number> {
  const { spec, clock, client, sourceName, eventName } = context;
  const { persistence } = spec;
  const now = clock.now();
  if (!persistence?.configMap) return now;
  const map = await client.find(mapOf(context));
  if (!map && !persistence.configMap.createIfNotExist)
    throw new Error(`ConfigMap ${persistence.configMap.name} is not there, and createIfNotExist is not set`);
  if (!persistence.catchup?.enabled) return now;
  const text = ((map?.data ?? {}) as Record<string, string>)[`${sourceName}.${eventName}`];
  const last = text ? parseGoTime((JSON.parse(text) as { eventTime?: string }).eventTime ?? '') : undefined;
  if (last === undefined) return now;
  const { maxDuration } = persistence.catchup;
  return maxDuration ? Math.max(last, now - parseDuration(maxDuration)) : last;
}

async function save(context: SourceContext<CalendarSpec>, data: string): Promise<void> {
  const { spec, client, sourceName, eventName } = context;
  if (!spec.persistence?.configMap) return;
  const ref = mapOf(context);
  const change = { data: { [`${sourceName}.${eventName}`]: data } };
  for (;;) {
    try {
      if (await client.find(ref)) await client.patch(ref, 'merge', change);
      else {
        const { apiVersion, kind, namespace, name } = ref;
        await client.create({ apiVersion, kind, metadata: { namespace, name }, ...change });
      }
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}
