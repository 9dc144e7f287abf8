import type { ObjectStore, PersistentVolumeClaim, Pod } from '@tiphys/kube-controllers';
import type { KubeObject } from '@tiphys/kubernetes';

export interface StorageClass extends KubeObject {
  volumeBindingMode?: string;
}

/** Names of the claims that a pod mounts; an ephemeral volume's claim is named after pod and volume. */
export function claimNames(pod: Pod): string[] {
  return (pod.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${pod.metadata.name}-${name}`] : [];
  });
}

/** Why the claims of a pod keep it from every node, in the scheduler's words; undefined if they do not. */
export function claimRefusal(
  pod: Pod,
  claims: ObjectStore<PersistentVolumeClaim>,
  classes: ObjectStore<StorageClass>,
): string | undefined {
  const mounted = claimNames(pod).map((name) => ({ name, claim: claims.get(pod.metadata.namespace ?? '', name) }));
  for (const { name, claim } of mounted) {
    if (!claim && !isNamed(pod, name))
      return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
    if (!claim) return `persistentvolumeclaim "${name}" not found`;
    if (claim.status?.phase === 'Lost')
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName}"`;
    if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${name}" is being deleted`;
  }
  const isDelayed = (name: string) => classes.get('', name)?.volumeBindingMode === 'WaitForFirstConsumer';
  return mounted.some(({ claim }) => !claim?.spec.volumeName && !isDelayed(claim?.spec.storageClassName ?? ''))
    ? 'pod has unbound immediate PersistentVolumeClaims'
    : undefined;
}

/** Whether a volume of the pod is the claim of this name, and not one that is made for the pod. */
function isNamed({ spec }: Pod, name: string): boolean {
  return (spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name);
}
