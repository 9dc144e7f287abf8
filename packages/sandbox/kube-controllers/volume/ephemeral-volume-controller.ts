import { isAlreadyExists } from '@tiphys/kubernetes';
import { Controller, type ControllerContext, controllerRef, splitKey } from '../machinery/controller.ts';
import { isNamespaceTerminating, isPodActive, serverMessage } from '../machinery/pods.ts';
import type { PersistentVolumeClaim, Pod } from '../machinery/workload-model.ts';

/** Makes the claims of pods with generic ephemeral volumes; they go with their pod (pkg/controller/volume/ephemeral). */
export function startEphemeralVolumeController(context: ControllerContext): void {
  const controller = new Controller(context, 'ephemeral_volume');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const claims = context.stores.of<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');
  controller.watch(pods, (pod, old) =>
    !old && pod.spec.volumes?.some(({ ephemeral }) => ephemeral)
      ? [`${pod.metadata.namespace}/${pod.metadata.name}`]
      : [],
  );
  controller.run(async (key) => {
    const pod = pods.get(...splitKey(key));
    if (!pod || !isPodActive(pod)) return undefined;
    for (const { name: volume, ephemeral } of pod.spec.volumes ?? []) {
      const template = ephemeral?.volumeClaimTemplate;
      const { namespace = '' } = pod.metadata;
      const name = `${pod.metadata.name}-${volume}`;
      if (!template || claims.get(namespace, name)) continue;
      const { labels, annotations } = template.metadata ?? {};
      const metadata = {
        name,
        namespace,
        ...(labels ? { labels } : {}),
        ...(annotations ? { annotations } : {}),
        ownerReferences: [controllerRef({ ...pod, apiVersion: 'v1', kind: 'Pod' })],
      };
      try {
        await controller.create(claims, {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata,
          spec: template.spec,
        });
      } catch (error) {
        if (isNamespaceTerminating(error) || isAlreadyExists(error)) continue;
        const text = `ephemeral volume ${volume}: create PVC ${name}: ${serverMessage(error)}`;
        controller.events.event(pod, 'Warning', 'FailedBinding', text);
        throw error;
      }
    }
    return undefined;
  });
}
