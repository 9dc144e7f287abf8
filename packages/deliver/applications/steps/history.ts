import type { Application, ApplicationStatus, OperationState, RevisionHistory } from '@tiphys/api';

/** Upstream's default of `spec.revisionHistoryLimit`. */
const defaultLimit = 10;

/** Adds a finished sync to `status.history` and drops the oldest entries beyond the limit. */
export function recordHistory(
  application: Application,
  status: ApplicationStatus,
  state: OperationState,
  now: string,
): void {
  const history = status.history ?? [];
  const last = history.at(-1);
  const entry = {
    id: last ? (last.id ?? 0) + 1 : 0,
    ...(state.syncResult?.sources?.length
      ? { sources: state.syncResult.sources, revisions: state.syncResult.revisions }
      : { source: state.syncResult?.source, revision: state.syncResult?.revision }),
    deployedAt: now,
    deployStartedAt: state.startedAt,
    initiatedBy: state.operation.initiatedBy ?? {},
  } as RevisionHistory;
  const limit = application.spec.revisionHistoryLimit ?? defaultLimit;
  status.history = limit <= 0 ? [] : [...history, entry].slice(-limit);
}
