import { isNotFound } from '@tiphys/kubernetes';
import type { Controller } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Pod } from '../machinery/workload-model.ts';
import {
  type ControllerRevision,
  claimRevisions,
  createRevision,
  newRevision,
  revisionData,
  revisionHash,
  revisionLabel,
} from '../revisions/controller-revision.ts';
import type { StatefulSet } from './stateful-set-model.ts';

const hashLabel = 'controller.kubernetes.io/hash';

export interface StatefulRevisions {
  /** All of the set, oldest first. */
  all: ControllerRevision[];
  current: ControllerRevision;
  update: ControllerRevision;
  collisionCount: number;
}

/** Finds or creates the revision of the set's template (`getStatefulSetRevisions`). */
export async function statefulRevisions(
  controller: Controller,
  store: ObjectStore<ControllerRevision>,
  set: StatefulSet,
): Promise<StatefulRevisions> {
  const all = await claimRevisions(controller, store, set);
  const data = revisionData(set.spec.template);
  const next = (all.at(-1)?.revision ?? 0) + 1;
  const equal = all.findLast((revision) => semanticallyEqual(revision.data, data));
  let collisionCount = set.status?.collisionCount ?? 0;
  let update = equal;
  if (equal && equal !== all.at(-1)) update = await controller.update(store, { ...equal, revision: next });
  for (; !update; collisionCount++) {
    const revision = newRevision(set, set.spec.template, {
      revision: next,
      hash: revisionHash(data, collisionCount),
      hashLabel,
    });
    update = await createRevision(controller, store, revision);
    if (update) break;
  }
  const named = set.status?.currentRevision;
  return { all, current: all.find(({ metadata }) => metadata.name === named) ?? update, update, collisionCount };
}

/** Deletes the oldest revisions that no pod has, beyond `revisionHistoryLimit`. */
export async function truncateRevisions(
  controller: Controller,
  store: ObjectStore<ControllerRevision>,
  set: StatefulSet,
  { all, current, update }: StatefulRevisions,
  pods: readonly Pod[],
): Promise<void> {
  const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOf)]);
  const history = all.filter(({ metadata }) => !live.has(metadata.name));
  for (const revision of history.slice(0, Math.max(0, history.length - (set.spec.revisionHistoryLimit ?? 10)))) {
    try {
      await controller.delete(store, revision);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

export function revisionOf(pod: Pod): string | undefined {
  return pod.metadata.labels?.[revisionLabel];
}
