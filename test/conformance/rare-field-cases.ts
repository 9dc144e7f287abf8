import type { Case } from './run-case.ts';
import { apps, batch, core, post, put } from './steps.ts';

/* Fields that few set, each with a value that kube-apiserver has something to say about. */

const DRY = 'dryRun=All';
const container = { name: 'main', image: 'nginx' };
const pod = (spec: object) =>
  post(`${core}/pods?${DRY}`, { metadata: { name: 'a' }, spec: { containers: [container], ...spec } });
const withContainer = (more: object) => pod({ containers: [{ ...container, ...more }] });
const volume = (source: object) => pod({ volumes: [{ name: 'v', ...source }] });
const cluster = (path: string, body: object) => post(`/apis/${path}?${DRY}`, { metadata: { name: 'rare' }, ...body });
const persistent = (spec: object) =>
  post(`/api/v1/persistentvolumes?${DRY}`, {
    metadata: { name: 'rare' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
  });
const term = { topologyKey: 'zone', matchLabelKeys: ['app'], mismatchLabelKeys: ['app'] };
const request = { name: 'a', exactly: { deviceClassName: 'a' } };
const claim = (devices: object) =>
  post(`/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims?${DRY}`, {
    metadata: { name: 'a' },
    spec: { devices },
  });
const slice = (spec: object) =>
  cluster('resource.k8s.io/v1/resourceslices', {
    spec: {
      driver: 'a.example.com',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      nodeName: 'n',
      ...spec,
    },
  });
const flow = (rule: object, more: object = {}) =>
  cluster('flowcontrol.apiserver.k8s.io/v1/flowschemas', {
    spec: { priorityLevelConfiguration: { name: 'a' }, rules: [rule], ...more },
  });
const event = (more: object) =>
  post(`/apis/events.k8s.io/v1/namespaces/{ns}/events?${DRY}`, {
    metadata: { name: 'a' },
    regarding: { kind: 'Pod', name: 'a', namespace: '{ns}' },
    reason: 'A',
    type: 'Normal',
    action: 'x',
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/a',
    reportingInstance: 'i',
    ...more,
  });

export const rareFieldCases: readonly Case[] = [
  {
    name: 'rare-fields-of-pods',
    steps: [
      pod({ resources: { limits: { cpu: '1' } } }),
      pod({ resources: { requests: { pods: '1' }, claims: [{ name: 'x' }] } }),
      pod({ overhead: { cpu: '1' } }),
      pod({ overhead: { '': '-1' } }),
      pod({ os: { name: '' } }),
      pod({ securityContext: { seLinuxChangePolicy: 'x', supplementalGroupsPolicy: 'x' } }),
      pod({ securityContext: { windowsOptions: { runAsUserName: 'a/b', hostProcess: true, gmsaCredentialSpec: '' } } }),
      pod({ dnsConfig: { nameservers: ['010.0.0.1', 'FE80::1'], searches: ['.', 'a..b'] } }),
      pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }),
      pod({
        affinity: {
          podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, labelSelector: {} }] },
        },
      }),
      pod({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule', nodeTaintsPolicy: 'x' },
          { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' },
        ],
      }),
      pod({ ephemeralContainers: [{ ...container, name: 'e', ports: [{ containerPort: 0 }], lifecycle: {} }] }),
      withContainer({ securityContext: { procMount: 'Unmasked', appArmorProfile: {} } }),
      withContainer({ resources: { limits: { 'hugepages-2Mi': '1', cpu: '1' }, claims: [{ name: '' }] } }),
      withContainer({
        volumeMounts: [{ name: 'v', mountPath: '/v', mountPropagation: 'Bidirectional', recursiveReadOnly: 'x' }],
      }),
      withContainer({ readinessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 0 } }),
      withContainer({
        env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '3' } } }],
      }),
      volume({ iscsi: { targetPortal: 'a', iqn: 'b', lun: 256 } }),
      volume({ azureDisk: { diskName: 'a', diskURI: 'b', kind: 'Managed' } }),
      volume({ projected: { sources: [{ secret: { name: 'a', items: [{ key: 'k', path: '..a' }] } }, {}] } }),
      volume({ ephemeral: { volumeClaimTemplate: { metadata: { name: 'a' }, spec: {} } } }),
    ],
  },
  {
    name: 'rare-fields-of-workloads',
    steps: [
      post(`${apps}/statefulsets?${DRY}`, {
        metadata: { name: 'a' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          updateStrategy: { type: 'RollingUpdate' },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [container], hostname: 'A b', ephemeralContainers: [{ ...container, name: 'e' }] },
          },
        },
      }),
      post(`${batch}/cronjobs?${DRY}`, {
        metadata: { name: 'a' },
        spec: {
          schedule: '@hourly',
          timeZone: 'utc',
          jobTemplate: {
            spec: { managedBy: '', template: { spec: { containers: [container], restartPolicy: 'Never' } } },
          },
        },
      }),
      post(`${core}/services`, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } }),
      put(`${core}/services/a?${DRY}`, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }], clusterIP: 'x' } }),
      put(`${core}/services/a?${DRY}`, {
        metadata: { name: 'a' },
        spec: { ports: [{ port: 80 }], clusterIPs: ['10.0.0.1'] },
      }),
      put(`${core}/services/a?${DRY}`, {
        metadata: { name: 'a' },
        spec: { ports: [{ port: 80 }], clusterIP: 'fe80::1' },
      }),
      put(`${core}/services/a?${DRY}`, {
        metadata: { name: 'a' },
        spec: { ports: [{ port: 80 }], ipFamilies: ['IPv6'], ipFamilyPolicy: 'RequireDualStack' },
      }),
    ],
  },
  {
    name: 'rare-fields-of-storage',
    steps: [
      persistent({ local: { path: '/a/../b' } }),
      persistent({ csi: { driver: 'A_b', nodeStageSecretRef: {}, nodePublishSecretRef: { name: 'A' } } }),
      persistent({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle', volumeAttributesClassName: '' }),
      persistent({
        hostPath: { path: '/a' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchFields: [{ key: 'x', operator: 'Gt' }] }] } },
      }),
      cluster('storage.k8s.io/v1/volumeattributesclasses', { driverName: 'A b' }),
      cluster('storage.k8s.io/v1/volumeattributesclasses', { driverName: 'a.example.com', parameters: { a: 'b' } }),
      cluster('storage.k8s.io/v1/volumeattachments', {
        spec: { attacher: '', nodeName: 'N', source: { inlineVolumeSpec: { capacity: { storage: '1' } } } },
      }),
      post(`/apis/storage.k8s.io/v1/namespaces/{ns}/csistoragecapacities?${DRY}`, {
        metadata: { name: 'a' },
        storageClassName: 'A',
        capacity: '-1',
      }),
      cluster('networking.k8s.io/v1/servicecidrs', { spec: { cidrs: ['10.0.0.1/8', '010.0.0.0/8'] } }),
      post(`/apis/networking.k8s.io/v1/ipaddresses?${DRY}`, { metadata: { name: 'FE80::1' }, spec: {} }),
    ],
  },
  {
    name: 'rare-fields-of-devices',
    steps: [
      claim({
        requests: [{ name: 'A' }, request, { ...request, firstAvailable: [{ name: 'x', deviceClassName: '' }] }],
      }),
      claim({ requests: [request], constraints: [{ requests: ['b', 'a/x/y'], matchAttribute: 'a' }], config: [{}] }),
      claim({
        requests: [
          {
            name: 'a',
            exactly: {
              deviceClassName: 'a',
              allocationMode: 'All',
              count: 1,
              tolerations: [{ operator: 'Exists', value: 'x' }],
            },
          },
        ],
      }),
      claim({
        requests: [
          { name: 'a', exactly: { deviceClassName: 'a', selectors: [{ cel: { expression: 'device.x' } }, {}] } },
        ],
      }),
      claim({ requests: [{ name: 'a', exactly: { deviceClassName: 'a', adminAccess: true } }] }),
      cluster('resource.k8s.io/v1/deviceclasses', {
        spec: { selectors: [{ cel: { expression: '1' } }], config: [{ opaque: { driver: 'a', parameters: [] } }] },
      }),
      slice({ allNodes: true, pool: { name: '/', resourceSliceCount: 0, generation: -1 } }),
      slice({
        devices: [
          { name: 'd', attributes: { 'a b': { int: 1, bool: true } }, capacity: { '/x': { value: '1' } } },
          { name: 'd' },
        ],
      }),
    ],
  },
  {
    name: 'rare-fields-of-flow-schemas-and-events',
    steps: [
      flow({ subjects: [{ kind: 'User' }, { kind: 'Group', group: {}, user: { name: 'a' } }, { kind: 'x' }] }),
      flow({
        subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: 'A', namespace: '' } }],
        resourceRules: [{ verbs: ['get', '*'], apiGroups: [], resources: ['*', 'a'], namespaces: ['A'] }],
        nonResourceRules: [{ verbs: ['fly'], nonResourceURLs: ['a', '/a//b', '/a*'] }],
      }),
      flow({ subjects: [] }, { matchingPrecedence: 1, distinguisherMethod: { type: 'x' } }),
      event({ type: 'x', deprecatedCount: 1, deprecatedSource: { host: 'a' } }),
      event({ reportingController: '', reason: 'x'.repeat(129), series: { count: 1 } }),
      event({ regarding: { kind: 'Pod', name: 'a' } }),
    ],
  },
];
