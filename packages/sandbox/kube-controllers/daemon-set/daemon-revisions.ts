import type { Controller } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Pod } from '../machinery/workload-model.ts';
import {
  byRevision,
  type ControllerRevision,
  claimRevisions,
  createRevision,
  newRevision,
  revisionData,
  revisionLabel,
} from '../revisions/controller-revision.ts';
import { templateHash } from '../template-hash/template-hash.ts';
import type { DaemonSet } from './daemon-set-model.ts';

/** Finds or creates the revision of the set's template (`constructHistory`); answers with its hash. */
export async function daemonRevision(
  controller: Controller,
  { sets, revisions: store }: { sets: ObjectStore<DaemonSet>; revisions: ObjectStore<ControllerRevision> },
  set: DaemonSet,
): Promise<string> {
  const all = await claimRevisions(controller, store, set);
  const data = revisionData(set.spec.template);
  const current = all.findLast((revision) => semanticallyEqual(revision.data, data));
  const revision = Math.max(0, ...all.filter((each) => each !== current).map((each) => each.revision)) + 1;
  if (!current) {
    const hash = templateHash(set.spec.template, set.status?.collisionCount);
    const wanted = newRevision(set, set.spec.template, { revision, hash, hashLabel: revisionLabel });
    if (await createRevision(controller, store, wanted)) return hash;
    const status = { ...set.status, collisionCount: (set.status?.collisionCount ?? 0) + 1 } as DaemonSet['status'];
    await controller.updateStatus(sets, { ...set, ...(status ? { status } : {}) });
    throw new Error(`The name ${wanted.metadata.name} is taken by another revision`);
  }
  if (current.revision < revision) await controller.update(store, { ...current, revision });
  return current.metadata.labels?.[revisionLabel] ?? '';
}

/** Deletes the oldest revisions that no pod has, beyond `revisionHistoryLimit`. */
export async function truncateDaemonRevisions(
  controller: Controller,
  store: ObjectStore<ControllerRevision>,
  set: DaemonSet,
  { hash, pods }: { hash: string; pods: readonly Pod[] },
): Promise<void> {
  const hashOf = ({ metadata }: ControllerRevision | Pod) => metadata.labels?.[revisionLabel];
  const old = [...store.controlledBy(set.metadata.uid ?? '')].filter((each) => hashOf(each) !== hash).sort(byRevision);
  const live = new Set(pods.map(hashOf));
  const surplus = Math.max(0, old.length - (set.spec.revisionHistoryLimit ?? 10));
  for (const revision of old.filter((each) => !live.has(hashOf(each))).slice(0, surplus))
    await controller.delete(store, revision);
}
