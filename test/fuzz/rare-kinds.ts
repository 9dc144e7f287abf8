import { builtin, type FuzzKind } from './kinds.ts';

const cluster = { clusterWide: true } as const;
const expression = { cel: { expression: 'device.driver == "a"' } };
const claim = { spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'a' } }] } } };
const slice = {
  driver: 'a.example.com',
  pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
  nodeName: 'n',
  devices: [{ name: 'd', attributes: { a: { int: 1 } }, capacity: { c: { value: '1' } } }],
};
const podTemplate = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };

/** Kinds that are written by few, one of each. */
export const rareKinds: readonly FuzzKind[] = [
  builtin('v1', 'PodTemplate', 'podtemplates', { template: podTemplate }),
  builtin('apps/v1', 'ControllerRevision', 'controllerrevisions', { revision: 1, data: { a: 1 } }),
  builtin(
    'networking.k8s.io/v1',
    'IngressClass',
    'ingressclasses',
    { spec: { controller: 'a.example.com/b' } },
    cluster,
  ),
  builtin('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', { handler: 'a' }, cluster),
  builtin('storage.k8s.io/v1', 'CSIDriver', 'csidrivers', { spec: { attachRequired: true } }, cluster),
  builtin('storage.k8s.io/v1', 'CSINode', 'csinodes', { spec: { drivers: [{ name: 'a', nodeID: 'b' }] } }, cluster),
  builtin(
    'v1',
    'PersistentVolume',
    'persistentvolumes',
    { spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/a' } } },
    cluster,
  ),
  builtin(
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    'clusterrolebindings',
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'a', apiGroup: 'rbac.authorization.k8s.io' }],
    },
    cluster,
  ),
  builtin(
    'flowcontrol.apiserver.k8s.io/v1',
    'PriorityLevelConfiguration',
    'prioritylevelconfigurations',
    { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 64 } } } } },
    cluster,
  ),
  builtin('resource.k8s.io/v1', 'DeviceClass', 'deviceclasses', { spec: { selectors: [expression] } }, cluster),
  builtin('resource.k8s.io/v1', 'ResourceClaim', 'resourceclaims', claim),
  builtin('resource.k8s.io/v1', 'ResourceSlice', 'resourceslices', { spec: slice }, cluster),
  builtin(
    'storage.k8s.io/v1',
    'VolumeAttributesClass',
    'volumeattributesclasses',
    { driverName: 'a.example.com', parameters: { a: 'b' } },
    cluster,
  ),
  builtin(
    'storage.k8s.io/v1',
    'VolumeAttachment',
    'volumeattachments',
    { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    cluster,
  ),
  builtin('storage.k8s.io/v1', 'CSIStorageCapacity', 'csistoragecapacities', {
    storageClassName: 'a',
    capacity: '1Gi',
  }),
  builtin('networking.k8s.io/v1', 'ServiceCIDR', 'servicecidrs', { spec: { cidrs: ['10.200.0.0/24'] } }, cluster),
];
