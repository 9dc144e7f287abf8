import { isAlreadyExists } from '@tiphys/kubernetes';
import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { isPodTerminal } from '../machinery/pods.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../machinery/workload-model.ts';
import { reclaimVolume } from './reclaim-volume.ts';
import { bindVolume, growVolume, provision, setVolumePhase, type VolumeIo } from './volume-binding.ts';
import { bestVolume, classOf, isClaimedBy, mismatch, type StorageClass } from './volume-match.ts';

const volumePrefix = 'volume ';
const defaultClass = 'storageclass.kubernetes.io/is-default-class';
const noProvisioner = 'kubernetes.io/no-provisioner';

/**
 * Binds claims to volumes and provides simulated volumes for every provisioner but `kubernetes.io/no-provisioner`
 * (pkg/controller/volume/persistentvolume). A cluster that has no StorageClass and no claim yet gets the class
 * `standard`, the default one, as local clusters have it.
 */
export function startVolumeController(context: ControllerContext): void {
  const controller = new Controller(context, 'persistentvolume-controller');
  const claims = context.stores.of<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');
  const volumes = context.stores.of<PersistentVolume>('v1', 'PersistentVolume');
  const classes = context.stores.of<StorageClass>('storage.k8s.io/v1', 'StorageClass');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const binder = new VolumeBinder({ controller, claims, volumes }, classes, pods);
  const pending = () => [...claims.list()].filter(isUnbound).map(keyFor);
  controller.watch(claims, (claim) => [
    keyFor(claim),
    ...(claim.spec.volumeName ? [`${volumePrefix}/${claim.spec.volumeName}`] : []),
  ]);
  controller.watch(volumes, (volume) => {
    const { claimRef } = volume.spec;
    const own = `${volumePrefix}${keyFor(volume)}`;
    return claimRef ? [own, `${claimRef.namespace}/${claimRef.name}`] : [own, ...pending()];
  });
  controller.watch(classes, pending);
  controller.watch(pods, (pod, old) =>
    old ? [] : claimsOfPod(pod).map((name) => `${pod.metadata.namespace}/${name}`),
  );
  void startWithDefaultClass(controller, [classes, claims]).then(() =>
    controller.run(async (key) => {
      if (key.startsWith(volumePrefix)) await binder.syncVolume(key.slice(volumePrefix.length));
      else await binder.syncClaim(key);
      return undefined;
    }),
  );
}

async function startWithDefaultClass(
  controller: Controller,
  stores: { synced: Promise<void>; size: number }[],
): Promise<void> {
  try {
    await Promise.all(stores.map((store) => store.synced));
    if (stores.some((store) => store.size > 0)) return;
    await controller.client.create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'standard', annotations: { [defaultClass]: 'true' } },
      provisioner: 'sandbox.tiphys.dev/simulated',
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
  } catch (error) {
    // without it claims wait and say why; an aborted start has nothing to say
    if (!isAlreadyExists(error)) controller.failed('/standard', error);
  }
}

class VolumeBinder {
  readonly #io: VolumeIo;
  readonly #classes: ObjectStore<StorageClass>;
  readonly #pods: ObjectStore<Pod>;

  constructor(io: VolumeIo, classes: ObjectStore<StorageClass>, pods: ObjectStore<Pod>) {
    this.#io = io;
    this.#classes = classes;
    this.#pods = pods;
  }

  async syncClaim(key: string): Promise<void> {
    const { claims, volumes } = this.#io;
    const claim = claims.get(...splitKey(key));
    if (!claim) return;
    const { volumeName } = claim.spec;
    const isBound = claim.metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined;
    if (volumeName === undefined || volumeName === '') return this.#findVolume(claim);
    const volume = volumes.get('', volumeName);
    if (isBound && !volume)
      return this.#lose(claim, 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
    if (volume) await this.#bindNamed(claim, volume, isBound);
  }

