import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { ObjectKey } from '@tiphys/kubernetes';
import type { ClusterHandle } from './cluster-registry.ts';

const outsideOfScope = defineDiagnosis(
  'OutsideOfClusterScope',
  'An object is outside of what the cluster Secret gives to Tiphys',
  'C19',
);

/** Why a cluster in namespaced mode does not manage an object, in upstream's words; undefined if it does. */
export function scopeDenial(
  { name, namespaces, clusterResources }: Pick<ClusterHandle, 'name' | 'namespaces' | 'clusterResources'>,
  key: ObjectKey,
  namespaced: boolean,
): Diagnosis | undefined {
  if (namespaces.length === 0) return undefined;
  if (namespaced ? namespaces.includes(key.namespace) : clusterResources) return undefined;
  return diagnose(outsideOfScope, {
    message: namespaced
      ? `Failed to load live state: namespace "${key.namespace}" for ${key.kind} "${key.name}" is not managed`
      : `Failed to load live state: cluster level ${key.kind} "${key.name}" can not be managed when in namespaced mode`,
    place: { object: `${key.kind} ${key.namespace ? `${key.namespace}/` : ''}${key.name}` },
    evidence: { cluster: name, namespaces: namespaces.join(', ') },
    remedies: [
      namespaced
        ? `Add the namespace to "namespaces" of the cluster's Secret, or deliver the object to one that is there`
        : `Set "clusterResources" of the cluster's Secret to "true"`,
    ],
  });
}
