import { compareQuantities, isAlreadyExists } from '@tiphys/kubernetes';
import { timestamp } from '../machinery/conditions.ts';
import type { Controller } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../machinery/workload-model.ts';
import type { StorageClass } from './volume-match.ts';

export interface VolumeIo {
  controller: Controller;
  claims: ObjectStore<PersistentVolumeClaim>;
  volumes: ObjectStore<PersistentVolume>;
}

const boundByController = 'pv.kubernetes.io/bound-by-controller';
const bindCompleted = 'pv.kubernetes.io/bind-completed';
const provisionerAnnotations = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
];

/** Binds the two to each other, in the four steps of the real controller; each may have been done before. */
export async function bindVolume(io: VolumeIo, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
  const { controller, claims } = io;
  const bound = await setVolumePhase(io, await claimVolume(io, volume, claim), 'Bound');
  const annotations: Record<string, string> = { ...claim.metadata.annotations, [bindCompleted]: 'yes' };
  const volumeName = volume.metadata.name ?? '';
  if (claim.spec.volumeName !== volumeName) annotations[boundByController] = 'yes';
  let written = claim;
  if (claim.spec.volumeName !== volumeName || !semanticallyEqual(claim.metadata.annotations, annotations))
    written = await controller.update(claims, {
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...claim.spec, volumeName },
    });
  const { accessModes, capacity } = bound.spec;
  const status = {
    ...written.status,
    phase: 'Bound',
    ...(accessModes ? { accessModes } : {}),
    ...(capacity ? { capacity } : {}),
  };
  if (!semanticallyEqual(written.status, status)) await controller.updateStatus(claims, { ...written, status });
}

/** A simulated volume grows as soon as its claim asks for more, which admission allows where the class does. */
export async function growVolume(
  { controller, volumes }: VolumeIo,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const wanted = claim.spec.resources?.requests?.storage ?? '0';
  const simulated = volume.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined;
  if (!simulated || (compareQuantities(wanted, volume.spec.capacity?.storage ?? '0') ?? 0) <= 0) return volume;
  const capacity = { ...volume.spec.capacity, storage: wanted };
  const grown = await controller.update(volumes, { ...volume, spec: { ...volume.spec, capacity } });
  controller.events.event(
    claim,
    'Normal',
    'FileSystemResizeSuccessful',
    `MountVolume.NodeExpandVolume succeeded for volume "${volume.metadata.name}"`,
  );
  return grown;
}

async function claimVolume(
  { controller, volumes }: VolumeIo,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = claim.metadata;
  if (volume.spec.claimRef?.uid === uid) return volume;
  const byUser = volume.spec.claimRef !== undefined;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
  const annotations = { ...volume.metadata.annotations, ...(byUser ? {} : { [boundByController]: 'yes' }) };
  return controller.update(volumes, {
    ...volume,
    metadata: { ...volume.metadata, annotations },
    spec: { ...volume.spec, claimRef },
  });
}

export async function setVolumePhase(
  { controller, volumes }: VolumeIo,
  volume: PersistentVolume,
  phase: string,
  message?: string,
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume;
  const { message: _, ...before } = volume.status ?? {};
  const told = message === undefined ? {} : { message };
  const status = { ...before, phase, ...told, lastPhaseTransitionTime: timestamp(controller.clock) };
  return controller.updateStatus(volumes, { ...volume, status });
}

/** Makes a simulated volume for the claim, as an external provisioner would; the claim is bound when it is seen. */
export async function provision(io: VolumeIo, claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<void> {
  const { controller, claims, volumes } = io;
  const { provisioner, reclaimPolicy = 'Delete', mountOptions } = storageClass;
  const { name: claimName = '', namespace = '', uid = '', resourceVersion = '' } = claim.metadata;
  const annotations = { ...claim.metadata.annotations };
  for (const annotation of provisionerAnnotations) annotations[annotation] = provisioner;
  let current = claim;
  if (!semanticallyEqual(annotations, claim.metadata.annotations)) {
    current = await controller.update(claims, { ...claim, metadata: { ...claim.metadata, annotations } });
    const about = `External provisioner is provisioning volume for claim "${namespace}/${claimName}"`;
    controller.events.event(current, 'Normal', 'Provisioning', about);
  }
  const name = `pvc-${uid}`;
  const volume: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } },
    spec: {
      capacity: { storage: claim.spec.resources?.requests?.storage ?? '0' },
      accessModes: claim.spec.accessModes ?? [],
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claimName, uid, resourceVersion },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name ?? '',
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
      ...(mountOptions ? { mountOptions } : {}),
      hostPath: { path: `/var/lib/sandbox/${name}_${namespace}_${claimName}`, type: 'DirectoryOrCreate' },
    },
  };
  try {
    await controller.create(volumes, volume);
    controller.events.event(current, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
