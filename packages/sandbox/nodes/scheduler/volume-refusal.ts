import type {
  Node,
  NodeSelectorTerm,
  ObjectStore,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from '@tiphys/kube-controllers';
import type { coreV1 } from '@tiphys/kubernetes';
import { claimNames } from './claim-refusal.ts';
import { matchesTerm, type Refusal } from './node-filters.ts';
import type { Placement } from './pod-placement.ts';

export interface VolumeStores {
  claims: ObjectStore<PersistentVolumeClaim>;
  volumes: ObjectStore<PersistentVolume>;
}

/** Why the pod's claims keep it from the node: another pod has one for itself alone, or its volume is elsewhere. */
export function volumeRefusal(
  pod: Pod,
  { metadata }: Node,
  placement: Placement,
  { claims, volumes }: VolumeStores,
): Refusal | undefined {
  const { namespace = '' } = pod.metadata;
  const mounted = claimNames(pod).flatMap((name) => claims.get(namespace, name) ?? []);
  const alone = mounted.filter(({ spec }) => spec.accessModes?.includes('ReadWriteOncePod'));
  if (alone.some((claim) => isUsed(claim, placement)))
    return {
      reason:
        'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
      resolvable: true,
    };
  const bound = mounted.flatMap(({ spec: { volumeName } }) => (volumeName ? [volumes.get('', volumeName)] : []));
  const isThere = (volume: PersistentVolume) => {
    const { required } = (volume.spec.nodeAffinity ?? {}) as coreV1.VolumeNodeAffinity;
    const terms = required?.nodeSelectorTerms;
    return (
      !terms || terms.some((term) => matchesTerm(term as NodeSelectorTerm, metadata.labels ?? {}, metadata.name ?? ''))
    );
  };
  if (bound.some((volume) => volume && !isThere(volume)))
    return { reason: "node(s) didn't match PersistentVolume's node affinity", resolvable: false };
  return bound.includes(undefined)
    ? { reason: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)', resolvable: false }
    : undefined;
}

function isUsed({ metadata: { namespace, name = '' } }: PersistentVolumeClaim, { nodes, usage }: Placement): boolean {
  return nodes.some((node) =>
    [...usage.podsOn(node.metadata.name ?? '')].some(
      (other) => other.metadata.namespace === namespace && claimNames(other).includes(name),
    ),
  );
}
