import type { Application, ApplicationSet, ApplicationSetApplicationStatus } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';

/** The words that upstream has for where an Application is in a rollout. */
export type RolloutStatus = 'Waiting' | 'Pending' | 'Progressing' | 'Healthy';

export interface Observed {
  readonly application: Application;
  /** The generated spec differs from the live one, so that a write is about to come. */
  readonly specChanged: boolean;
  /** Counted from 1; -1 for none. */
  readonly step: number;
}

/** Revisions that the last comparison was made for. */
export function revisionsOf({ status }: Application): string[] {
  const { revisions, revision } = status?.sync ?? {};
  if (revisions?.length) return [...revisions];
  return revision ? [revision] : [];
}

/** Where an Application is, from where it was and what is seen of it now. `now` is Kubernetes' form of a time. A pure function. */
export function observe(
  set: ApplicationSet,
  { application, specChanged, step }: Observed,
  now: string,
): ApplicationSetApplicationStatus {
  const name = application.metadata.name ?? '';
  const known = set.status?.applicationStatus?.find((status) => status.application === name);
  const revisions = revisionsOf(application);
  const entry: ApplicationSetApplicationStatus = {
    ...(known ?? {
      application: name,
      lastTransitionTime: now,
      message: 'No Application status found, defaulting status to Waiting',
      status: 'Waiting',
      targetRevisions: revisions,
    }),
    step: String(step),
  };
  const go = (status: RolloutStatus, message: string) =>
    Object.assign(entry, { status, message, lastTransitionTime: now });
  const revisionChanged = !deepEqual(entry.targetRevisions ?? [], revisions);
  if (revisionChanged || specChanged) {
    entry.targetRevisions = revisions;
    go('Waiting', pendingMessage(revisionChanged, specChanged));
  }
  const synced = application.status?.sync?.status === 'Synced';
  const healthy = application.status?.health?.status === 'Healthy';
  if (entry.status === 'Waiting') {
    // it may have nothing to sync; with a changed spec what is seen is of the old one
    if (synced && !specChanged && isSettled(application))
      go(
        healthy ? 'Healthy' : 'Progressing',
        `Application resource has synced, updating status to ${healthy ? 'Healthy' : 'Progressing'}`,
      );
    return entry;
  }
  if (known?.status === 'Pending') leavePending(application, entry, go);
  else if (known?.status === 'Progressing' && isSettled(application)) {
    if (healthy && synced)
      go('Healthy', 'Application resource became Healthy, updating status from Progressing to Healthy');
    else if (!synced && isOfOther(application, revisions))
      go('Waiting', 'Application was synced to another revision, setting status to Waiting');
  }
  return entry;
}

/** A sync that was started since the Application is Pending is the one of the rollout. */
function leavePending(
  application: Application,
  { lastTransitionTime }: ApplicationSetApplicationStatus,
  go: (status: RolloutStatus, message: string) => void,
): void {
  const { operationState, conditions = [] } = application.status ?? {};
  if (operationState && !isBefore(operationState.startedAt, lastTransitionTime)) {
    const { phase } = operationState;
    if (phase === 'Succeeded')
      go(
        'Progressing',
        'Application resource completed a sync successfully, updating status from Pending to Progressing',
      );
    else if (phase === 'Failed' || phase === 'Error')
      go('Progressing', 'Application resource completed a sync, updating status from Pending to Progressing');
    else go('Progressing', 'Application resource became Progressing, updating status from Pending to Progressing');
    return;
  }
  if (isBefore(application.status?.reconciledAt, lastTransitionTime)) return;
  if (conditions.some(({ type }) => type === 'InvalidSpecError' || type === 'UnknownError'))
    go('Progressing', 'Application resource has error and cannot sync, updating status to Progressing');
}

/** True if the last sync was of other revisions than these. */
function isOfOther({ status }: Application, revisions: readonly string[]): boolean {
  const { syncResult, phase } = status?.operationState ?? {};
  if (phase !== 'Succeeded' || !syncResult) return false;
  const { revisions: several, revision } = syncResult;
  const synced = several?.length ? several : revision ? [revision] : [];
  return synced.length > 0 && !deepEqual(synced, revisions);
}

/** No sync is wanted or under way, and the comparison was made after the last one had ended. */
function isSettled({ operation, status }: Application): boolean {
  if (operation) return false;
  const { phase, finishedAt } = status?.operationState ?? {};
  if (phase === 'Running' || phase === 'Terminating') return false;
  return !finishedAt || !isBefore(status?.reconciledAt, finishedAt);
}

/** True if a time lies before another one; an absent time lies before everything. */
export function isBefore(time: string | undefined, other: string | undefined): boolean {
  if (!other) return false;
  return !time || Date.parse(time) < Date.parse(other);
}

function pendingMessage(revisionChanged: boolean, specChanged: boolean): string {
  if (revisionChanged && specChanged)
    return 'Application has pending changes (revision and spec differ), setting status to Waiting';
  return specChanged
    ? 'Application has pending changes (spec differs), setting status to Waiting'
    : 'Application has pending changes, setting status to Waiting';
}
