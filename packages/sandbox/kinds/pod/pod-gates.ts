import { isFields, type KubeObject } from '@tiphys/kubernetes';
import { drop, type Fields, mapAt, mapsIn } from '../shared/gates.ts';

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function dropOfPod(spec: Fields | undefined): void {
  if (!spec) return;
  drop(spec, 'hostnameOverride');
  const images = new Set(mapsIn(spec.volumes).flatMap((volume) => (volume.image === undefined ? [] : [volume.name])));
  if (images.size) spec.volumes = mapsIn(spec.volumes).filter(({ name }) => !images.has(name));
  if (images.size && mapsIn(spec.volumes).length === 0) delete spec.volumes;
  for (const volume of mapsIn(spec.volumes))
    for (const source of mapsIn(mapAt(volume, 'projected')?.sources))
      drop(source, 'clusterTrustBundle', 'podCertificate');
  for (const list of CONTAINERS)
    for (const container of mapsIn(spec[list])) {
      dropOfContainer(container, list === 'initContainers');
      if (images.size && container.volumeMounts)
        container.volumeMounts = mapsIn(container.volumeMounts).filter(({ name }) => !images.has(name));
    }
}

function dropOfContainer(container: Fields, isInit: boolean): void {
  drop(container, 'restartPolicyRules');
  // Sidecars are not behind the gate.
  if (!isInit || container.restartPolicy !== 'Always') drop(container, 'restartPolicy');
  for (const variable of mapsIn(container.env)) drop(mapAt(variable, 'valueFrom'), 'fileKeyRef');
  const lifecycle = mapAt(container, 'lifecycle');
  if (lifecycle?.stopSignal === undefined) return;
  drop(lifecycle, 'stopSignal');
  if (!Object.keys(lifecycle).length) drop(container, 'lifecycle');
}

export function dropOfPodStatus({ status }: KubeObject): void {
  if (!isFields(status)) return;
  drop(status, 'extendedResourceClaimStatus');
  for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'])
    for (const container of mapsIn(status[list])) drop(container, 'allocatedResourcesStatus');
}

export const ofTemplate = (object: KubeObject): void => dropOfPod(mapAt(object, 'spec', 'template', 'spec'));

export const ofReplicas = (object: KubeObject): void => drop(mapAt(object, 'status'), 'terminatingReplicas');
