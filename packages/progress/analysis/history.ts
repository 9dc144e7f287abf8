import type { KubeObject } from '@tiphys/kubernetes';
import { podHashLabel } from './labels.ts';
import type { AnalysisRun } from './model/types.ts';

/**
 * The runs to delete of those that no status names any more: runs without a pod hash, those whose ReplicaSet is gone or going,
 * and beyond the limits the oldest completed ones.
 */
export function analysisRunsToDelete(
  runs: readonly AnalysisRun[],
  options: { replicaSets: readonly KubeObject[]; successfulLimit: number; unsuccessfulLimit: number },
): AnalysisRun[] {
  const kept = new Set(
    options.replicaSets
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.labels?.[podHashLabel]),
  );
  let successful = 0;
  let unsuccessful = 0;
  const newestFirst = [...runs].sort((a, b) => created(b) - created(a));
  return newestFirst.filter((run) => {
    const hash = run.metadata.labels?.[podHashLabel];
    if (hash === undefined || !kept.has(hash)) return true;
    switch (run.status?.phase) {
      case 'Successful':
        successful += 1;
        return successful > options.successfulLimit;
      case 'Failed':
      case 'Error':
      case 'Inconclusive':
        unsuccessful += 1;
        return unsuccessful > options.unsuccessfulLimit;
      default:
        return false;
    }
  });
}

function created({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}
