import { isConflict, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { Controller, type ControllerContext, splitKey } from '../machinery/controller.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../machinery/workload-model.ts';
import { claimsOfPod } from './volume-controller.ts';

/**
 * Lets deleted claims go when no pod on a node uses them, deleted volumes when no claim is bound to them, and deleted
 * classes of attributes when neither refers to them.
 */
export function startVolumeProtectionControllers(context: ControllerContext): void {
  startClaimProtection(context);
  startVolumeProtection(context);
  startClassProtection(context);
}

function startClaimProtection(context: ControllerContext): void {
  const controller = new Controller(context, 'pvc-protection-controller');
  const claims = context.stores.of<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  controller.watch(claims);
  controller.watch(pods, (pod) => claimsOfPod(pod).map((name) => `${pod.metadata.namespace}/${name}`));
  controller.run(async (key) => {
    const claim = claims.get(...splitKey(key));
    if (!claim?.metadata.deletionTimestamp) return undefined;
    const users = [...pods.inNamespace(claim.metadata.namespace ?? '')].filter(
      (pod) => pod.spec.nodeName && claimsOfPod(pod).includes(claim.metadata.name ?? ''),
    );
    if (users.length === 0) await release(controller, claim, 'kubernetes.io/pvc-protection');
    return undefined;
  });
}

function startVolumeProtection(context: ControllerContext): void {
  const controller = new Controller(context, 'pv-protection-controller');
  const volumes = context.stores.of<PersistentVolume>('v1', 'PersistentVolume');
  controller.watch(volumes);
  controller.run(async (key) => {
    const volume = volumes.get(...splitKey(key));
    if (volume?.metadata.deletionTimestamp && volume.status?.phase !== 'Bound')
      await release(controller, volume, 'kubernetes.io/pv-protection');
    return undefined;
  });
}

interface Attributed extends KubeObject {
  spec?: { volumeAttributesClassName?: string };
  status?: { currentVolumeAttributesClassName?: string };
}

function startClassProtection(context: ControllerContext): void {
  const controller = new Controller(context, 'volumeattributesclass-protection-controller');
  const classes = context.stores.of<KubeObject>('storage.k8s.io/v1', 'VolumeAttributesClass');
  const users = ['PersistentVolume', 'PersistentVolumeClaim'].map((kind) => context.stores.of<Attributed>('v1', kind));
  const named = ({ spec, status }: Attributed): string[] =>
    [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName].filter((name) => name !== undefined);
  controller.watch(classes);
  // A class that was waited for is looked at again when anyone who used it changes or goes.
  for (const store of users)
    controller.watch(store, () => [...classes.list()].map(({ metadata }) => metadata.name ?? ''));
  controller.run(async (key) => {
    const found = classes.get(...splitKey(key));
    if (!found?.metadata.deletionTimestamp) return undefined;
    const name = found.metadata.name ?? '';
    const used = users.some((store) => [...store.list()].some((user) => named(user).includes(name)));
    if (!used) await release(controller, found, 'kubernetes.io/vac-protection');
    return undefined;
  });
}

async function release({ client }: Controller, object: KubeObject, finalizer: string): Promise<void> {
  const { apiVersion, kind } = object;
  const { name = '', namespace, uid, finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return;
  const ref = { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
  const body = { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [finalizer] } };
  try {
    await client.patch(ref, 'strategic', body);
  } catch (error) {
    // gone, or another one of the same name
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
