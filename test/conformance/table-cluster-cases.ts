import type { Case } from './run-case.ts';
import { core, get, TABLE } from './steps.ts';
import { clusterTable, condition, LONG_AGO, type Made, named, table } from './table-steps.ts';

const nodeTables: Case = {
  name: 'tables-nodes',
  steps: clusterTable('/api/v1/nodes', [
    named('{ns}-new'),
    named('{ns}-ready', {
      spec: { unschedulable: true },
      status: {
        conditions: [condition('MemoryPressure', 'False'), condition('Ready')],
        addresses: [
          { type: 'Hostname', address: 'h' },
          { type: 'InternalIP', address: '10.0.0.1' },
          { type: 'InternalIP', address: '10.0.0.2' },
          { type: 'ExternalIP', address: '203.0.113.1' },
        ],
        nodeInfo: {
          kubeletVersion: 'v1.34.4',
          osImage: 'Linux',
          kernelVersion: '6.12',
          containerRuntimeVersion: 'containerd://2',
          architecture: 'amd64',
          bootID: '',
          kubeProxyVersion: '',
          machineID: '',
          operatingSystem: 'linux',
          systemUUID: '',
        },
      },
    }),
    named('{ns}-lost', { status: { conditions: [condition('Ready', 'Unknown')] } }),
    {
      metadata: {
        name: '{ns}-roles',
        labels: {
          'node-role.kubernetes.io/worker': '',
          'node-role.kubernetes.io/control-plane': 'x',
          'node-role.kubernetes.io/': '',
          'kubernetes.io/role': 'edge',
        },
      },
      status: { conditions: [condition('Ready', 'False')] },
    },
    { metadata: { name: '{ns}-twice', labels: { 'node-role.kubernetes.io/edge': '', 'kubernetes.io/role': 'edge' } } },
  ] as Made[]),
};

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const subjects = [
  { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
  { kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' },
  { kind: 'ServiceAccount', name: 's', namespace: 'n' },
  { kind: 'User', name: 'v', apiGroup: 'rbac.authorization.k8s.io' },
  { kind: 'ServiceAccount', name: 't', namespace: 'm' },
];
const role = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: 'view' });
const accessTables: Case = {
  name: 'tables-access',
  steps: [
    ...table(`${rbac}/namespaces/{ns}/roles`, [named('r', { rules: [] })]),
    ...clusterTable(`${rbac}/clusterroles`, [named('{ns}', { rules: [] })]),
    ...table(`${rbac}/namespaces/{ns}/rolebindings`, [
      named('all', { roleRef: role('ClusterRole'), subjects }),
      named('nobody', { roleRef: role('Role') }),
    ]),
    ...clusterTable(`${rbac}/clusterrolebindings`, [
      named('{ns}', { roleRef: role('ClusterRole'), subjects }),
      named('{ns}-nobody', { roleRef: role('ClusterRole') }),
    ]),
    ...table(`${core}/serviceaccounts`, [named('none'), named('two', { secrets: [{ name: 'a' }, { name: 'b' }] })]),
    ...clusterTable('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', [
      named('{ns}-none'),
      named('{ns}-one', {
        webhooks: [
          {
            name: 'w.example.com',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { url: 'https://example.com/x' },
          },
        ],
      }),
    ]),
    ...clusterTable('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', [named('{ns}-none')]),
    ...clusterTable('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', [
      named('{ns}-a', {
        spec: {
          validations: [{ expression: 'true' }, { expression: 'true' }],
          matchConstraints: {
            resourceRules: [{ apiGroups: ['x'], apiVersions: ['v1'], resources: ['y'], operations: ['CREATE'] }],
          },
        },
      }),
      named('{ns}-b', {
        spec: {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          auditAnnotations: [{ key: 'a', valueExpression: '"x"' }],
          matchConstraints: {
            resourceRules: [{ apiGroups: ['x'], apiVersions: ['v1'], resources: ['y'], operations: ['CREATE'] }],
          },
        },
      }),
    ]),
    ...clusterTable('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', [
      named('{ns}-a', { spec: { policyName: '{ns}-absent', validationActions: ['Deny'] } }),
      ...[
        { name: 'c' },
        { name: 'c', namespace: 'n' },
        { selector: {} },
        { selector: { matchLabels: { b: '1', a: '2' } } },
        {
          selector: {
            matchLabels: { a: 'b' },
            matchExpressions: [
              { key: 'x', operator: 'In', values: ['1', '2'] },
              { key: 'y', operator: 'Exists' },
            ],
          },
        },
      ].map((paramRef, index) =>
        named(`{ns}-b${index}`, {
          spec: {
            policyName: '{ns}-absent',
            validationActions: ['Deny'],
            paramRef: { parameterNotFoundAction: 'Deny', ...paramRef },
          },
        }),
      ),
    ]),
    get(
      '/apis/certificates.k8s.io/v1/certificatesigningrequests',
      { includeObject: 'None', labelSelector: 'none' },
      { accept: TABLE },
    ),
  ],
};

