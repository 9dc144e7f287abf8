import { remove } from '../cluster/cluster.ts';
import { forgetCopies } from '../configuration/versioned.ts';
import { byAge, hashOf, otherSets, wanted } from '../objects/replica-set.ts';
import { revisionHistoryLimit } from '../objects/rollout.ts';
import type { Turn } from './turn.ts';

/** Deletes the oldest ReplicaSets without pods beyond the limit, with analyses, experiments and copies of their revisions. */
export async function forgetOldRevisions(turn: Turn): Promise<void> {
  const { client, replicaSets, analysisRuns, experiments } = turn.context.cluster;
  const old = otherSets(turn.sets).filter(({ metadata }) => !metadata.deletionTimestamp);
  const surplus = old.sort(byAge).slice(0, Math.max(0, old.length - revisionHistoryLimit(turn.rollout)));
  for (const set of surplus) {
    const isSettled = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
    if (wanted(set) !== 0 || (set.status?.replicas ?? 0) !== 0 || !isSettled) continue;
    await remove(client, replicaSets, set);
    const hash = hashOf(set);
    if (hash === '') continue;
    for (const run of turn.otherRuns) if (hashOf(run) === hash) await remove(client, analysisRuns, run);
    for (const each of turn.otherExperiments) if (hashOf(each) === hash) await remove(client, experiments, each);
  }
  const { rollout } = turn;
  const templates = [rollout.spec.template, ...turn.sets.all.map(({ spec }) => spec.template)];
  await forgetCopies({ client, configurations: turn.context.configurations, rollout }, templates);
}
