import { type AnalysisRun, controllerUid, isCompleted, isSameAnalysis } from '@tiphys/analysis';
import { isAlreadyExists } from '@tiphys/kubernetes';
import { type Cluster, create, refOf } from './cluster.ts';

/** Makes a run; one of the same name that is over, or another's, makes it take a number. */
export async function createRun(cluster: Cluster, run: AnalysisRun): Promise<AnalysisRun> {
  const baseName = run.metadata.name ?? '';
  for (let count = 1, wanted = run; ; count += 1) {
    try {
      return await create(cluster.client, cluster.analysisRuns, wanted);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const existing = await cluster.client.find<AnalysisRun>(refOf(wanted));
    const isOurs = existing && controllerUid(existing) === controllerUid(wanted);
    if (isOurs && !isCompleted(existing.status?.phase) && isSameAnalysis(existing, wanted))
      return cluster.analysisRuns.keep(existing);
    wanted = { ...run, metadata: { ...run.metadata, name: `${baseName}.${count}` } };
  }
}
