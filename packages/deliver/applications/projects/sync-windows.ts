import type { Application, AppProject, SyncWindow } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { compileGlob } from '@tiphys/glob';
import { timestamp } from '@tiphys/kubernetes';
import { Cron } from 'croner';
import { parseDuration } from '../settings/duration.ts';

const syncWindowBlocks = defineDiagnosis(
  'SyncWindowBlocks',
  'A sync window of the project does not let the sync happen now',
);
const syncWindowInvalid = defineDiagnosis('SyncWindowInvalid', 'A sync window cannot be read, so nothing is synced');

/** Who wants to sync, and since when. */
export interface SyncAttempt {
  /** A person asked for it; such syncs pass windows with `manualSync`. */
  readonly manual: boolean;
  /** When the operation began, in milliseconds; one that was allowed then goes on in windows with `syncOverrun`. */
  readonly startedAt?: number;
}

/** Why a sync may not happen. */
export interface SyncBlock {
  /** Deny windows that are open, or allow windows that are closed; empty if a window cannot be read. */
  readonly windows: readonly SyncWindow[];
  /** When it may happen, in milliseconds, if nothing else changes; undefined if that cannot be told. */
  readonly until?: number;
  /** What is wrong with a window, if one cannot be read. */
  readonly problem?: string;
}

/** Windows of the project that speak about the application. */
export function windowsOf(project: AppProject, application: Application): SyncWindow[] {
  return (project.spec.syncWindows ?? []).filter((window) => speaksOf(window, application));
}

function speaksOf(window: SyncWindow, { metadata, spec }: Application): boolean {
  const { server = '', name = '', namespace = '' } = spec.destination;
  const rules: [readonly string[] | undefined, readonly string[]][] = [
    [window.applications, [metadata.name ?? '']],
    [window.clusters, [server, name].filter(Boolean)],
    [window.namespaces, [namespace]],
  ];
  const set = rules.filter(([patterns]) => patterns?.length);
  const holds = ([patterns, values]: (typeof rules)[number]) =>
    (patterns ?? []).some((pattern) => values.some((value) => pattern === '*' || compileGlob(pattern)(value)));
  return set.length > 0 && (window.andOperator ? set.every(holds) : set.some(holds));
}

/** Whether the window is open at the time. Throws for a schedule or duration that does not parse. */
export function isActive(window: SyncWindow, now: number): boolean {
  const next = scheduleOf(window).nextRun(new Date(now - durationOf(window)));
  return next !== null && next.getTime() < now;
}

/**
 * Undefined if the sync may happen now. Upstream rule: an open deny window wins; else an open allow window permits;
 * else closed allow windows deny; `manualSync` and `syncOverrun` count only if all windows that decide have them.
 */
