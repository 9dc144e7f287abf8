import type { Application, AppProject, SyncWindow } from '@tiphys/api';
import { compileGlob } from '@tiphys/glob';
import { Cron } from 'croner';
import { durationSeconds } from '../settings/duration.ts';

/** Windows of the project that speak about the application. */
export function windowsOf(project: AppProject, app: Application): SyncWindow[] {
  return (project.spec.syncWindows ?? []).filter((window) => matches(window, app));
}

function matches(window: SyncWindow, app: Application): boolean {
  const { server = '', name = '', namespace = '' } = app.spec.destination;
  const rules: [readonly string[] | undefined, readonly string[]][] = [
    [window.applications, [app.metadata.name as string]],
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
  const seconds = durationSeconds(window.duration);
  if (seconds === undefined) throw new Error(`cannot parse duration '${window.duration ?? ''}'`);
  const start = new Date(now - seconds * 1000);
  const next = cronOf(window).nextRun(start);
  return next !== null && next.getTime() < now;
}

function cronOf(window: SyncWindow): Cron {
  try {
    return new Cron(window.schedule ?? '', {
      timezone: isTimeZone(window.timeZone) ? (window.timeZone as string) : 'UTC',
      mode: '5-part',
      paused: true,
    });
  } catch (error) {
    throw new Error(
      `cannot parse schedule '${window.schedule ?? ''}': ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function isTimeZone(name: string | undefined): boolean {
  return Boolean(name) && Intl.supportedValuesOf('timeZone').includes(name as string);
}

/** Why a sync by hand is not allowed now: the window's words; `true` if only no allow window is open; undefined if it is allowed. */
export function blockingWindow(project: AppProject, app: Application, now: number): string | true | undefined {
  const windows = windowsOf(project, app);
  if (windows.length === 0) return undefined;
  let active: SyncWindow[];
  try {
    active = windows.filter((window) => isActive(window, now));
  } catch (error) {
    return `invalid sync window: ${error instanceof Error ? error.message : String(error)}`;
  }
  const denies = active.filter((window) => window.kind === 'deny');
  if (denies.length > 0)
    return denies.every((window) => window.manualSync)
      ? undefined
      : `deny ${denies[0]?.schedule} for ${denies[0]?.duration}`;
  if (active.some((window) => window.kind === 'allow')) return undefined;
  const closed = windows.filter((window) => window.kind === 'allow');
  return closed.length === 0 || closed.every((window) => window.manualSync) ? undefined : true;
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
