import type { Application } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { timestamp } from '@tiphys/kubernetes';
import { RequestError } from '../../client/api-session.ts';
import type { ApplicationApi, ApplicationName } from '../../client/application-api.ts';
import type { Output } from '../../terminal/output.ts';
import { qualifiedName } from './list.ts';
import { fitsPatterns, type ObjectPattern } from './sync-objects.ts';

const waitTimedOut = defineDiagnosis('WaitTimedOut', 'The application did not reach the wanted state in time');

/** What to wait for; several are all wanted, except health, suspended and degraded, of which one is enough. */
export interface WaitGoals {
  sync?: boolean;
  health?: boolean;
  suspended?: boolean;
  degraded?: boolean;
  operation?: boolean;
  delete?: boolean;
  /** The dry source is hydrated, and nothing of it is under way. */
  hydrated?: boolean;
  /** Sync and health are those of these objects alone. */
  resources?: readonly ObjectPattern[];
}

/**
 * Follows an application until the goals are met and returns it (undefined once deleted).
 * `timeout` in seconds, 0 for none. Throws a diagnosis that says what is still missing and why.
 */
export async function waitForApplication(
  api: ApplicationApi,
  name: ApplicationName,
  goals: WaitGoals,
  { timeout, output, signal, quiet = false }: { timeout: number; output: Output; signal: AbortSignal; quiet?: boolean },
): Promise<Application | undefined> {
  const abort = new AbortController();
  const deadline = timeout > 0 ? AbortSignal.timeout(timeout * 1000) : undefined;
  const any = AbortSignal.any([signal, abort.signal, ...(deadline ? [deadline] : [])]);
  let last: Application | undefined;
  try {
    for await (const application of follow(api, name, any)) {
      if (!application) {
        if (goals.delete) return undefined;
        throw failure(waitTimedOut, {
          message: `Application ${name.name} was deleted while waiting`,
          remedies: ['Create it again, or wait with --delete'],
        });
      }
      if (!quiet) printChange(output, last, application);
      last = application;
      if (met(application, goals)) return application;
    }
  } catch (error) {
    if (!deadline?.aborted || signal.aborted) throw error;
    throw timedOut(last, name, timeout);
  } finally {
    abort.abort();
  }
  throw timedOut(last, name, timeout);
}

/** The application now and at each change; undefined when it is gone. The server ends streams now and then: it goes on. */
async function* follow(
  api: ApplicationApi,
  name: ApplicationName,
  signal: AbortSignal,
): AsyncGenerator<Application | undefined> {
  while (!signal.aborted) {
    try {
      yield await api.get(name);
    } catch (error) {
      if (!(error instanceof RequestError) || (error.status !== 404 && error.status !== 403)) throw error;
      yield undefined;
      return;
    }
    for await (const event of api.watch(name, signal)) {
      yield event.type === 'DELETED' ? undefined : event.application;
      if (event.type === 'DELETED') return;
    }
  }
  signal.throwIfAborted();
}

function met({ status, operation }: Application, goals: WaitGoals): boolean {
  if (goals.delete) return false;
  const phase = status?.operationState?.phase;
  if (goals.operation && (operation || phase === 'Running' || phase === 'Terminating')) return false;
  if (goals.hydrated && status?.sourceHydrator?.currentOperation?.phase !== 'Hydrated') return false;
  const wanted = [goals.health && 'Healthy', goals.suspended && 'Suspended', goals.degraded && 'Degraded'].filter(
    Boolean,
  );
  if (goals.resources) {
    const chosen = (status?.resources ?? []).filter((resource) => fitsPatterns(resource, goals.resources ?? []));
    return (
      chosen.length > 0 &&
      chosen.every(
        ({ status: sync, health }) =>
          (!goals.sync || sync === 'Synced') &&
          (wanted.length === 0 || health?.status === undefined || wanted.includes(health.status)),
      )
    );
  }
  if (goals.sync && status?.sync?.status !== 'Synced') return false;
  return wanted.length === 0 || wanted.includes(status?.health?.status as string);
}

/** An answer within so many seconds, 0 for any time. Throws a diagnosis afterwards. */
export async function within<T>(asked: Promise<T>, timeout: number, name: string): Promise<T> {
  if (!(timeout > 0)) return asked;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(
      failure(waitTimedOut, {
        message: `The server did not answer about application ${name} within ${timeout} s`,
        remedies: ['Give it more with --timeout, or ask without --refresh'],
      }),
    );
  }, timeout * 1000);
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function printChange(output: Output, before: Application | undefined, after: Application): void {
  const line = ({ status }: Application) =>
    `${status?.sync?.status ?? 'Unknown'}  ${status?.health?.status ?? 'Unknown'}  ${status?.operationState?.message ?? ''}`.trimEnd();
  if (!before || line(before) !== line(after))
    output.error(`${timestamp(Date.now())}  ${qualifiedName(after)}  ${line(after)}`);
}

function timedOut(last: Application | undefined, name: ApplicationName, timeout: number) {
  const status = last?.status;
  const stuck = (status?.resources ?? []).filter(
    (resource) => resource.status !== 'Synced' || (resource.health && resource.health.status !== 'Healthy'),
  );
  return failure(waitTimedOut, {
    message: `timed out (${timeout}s) waiting for app "${name.name}" match desired state`,
    evidence: {
      sync: status?.sync?.status ?? 'Unknown',
      health: status?.health?.status ?? 'Unknown',
      operation: status?.operationState?.message,
      ...Object.fromEntries(
        stuck
          .slice(0, 10)
          .map((resource) => [
            `${resource.kind}/${resource.name}`,
            `${resource.status ?? ''} ${resource.health?.status ?? ''} ${resource.health?.message ?? ''}`.trim(),
          ]),
      ),
    },
    remedies: [{ text: 'Look at the reasons', paste: `tiphys app get ${name.name}` }],
  });
}
