import type { Case } from './run-case.ts';
import { clusterTable, type Made, named, table } from './table-steps.ts';

const storage = '/apis/storage.k8s.io/v1';
const modes = ['ReadWriteOncePod', 'ReadWriteMany', 'ReadOnlyMany', 'ReadWriteOnce'];
const volume = (name: string, spec: object = {}, status?: object, annotations: object = {}): Made =>
  ({
    metadata: { name, annotations },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, ...spec },
    ...(status ? { status } : {}),
  }) as Made;
const claim = (name: string, spec: object = {}, status?: object, annotations: object = {}): Made =>
  ({
    metadata: { name, annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    ...(status ? { status } : {}),
  }) as Made;
const BETA = 'volume.beta.kubernetes.io/storage-class';
const storageTables: Case = {
  name: 'tables-storage',
  steps: [
    ...clusterTable('/api/v1/persistentvolumes', [
      volume('{ns}-a'),
      volume(
        '{ns}-b',
        {
          accessModes: modes.slice(1),
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: 'fast',
          volumeMode: 'Block',
          claimRef: { namespace: 'n', name: 'c' },
        },
        { phase: 'Failed', reason: 'Broken', message: 'm' },
      ),
      volume(
        '{ns}-c',
        { capacity: { storage: '1024Mi' }, accessModes: ['ReadWriteOncePod'], storageClassName: 'x' },
        { phase: 'Bound' },
        { [BETA]: 'old' },
      ),
      volume('{ns}-d', {
        hostPath: undefined,
        csi: { driver: 'example.com', volumeHandle: 'h' },
        volumeAttributesClassName: 'silver',
        storageClassName: 's',
      }),
    ]),
    ...table('/api/v1/namespaces/{ns}/persistentvolumeclaims', [
      claim('unbound'),
      claim(
        'bound',
        { accessModes: modes.slice(1), volumeName: 'v', storageClassName: 'fast', volumeMode: 'Block' },
        { phase: 'Bound', accessModes: modes.slice(1), capacity: { storage: '2Gi' } },
      ),
      claim('reserved', { volumeName: 'v', storageClassName: '' }),
      claim('lost', { volumeName: 'v', volumeAttributesClassName: 'silver' }, { phase: 'Lost' }, { [BETA]: 'old' }),
    ]),
    ...clusterTable(`${storage}/storageclasses`, [
      named('{ns}-a', { provisioner: 'example.com/p' }),
      named('{ns}-b', {
        provisioner: 'example.com/p',
        reclaimPolicy: 'Retain',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: true,
      }),
      ...['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'].flatMap(
        (key) =>
          ['true', 'false'].map((value) => ({
            metadata: { name: `{ns}-${key.length}-${value}`, annotations: { [key]: value } },
            provisioner: 'p',
          })),
      ),
    ]),
    ...clusterTable(`${storage}/csidrivers`, [
      named('{ns}-a', { spec: {} }),
      named('{ns}-b', {
        spec: {
          attachRequired: false,
          podInfoOnMount: true,
          storageCapacity: true,
          requiresRepublish: true,
          volumeLifecycleModes: ['Persistent', 'Ephemeral'],
          tokenRequests: [{ audience: 'a' }, { audience: '' }, { audience: 'b' }],
        },
      }),
      named('{ns}-c', { spec: { tokenRequests: [{ audience: '' }] } }),
    ]),
    ...clusterTable(`${storage}/csinodes`, [
      named('{ns}-a', { spec: { drivers: [] } }),
      named('{ns}-b', { spec: { drivers: [{ name: 'example.com', nodeID: 'n', topologyKeys: [] }] } }),
    ]),
    ...table('/apis/storage.k8s.io/v1/namespaces/{ns}/csistoragecapacities', [
      named('a', { storageClassName: 'fast', capacity: '1024Mi' }),
      named('b', { storageClassName: 'slow' }),
    ]),
    ...clusterTable(`${storage}/volumeattachments`, [
      named('{ns}-a', { spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } } }),
      named('{ns}-b', {
        spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
        status: { attached: true },
      }),
    ]),
    ...clusterTable(`${storage}/volumeattributesclasses`, [
      named('{ns}', { driverName: 'example.com', parameters: { a: 'b' } }),
    ]),
  ],
};

/** What `kubectl get -o wide` prints of volumes and what makes them. */
export const tableStorageCases: readonly Case[] = [storageTables];
