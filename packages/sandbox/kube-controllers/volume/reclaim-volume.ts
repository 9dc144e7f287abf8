import type { coreV1 } from '@tiphys/kubernetes';
import type { PersistentVolume } from '../machinery/workload-model.ts';
import { setVolumePhase, type VolumeIo } from './volume-binding.ts';

/**
 * Deletes a volume whose claim is gone, if that is its policy and it was made for the claim or is a folder below `/tmp`;
 * of others it is told that they cannot be deleted, but those of a storage driver, which are the driver's.
 */
export async function reclaimVolume(io: VolumeIo, volume: PersistentVolume): Promise<void> {
  const { controller, volumes } = io;
  const { metadata, spec } = volume;
  if (spec.persistentVolumeReclaimPolicy !== 'Delete') return;
  const { annotations = {} } = metadata;
  const wasProvided = annotations['pv.kubernetes.io/provisioned-by'] !== undefined;
  if (!wasProvided && (spec.csi !== undefined || annotations['pv.kubernetes.io/migrated-to'] !== undefined)) return;
  const refusal = wasProvided ? undefined : deletionRefusal(volume);
  if (refusal === undefined) {
    if (!metadata.deletionTimestamp) await controller.delete(volumes, volume);
  } else if (volume.status?.phase !== 'Failed') {
    const failed = await setVolumePhase(io, volume, 'Failed', refusal);
    controller.events.event(failed, 'Warning', 'VolumeFailedDelete', refusal);
  }
}

function deletionRefusal({ metadata, spec }: PersistentVolume): string | undefined {
  const { path } = (spec.hostPath ?? {}) as coreV1.HostPathVolumeSource;
  if (path === undefined)
    return `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`;
  return /^\/tmp\/.+/.test(path) ? undefined : `host_path deleter only supports /tmp/.+ but received provided ${path}`;
}
