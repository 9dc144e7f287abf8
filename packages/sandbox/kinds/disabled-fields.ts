import type { Strategy } from '@tiphys/apimachinery';
import { isFields, type KubeObject } from '@tiphys/kubernetes';

/*
 * Fields of features that a kube-apiserver 1.34 leaves off: they are taken away before anything is validated or stored,
 * unless the stored object has them, which it never does here.
 */

type Fields = Record<string, unknown>;

const mapAt = (value: unknown, ...path: string[]): Fields | undefined => {
  const found = path.reduce<unknown>((part, key) => (isFields(part) ? part[key] : undefined), value);
  return isFields(found) ? found : undefined;
};
const mapsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

function drop(target: Fields | undefined, ...fields: readonly string[]): void {
  for (const field of fields) delete target?.[field];
}

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

function dropOfPod(spec: Fields | undefined): void {
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

function dropOfPodStatus({ status }: KubeObject): void {
  if (!isFields(status)) return;
  drop(status, 'extendedResourceClaimStatus');
  for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'])
    for (const container of mapsIn(status[list])) drop(container, 'allocatedResourcesStatus');
}

interface Drops {
  readonly spec?: (object: KubeObject) => void;
  readonly status?: (object: KubeObject) => void;
}

const ofTemplate = (object: KubeObject): void => dropOfPod(mapAt(object, 'spec', 'template', 'spec'));
const ofReplicas = (object: KubeObject): void => drop(mapAt(object, 'status'), 'terminatingReplicas');

/** By `group/resource`. */
const DROPS: Readonly<Record<string, Drops>> = {
  '/pods': { spec: (object) => dropOfPod(mapAt(object, 'spec')), status: dropOfPodStatus },
  '/podtemplates': { spec: (object) => dropOfPod(mapAt(object, 'template', 'spec')) },
  '/replicationcontrollers': { spec: ofTemplate },
  '/serviceaccounts': {
    // Not behind a gate: of what a ServiceAccount refers to only the names count.
    spec(object) {
      if (Array.isArray(object.secrets))
        object.secrets = mapsIn(object.secrets).map(({ name }) => (name === undefined ? {} : { name }));
    },
  },
  '/nodes': {
    spec: (object) => {
      drop(mapAt(object, 'spec'), 'configSource');
      drop(mapAt(object, 'status'), 'config');
    },
    status: (object) => drop(mapAt(object, 'status'), 'config'),
  },
  'apps/daemonsets': { spec: ofTemplate },
  'apps/deployments': { spec: ofTemplate, status: ofReplicas },
  'apps/replicasets': { spec: ofTemplate, status: ofReplicas },
  'apps/statefulsets': {
    spec(object) {
      ofTemplate(object);
      drop(mapAt(object, 'spec', 'updateStrategy', 'rollingUpdate'), 'maxUnavailable');
    },
  },
  'autoscaling/horizontalpodautoscalers': {
    spec(object) {
      for (const rules of ['scaleUp', 'scaleDown']) drop(mapAt(object, 'spec', 'behavior', rules), 'tolerance');
    },
  },
  'batch/cronjobs': { spec: (object) => dropOfPod(mapAt(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec')) },
  'batch/jobs': { spec: ofTemplate },
  'coordination.k8s.io/leases': { spec: (object) => drop(mapAt(object, 'spec'), 'strategy', 'preferredHolder') },
  'resource.k8s.io/deviceclasses': { spec: (object) => drop(mapAt(object, 'spec'), 'extendedResourceName') },
  'storage.k8s.io/csidrivers': {
    spec: (object) => drop(mapAt(object, 'spec'), 'nodeAllocatableUpdatePeriodSeconds'),
  },
};

/** The strategy of a resource that takes away what a kube-apiserver with its default feature gates does not know. */
export function withoutDisabledFields(name: string, strategy: Strategy): Strategy {
  const drops = DROPS[name];
  if (!drops) return strategy;
  const { spec, status } = drops;
  return {
    ...strategy,
    prepareCreate(object, context) {
      spec?.(object);
      strategy.prepareCreate?.(object, context);
    },
    prepareUpdate(object, old, context) {
      spec?.(object);
      strategy.prepareUpdate?.(object, old, context);
    },
    prepareStatus(object, old, context) {
      status?.(object);
      strategy.prepareStatus?.(object, old, context);
    },
  };
}
