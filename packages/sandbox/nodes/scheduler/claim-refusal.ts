import type { KubeObject } from '@tiphys/kubernetes';
import type { ObjectStore } from '../../controllers/machinery/object-store.ts';
import type { PersistentVolumeClaim, Pod } from '../../controllers/machinery/workload-model.ts';

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
  for (const name of claimNames(pod)) {
    const claim = claims.get(pod.metadata.namespace ?? '', name);
    if (!claim) return `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${name}" is being deleted`;
    if (claim.status?.phase === 'Lost')
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName}"`;
    const delayed = classes.get('', claim.spec.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer';
    if (!claim.spec.volumeName && !delayed) return 'pod has unbound immediate PersistentVolumeClaims';
  }
  return undefined;
}
