import type { Rollout } from '@tiphys/api';
import { deepEqual, keyOf, splitKey } from '@tiphys/controller';
import type { KubeObject, WorkQueue } from '@tiphys/kubernetes';
import type { Pod, Service } from '../objects/kinds.ts';
import { areTogether, isNewsToOthers } from '../turn/together.ts';
import type { Informers } from './informers.ts';
import { servicesOf } from './release.ts';

/** Which objects are looked at anew when others change. */
export interface Queues {
  readonly rollouts: WorkQueue;
  readonly experiments: WorkQueue;
  readonly services: WorkQueue;
}

export function wakeByChanges(informers: Informers, queues: Queues): void {
  const wakeOwner = ({ metadata }: KubeObject) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    const key = `${metadata.namespace ?? ''}/${owner?.name ?? ''}`;
    if (owner?.kind === 'Rollout') queues.rollouts.add(key);
    if (owner?.kind === 'Experiment') queues.experiments.add(key);
  };
  informers.rollouts.subscribe(({ type, object, old }) => {
    if (type !== 'deleted') queues.rollouts.add(keyOf(object));
    if (isNewsToOthers(object, old))
      for (const other of informers.rollouts.list()) if (areTogether(object, other)) queues.rollouts.add(keyOf(other));
    const left =
      old &&
      (type === 'deleted' ? servicesOf(old) : servicesOf(old).filter((name) => !servicesOf(object).includes(name)));
    for (const name of left ?? []) queues.services.add(`${object.metadata.namespace}/${name}`);
  });
  informers.experiments.subscribe(({ object }) => {
    queues.experiments.add(keyOf(object));
    wakeOwner(object);
  });
  informers.replicaSets.subscribe(({ object }) => wakeOwner(object));
  informers.analysisRuns.subscribe(({ type, object, old }) => {
    if (
      type === 'updated' &&
      old?.status?.phase === object.status?.phase &&
      old?.status?.message === object.status?.message
    )
      return;
    wakeOwner(object);
  });
  informers.services.subscribe(({ object }) => wakeByService(informers, queues, object));
  const wakeInvalid = ({ metadata }: KubeObject) => {
    for (const rollout of informers.rollouts.list())
      if ((!metadata.namespace || metadata.namespace === rollout.metadata.namespace) && isInvalid(rollout))
        queues.rollouts.add(keyOf(rollout));
  };
  informers.templates.subscribe(({ object }) => wakeInvalid(object));
  informers.clusterTemplates.subscribe(({ object }) => wakeInvalid(object));
  informers.pods.subscribe(({ object, old }) => wakeByPod(informers, queues, { pod: object, old }));
}

function isInvalid({ status }: Rollout): boolean {
  return status?.conditions?.some(({ type }) => type === 'InvalidSpec') ?? false;
}

function wakeByService(informers: Informers, queues: Queues, service: Service): void {
  const { namespace, name = '' } = service.metadata;
  queues.services.add(keyOf(service));
  for (const rollout of informers.rollouts.list())
    if (rollout.metadata.namespace === namespace && servicesOf(rollout).includes(name))
      queues.rollouts.add(keyOf(rollout));
  const owner = service.metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner?.kind === 'Experiment') queues.experiments.add(`${namespace ?? ''}/${owner.name}`);
}

/** A pod that is in trouble, or comes out of it, is told of by the Rollout that waits for it. */
function wakeByPod(informers: Informers, queues: Queues, { pod, old }: { pod: Pod; old: Pod | undefined }): void {
  if (old && deepEqual(stateOf(pod), stateOf(old))) return;
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner?.kind !== 'ReplicaSet') return;
  const set = informers.replicaSets.get(pod.metadata.namespace ?? '', owner.name);
  const rollout = set?.metadata.ownerReferences?.find(({ kind, controller }) => controller && kind === 'Rollout');
  if (!rollout) return;
  const key = `${pod.metadata.namespace ?? ''}/${rollout.name}`;
  const known = informers.rollouts.get(splitKey(key).namespace, splitKey(key).name);
  // a healthy one hears of its pods by its ReplicaSet
  if (known && known.status?.phase !== 'Healthy') queues.rollouts.add(key);
}

function stateOf({ status }: Pod): unknown {
  return [
    status?.conditions?.map(({ type, status: value, reason }) => [type, value, reason]),
    [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(({ ready, state }) => [
      ready,
      state?.waiting?.reason,
    ]),
  ];
}
