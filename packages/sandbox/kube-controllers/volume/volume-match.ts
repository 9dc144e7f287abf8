import { type KubeObject, quantityValue, selectorMatches } from '@tiphys/kubernetes';
import type { PersistentVolume, PersistentVolumeClaim } from '../machinery/workload-model.ts';

export interface StorageClass extends KubeObject {
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  parameters?: Record<string, string>;
  mountOptions?: string[];
}

/** The class of a claim or volume; empty when it has none, and undefined when a claim may still get the default one. */
export function classOf(object: PersistentVolumeClaim | PersistentVolume): string | undefined {
  return object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? object.spec.storageClassName;
}

/** Whether the volume is reserved for the claim, or its own already. */
export function isClaimedBy(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef } = volume.spec;
  if (claimRef?.name !== claim.metadata.name || claimRef?.namespace !== claim.metadata.namespace) return false;
  return !claimRef?.uid || claimRef.uid === claim.metadata.uid;
}

/** Why a volume cannot serve a claim; undefined when it can (`checkVolumeSatisfyClaim`). */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (storageOf(volume.spec.capacity) < storageOf(claim.spec.resources?.requests)) return 'requested PV is too small';
  if ((classOf(volume) ?? '') !== (classOf(claim) ?? '')) return 'storageClassName does not match';
  if ((volume.spec.volumeMode ?? 'Filesystem') !== (claim.spec.volumeMode ?? 'Filesystem'))
    return 'incompatible volumeMode';
  const modes = volume.spec.accessModes ?? [];
  return claim.spec.accessModes?.every((mode) => modes.includes(mode)) ? undefined : 'incompatible accessMode';
}

/** The smallest free volume that serves the claim; one that is reserved for it comes first (`findBestMatchForClaim`). */
export function bestVolume(
  volumes: Iterable<PersistentVolume>,
  claim: PersistentVolumeClaim,
): PersistentVolume | undefined {
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (volume.metadata.deletionTimestamp) continue;
    if (isClaimedBy(volume, claim) && !mismatch(volume, claim)) return volume;
    if (volume.spec.claimRef || (volume.status?.phase && volume.status.phase !== 'Available')) continue;
    if (claim.spec.selector && !selectorMatches(claim.spec.selector, volume.metadata.labels)) continue;
    if (mismatch(volume, claim)) continue;
    if (!best || storageOf(volume.spec.capacity) < storageOf(best.spec.capacity)) best = volume;
  }
  return best;
}

function storageOf(resources: Record<string, string> | undefined): number {
  return quantityValue(resources?.storage ?? '0');
}