export function syncBlock(
  project: AppProject,
  application: Application,
  now: number,
  { manual, startedAt }: SyncAttempt,
): SyncBlock | undefined {
  const windows = windowsOf(project, application);
  if (windows.length === 0) return undefined;
  try {
    const active = windows.filter((window) => isActive(window, now));
    const denies = active.filter(({ kind }) => kind === 'deny');
    if (denies.length === 0 && active.some(({ kind }) => kind === 'allow')) return undefined;
    const deciding = denies.length > 0 ? denies : windows.filter(({ kind }) => kind === 'allow');
    if (deciding.length === 0 || (manual && deciding.every(({ manualSync }) => manualSync))) return undefined;
    const overrun = startedAt !== undefined && deciding.every(({ syncOverrun }) => syncOverrun);
    if (overrun && !syncBlock(project, application, startedAt, { manual })) return undefined;
    const until = denies.length > 0 ? latest(denies.map((window) => endOf(window, now))) : soonest(deciding, now);
    return { windows: deciding, ...(until === undefined ? {} : { until }) };
  } catch (error) {
    return { windows: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The block as a diagnosis. */
export function blockDiagnosis({ windows, until, problem }: SyncBlock, project: AppProject): Diagnosis {
  const object = `AppProject ${project.metadata.namespace}/${project.metadata.name}`;
  if (problem !== undefined) {
    return diagnose(syncWindowInvalid, {
      message: `Sync operation blocked by sync window: invalid sync windows: ${problem}`,
      place: { object, field: 'spec.syncWindows' },
      remedies: [
        problem.startsWith('cannot parse schedule')
          ? 'Write the schedule in five fields: minute, hour, day of the month, month, weekday; such as 0 22 * * 1-5'
          : 'Write the duration with units, such as 1h30m',
      ],
    });
  }
  const when = until === undefined ? '' : ` until ${timestamp(until)}`;
  return diagnose(syncWindowBlocks, {
    message: `Sync operation blocked by sync window: ${windows.map(describe).join(', ')}${when}`,
    place: { object, field: 'spec.syncWindows' },
    remedies: [
      'Wait until the window lets syncs happen',
      windows.every(({ manualSync }) => manualSync)
        ? 'Or sync by hand: the window permits it'
        : 'Or change the window, or let it permit syncs by hand (manualSync: true)',
    ],
  });
}

function describe({ kind, schedule, duration, timeZone }: SyncWindow): string {
  return `${kind === 'deny' ? 'deny' : 'outside of allow'} ${schedule} for ${duration}${timeZone ? ` (${timeZone})` : ''}`;
}

/** Why a sync by hand is not allowed now: the window's words; `true` if only no allow window is open; undefined if it is allowed. */
export function blockingWindow(project: AppProject, application: Application, now: number): string | true | undefined {
  const block = syncBlock(project, application, now, { manual: true });
  if (!block) return undefined;
  if (block.problem !== undefined) return `invalid sync window: ${block.problem}`;
  const [first] = block.windows;
  return first?.kind === 'deny' ? `deny ${first.schedule} for ${first.duration}` : true;
}

/** What is wrong with a window, in Argo CD's words; undefined if nothing. */
export function windowProblem(window: SyncWindow): string | undefined {
  if (window.kind !== 'allow' && window.kind !== 'deny')
    return `kind '${window.kind ?? ''}' mismatch: can only be allow or deny`;
  try {
    isActive(window, 0);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return (window.description ?? '').length > 255 ? 'description must not exceed 255 characters' : undefined;
}

/** Starts that are looked at to find the end of a window that begins anew before it ends; more than these never end. */
const mostStarts = 200;

/** When an open window closes; undefined if that cannot be told. */
function endOf(window: SyncWindow, now: number): number | undefined {
  const [schedule, duration] = [scheduleOf(window), durationOf(window)];
  let end: number | undefined;
  let from = now - duration;
  for (let count = 0; count < mostStarts; count++) {
    const start = schedule.nextRun(new Date(from))?.getTime();
    if (start === undefined || start > (end ?? now)) return end;
    end = start + duration;
    from = start;
  }
  return undefined;
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === times.length ? Math.max(...known) : undefined;
}

/** When the first of closed windows opens. */
function soonest(windows: readonly SyncWindow[], now: number): number | undefined {
  const starts = windows.flatMap((window) => scheduleOf(window).nextRun(new Date(now))?.getTime() ?? []);
  return starts.length > 0 ? Math.min(...starts) : undefined;
}

function durationOf({ duration = '' }: SyncWindow): number {
  const milliseconds = /^\s*[+-]?0*[1-9]\d*\s*$/.test(duration) ? undefined : parseDuration(duration);
  if (milliseconds === undefined) throw new Error(`cannot parse duration '${duration}'`);
  return milliseconds;
}

const schedules = new Map<string, Cron>();
const schedulesLimit = 1000;

function scheduleOf({ schedule = '', timeZone }: SyncWindow): Cron {
  const id = `${schedule}\0${timeZone ?? ''}`;
  const known = schedules.get(id);
  if (known) return known;
  if (schedules.size >= schedulesLimit) schedules.clear();
  try {
    const made = new Cron(schedule, { timezone: knownTimeZone(timeZone), mode: '5-part', paused: true });
    schedules.set(id, made);
    return made;
  } catch (error) {
    throw new Error(`cannot parse schedule '${schedule}': ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A zone that is not known counts as UTC, as upstream. */
function knownTimeZone(name: string | undefined): string {
  return (name && resolvedZone(name)) || 'UTC';
}

/** Whether a zone counts as UTC because nobody knows it. */
export function isUnknownZone({ timeZone }: SyncWindow): boolean {
  return Boolean(timeZone) && resolvedZone(timeZone ?? '') === undefined;
}

/** The zone's name as the runtime has it; undefined if it has none. */
function resolvedZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A time in which a window is open, in milliseconds. */
export interface WindowOpening {
  readonly from: number;
  readonly to: number;
}

/** Starts that are looked at for openings: a month of those that begin every quarter of an hour. */
const mostOpenings = 3000;

/** When a window is open between two times, at most so often. Throws for a schedule or duration that does not parse. */
export function windowOpenings(
  window: SyncWindow,
  { from, to, most }: { from: number; to: number; most: number },
): WindowOpening[] {
  const [schedule, duration] = [scheduleOf(window), durationOf(window)];
  const openings: WindowOpening[] = [];
  let start = schedule.nextRun(new Date(from - duration))?.getTime();
  for (let count = 0; start !== undefined && start < to && openings.length < most && count < mostOpenings; count++) {
    const last = openings.at(-1);
    // one that begins before the last has ended goes on with it
    if (last && start <= last.to) openings[openings.length - 1] = { from: last.from, to: start + duration };
    else openings.push({ from: start, to: start + duration });
    start = schedule.nextRun(new Date(start))?.getTime();
  }
  return openings;
}