const event = (name: string, more: object) =>
  named(name, {
    involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
    reason: 'Why',
    type: 'Normal',
    ...more,
  });
const micro = '2010-01-01T00:00:00.000000Z';
const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';
const otherTables: Case = {
  name: 'tables-others',
  steps: [
    ...table(`${core}/events`, [
      event('plain', { message: '  spaces around \n' }),
      event('counted', {
        count: 4,
        firstTimestamp: LONG_AGO,
        lastTimestamp: LONG_AGO,
        source: { component: 'c', host: 'h' },
        involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}', fieldPath: 'spec.containers{main}' },
      }),
      event('series', {
        count: 4,
        eventTime: micro,
        series: { count: 7, lastObservedTime: micro },
        reportingComponent: 'r',
        reportingInstance: 'i',
        action: 'A',
        type: 'Warning',
      }),
      event('component', { source: { component: 'c' }, reportingComponent: 'r', reportingInstance: 'i' }),
      event('nameless', { involvedObject: { kind: 'StatefulSet', namespace: '{ns}' } }),
    ]),
    get('/apis/events.k8s.io/v1/namespaces/{ns}/events', { includeObject: 'None' }, { accept: TABLE }),
    ...table(`${core}/configmaps`, [named('none'), named('three', { data: { a: '', b: '' }, binaryData: { c: '' } })], {
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
    }),
    ...table(`${core}/secrets`, [
      named('none'),
      named('two', { type: 'example.com/x', data: { a: '' }, stringData: { b: '' } }),
    ]),
    ...table(`${core}/limitranges`, [named('l', { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } })]),
    ...table(`${core}/resourcequotas`, [
      named('new', { spec: { hard: { pods: '1' } } }),
      named('used', {
        spec: { hard: { pods: '1' } },
        status: {
          hard: {
            pods: '10',
            'limits.cpu': '2000m',
            'requests.cpu': '1',
            'limits.memory': '1024Mi',
            'count/jobs.batch': '5',
            'example.com/limits.x': '3',
          },
          used: { pods: '3', 'limits.cpu': '1500m', 'limits.memory': '0', 'count/jobs.batch': '5' },
        },
      }),
    ]),
    ...clusterTable('/apis/scheduling.k8s.io/v1/priorityclasses', [
      named('{ns}-a', { value: 5 }),
      named('{ns}-b', { value: -7, preemptionPolicy: 'Never', description: 'd' }),
    ]),
    ...clusterTable('/apis/node.k8s.io/v1/runtimeclasses', [named('{ns}', { handler: 'gvisor' })]),
    ...table('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', [
      named('free'),
      named('held', { spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } }),
    ]),
    get('/api/v1/namespaces/{ns}', { includeObject: 'None' }, { accept: TABLE }),
    ...clusterTable(`${flow}/prioritylevelconfigurations`, [
      named('{ns}-reject', {
        spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
      }),
      named('{ns}-queue', {
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 0,
            limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
          },
        },
      }),
    ]),
    get(`${flow}/prioritylevelconfigurations/exempt`, { includeObject: 'None' }, { accept: TABLE }),
    get(`${flow}/flowschemas`, { includeObject: 'None' }, { accept: TABLE }),
    ...table('/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims', [
      named('pending', { spec: {} }),
      named('allocated', { spec: {}, status: { allocation: { devices: {} } } }),
      named('reserved', {
        spec: {},
        status: { allocation: { devices: {} }, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] },
      }),
    ]),
    ...table('/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaimtemplates', [named('t', { spec: { spec: {} } })]),
    ...clusterTable('/apis/resource.k8s.io/v1/deviceclasses', [named('{ns}', { spec: {} })]),
    ...clusterTable('/apis/resource.k8s.io/v1/resourceslices', [
      named('{ns}-node', {
        spec: { driver: 'example.com', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
      }),
      named('{ns}-all', {
        spec: { driver: 'example.com', allNodes: true, pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
      }),
    ]),
  ],
};

/** What `kubectl get -o wide` prints of nodes, rights and the rest. */
export const tableClusterCases: readonly Case[] = [nodeTables, accessTables, otherTables];
