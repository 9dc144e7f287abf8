import { type coreV1, isConflict, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { Controller, type ControllerContext, splitKey } from '../machinery/controller.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../machinery/workload-model.ts';

const FINALIZER = 'kubernetes.io/vac-protection';

interface ClaimStatus {
  currentVolumeAttributesClassName?: string;
  modifyVolumeStatus?: { targetVolumeAttributesClassName?: string };
}

/** Keeps VolumeAttributesClasses for as long as claims or volumes have them. */
export function startClassProtection(context: ControllerContext): void {
  const controller = new Controller(context, 'volumeattributesclass-protection-controller');
  const classes = context.stores.of<KubeObject>('storage.k8s.io/v1', 'VolumeAttributesClass');
  const claims = context.stores.of<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');
  const volumes = context.stores.of<PersistentVolume>('v1', 'PersistentVolume');
  controller.watch(classes);
  const keys = (names: readonly string[], before: readonly string[]) => [...names, ...before].map((name) => `/${name}`);
  controller.watch(claims, (claim, old) => keys(classesOfClaim(claim), old ? classesOfClaim(old) : []));
  controller.watch(volumes, (volume, old) => keys(classOfVolume(volume), old ? classOfVolume(old) : []));
  controller.run(async (key) => {
    const found = classes.get(...splitKey(key));
    if (!found) return undefined;
    const { name = '', finalizers = [], deletionTimestamp } = found.metadata;
    const held = finalizers.includes(FINALIZER);
    if (!deletionTimestamp) {
      if (!held) await write(controller, found, [...finalizers, FINALIZER]);
    } else if (held && !isUsed(name))
      await write(
        controller,
        found,
        finalizers.filter((one) => one !== FINALIZER),
      );
    return undefined;
  });

  function isUsed(name: string): boolean {
    return (
      [...volumes.list()].some((volume) => classOfVolume(volume).includes(name)) ||
      [...claims.list()].some((claim) => classesOfClaim(claim).includes(name))
    );
  }
}

function classesOfClaim({ spec, status = {} }: PersistentVolumeClaim): string[] {
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus } = status as ClaimStatus;
  const all = [spec.volumeAttributesClassName, current, modifyVolumeStatus?.targetVolumeAttributesClassName];
  return all.filter((name): name is string => typeof name === 'string' && name !== '');
}

function classOfVolume({ spec }: PersistentVolume): string[] {
  const { volumeAttributesClassName: name } = spec as coreV1.PersistentVolumeClaimSpec;
  return name ? [name] : [];
}

async function write({ client }: Controller, found: KubeObject, finalizers: string[]): Promise<void> {
  const { apiVersion, kind, metadata } = found;
  const { name = '', uid, resourceVersion } = metadata;
  try {
    await client.patch({ apiVersion, kind, name }, 'merge', { metadata: { uid, resourceVersion, finalizers } });
  } catch (error) {
    // gone, or changed: the next event of it tells
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
