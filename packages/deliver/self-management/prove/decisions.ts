import { createHash } from 'node:crypto';
import { type Application, names } from '@tiphys/api';
import type { DecisionDifference } from '../state/state.ts';

/** How one version judges an application, small enough for thousands of them. */
export interface Decision {
  /** Revisions that were compared. */
  readonly revisions: string;
  /** Of everything that was decided: equal digests are equal decisions. */
  readonly digest: string;
  /** For people: `OutOfSync (ConfigMap shop/settings)`. */
  readonly words: string;
}

interface JudgedObject {
  readonly key: string;
  readonly status: string;
  readonly prune: boolean;
}

/** The decision over an application from what was decided of its objects. */
export function decisionOf(sync: string, revisions: readonly string[], objects: readonly JudgedObject[]): Decision {
  const lines = objects.map(({ key, status, prune }) => `${key} ${status} ${prune ? 'prune' : ''}`).sort();
  const digest = createHash('sha256')
    .update([sync, ...lines].join('\n'))
    .digest('base64url')
    .slice(0, 16);
  const drifted = objects.filter(({ status, prune }) => prune || (status !== 'Synced' && status !== ''));
  const shown = drifted
    .map(({ key, prune }) => (prune ? `${key} to be pruned` : key))
    .sort()
    .slice(0, 3);
  const more = drifted.length > shown.length ? `, ${drifted.length - shown.length} more` : '';
  return {
    revisions: revisions.join(','),
    digest,
    words: shown.length > 0 ? `${sync} (${shown.join(', ')}${more})` : sync,
  };
}

/** The decision that an application's status shows; undefined while there is none that could be compared. */
export function shownDecision({ status, operation, metadata }: Application): Decision | undefined {
  const phase = status?.operationState?.phase;
  const busy = operation !== undefined || phase === 'Running' || phase === 'Terminating';
  const waits = metadata.annotations?.[names.annotations.refresh] !== undefined;
  if (busy || waits || metadata.deletionTimestamp || !status?.reconciledAt || !status.sync?.status) return undefined;
  const { revision, revisions = [] } = status.sync;
  // without a desired state nothing was decided of the objects
  const objects = status.sync.status === 'Unknown' ? [] : (status.resources ?? []);
  return decisionOf(
    status.sync.status,
    revisions.length > 0 ? revisions : [revision ?? ''],
    objects.map(({ group = '', kind = '', namespace = '', name = '', status: sync, requiresPruning }) => ({
      key: objectWords({ group, kind, namespace, name }),
      status: sync ?? '',
      prune: requiresPruning === true,
    })),
  );
}

/** `apps/Deployment shop/web` */
export function objectWords(key: { group: string; kind: string; namespace: string; name: string }): string {
  const { group, kind, namespace, name } = key;
  return `${group ? `${group}/` : ''}${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** Applications that are judged in two ways at the same revisions; what only one side knows is none. */
export function differencesOf(
  shown: ReadonlyMap<string, Decision>,
  candidate: ReadonlyMap<string, Decision>,
): DecisionDifference[] {
  const found: DecisionDifference[] = [];
  for (const [application, running] of shown) {
    const other = candidate.get(application);
    if (!other || other.revisions !== running.revisions || other.digest === running.digest) continue;
    found.push({ application, running: running.words, candidate: other.words });
  }
  return found.sort((a, b) => (a.application < b.application ? -1 : 1));
}