  /** The claim names its volume. */
  async #bindNamed(claim: PersistentVolumeClaim, volume: PersistentVolume, isBound: boolean): Promise<void> {
    const { controller } = this.#io;
    if (isClaimedBy(volume, claim)) return bindVolume(this.#io, await growVolume(this.#io, volume, claim), claim);
    if (isBound) {
      if (!volume.spec.claimRef) return bindVolume(this.#io, volume, claim);
      return this.#lose(
        claim,
        'Two claims are bound to the same volume, this one is bound incorrectly',
        'ClaimMisbound',
      );
    }
    const why = mismatch(volume, claim);
    const name = volume.metadata.name ?? '';
    if (volume.spec.claimRef)
      controller.events.event(
        claim,
        'Warning',
        'FailedBinding',
        `volume "${name}" already bound to a different claim.`,
      );
    else if (why)
      controller.events.event(claim, 'Warning', 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${why}`);
    else await bindVolume(this.#io, volume, claim);
  }

  async #findVolume(claim: PersistentVolumeClaim): Promise<void> {
    const { controller, claims, volumes } = this.#io;
    if (claim.metadata.deletionTimestamp) return;
    const className = classOf(claim);
    const storageClass = className ? this.#classes.get('', className) : undefined;
    const delays = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    const waits = delays && !this.#isUsed(claim);
    const volume = waits ? undefined : bestVolume(volumes.list(), claim);
    if (volume) return bindVolume(this.#io, volume, claim);
    const fallback = className === undefined ? this.#defaultClass() : undefined;
    if (fallback) {
      await controller.update(claims, { ...claim, spec: { ...claim.spec, storageClassName: fallback } });
      return;
    }
    if (waits)
      controller.events.event(
        claim,
        'Normal',
        'WaitForFirstConsumer',
        'waiting for first consumer to be created before binding',
      );
    else if (!className)
      controller.events.event(
        claim,
        'Normal',
        'FailedBinding',
        'no persistent volumes available for this claim and no storage class is set',
      );
    else if (!storageClass)
      controller.events.event(
        claim,
        'Warning',
        'ProvisioningFailed',
        `storageclass.storage.k8s.io "${className}" not found`,
      );
    else if (storageClass.provisioner !== noProvisioner) await provision(this.#io, claim, storageClass);
  }

  /** The newest of the default classes. */
  #defaultClass(): string | undefined {
    const defaults = [...this.#classes.list()].filter(
      ({ metadata }) => metadata.annotations?.[defaultClass] === 'true',
    );
    defaults.sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1));
    return defaults[0]?.metadata.name;
  }

  #isUsed(claim: PersistentVolumeClaim): boolean {
    for (const pod of this.#pods.inNamespace(claim.metadata.namespace ?? ''))
      if (!isPodTerminal(pod) && claimsOfPod(pod).includes(claim.metadata.name ?? '')) return true;
    return false;
  }

  async #lose(claim: PersistentVolumeClaim, message: string, reason = 'ClaimLost'): Promise<void> {
    if (claim.status?.phase === 'Lost') return;
    const { controller, claims } = this.#io;
    await controller.updateStatus(claims, { ...claim, status: { phase: 'Lost' } });
    controller.events.event(claim, 'Warning', reason, message);
  }

  /** Free volumes are offered, those of a claim that is gone released or deleted. */
  async syncVolume(key: string): Promise<void> {
    const { controller, claims, volumes } = this.#io;
    const volume = volumes.get(...splitKey(key));
    if (!volume) return;
    const { claimRef } = volume.spec;
    if (!claimRef?.uid) {
      await setVolumePhase(this.#io, volume, 'Available');
      return;
    }
    const claim = claims.get(claimRef.namespace, claimRef.name);
    if (claim?.metadata.uid === claimRef.uid) return;
    const found = await controller.client.find({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      ...nameOf(claimRef),
    });
    if (found?.metadata.uid === claimRef.uid) return;
    const failed = volume.status?.phase === 'Failed';
    await reclaimVolume(this.#io, failed ? volume : await setVolumePhase(this.#io, volume, 'Released'));
  }
}

function nameOf({ name, namespace }: { name: string; namespace: string }) {
  return { name, namespace };
}

function isUnbound(claim: PersistentVolumeClaim): boolean {
  return !claim.spec.volumeName;
}

/** Names of the claims that a pod uses, those of its ephemeral volumes included. */
export function claimsOfPod({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : ephemeral ? [`${metadata.name}-${name}`] : [],
  );
}
