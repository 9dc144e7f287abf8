import { builtinSchema, type OpenApiSchema } from '@tiphys/kubernetes';
import type { Json } from './values.ts';

/** A kind whose objects are written: where, what is right, and what its fields are. */
export interface FuzzKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** Of the collection, with `{ns}` for the namespace of a run. */
  readonly path: string;
  readonly base: { [key: string]: Json };
  readonly schema: OpenApiSchema;
  readonly subresources: readonly ('status' | 'scale')[];
  /** Custom resources take no strategic merge patches, and no updates without a version. */
  readonly custom?: boolean;
  /** Names of objects that are in no namespace begin with the run's. */
  readonly clusterWide?: boolean;
}

const labels = { app: 'web' };
const container = { name: 'main', image: 'nginx', ports: [{ containerPort: 80, name: 'http' }] };
const podSpec = { containers: [container] };
const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };

/** A built-in kind with an object of it that is right. */
export function builtin(
  apiVersion: string,
  kind: string,
  plural: string,
  base: { [key: string]: Json },
  more: Partial<FuzzKind> = {},
): FuzzKind {
  const slash = apiVersion.indexOf('/');
  const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const root = group ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const schema = builtinSchema({ group: group ?? '', version: version ?? '', kind });
  if (!schema) throw new Error(`${apiVersion} ${kind} has no schema`);
  return {
    kind,
    apiVersion,
    path: `${root}${more.clusterWide ? '' : '/namespaces/{ns}'}/${plural}`,
    base,
    schema,
    subresources: [],
    ...more,
  };
}

export const workloads: readonly FuzzKind[] = [
  builtin(
    'apps/v1',
    'Deployment',
    'deployments',
    { spec: { selector, template } },
    { subresources: ['status', 'scale'] },
  ),
  builtin(
    'v1',
    'Service',
    'services',
    { spec: { selector: labels, ports: [{ port: 80, name: 'http' }] } },
    {
      // A PUT of the status of a Service that is not there makes one without an address.
      subresources: [],
    },
  ),
  builtin('v1', 'ConfigMap', 'configmaps', { data: { a: '1' } }),
  builtin('v1', 'Pod', 'pods', { metadata: { labels }, spec: podSpec }, { subresources: ['status'] }),
  builtin(
    'apps/v1',
    'StatefulSet',
    'statefulsets',
    { spec: { selector, template, serviceName: 'web' } },
    { subresources: ['status', 'scale'] },
  ),
  builtin('apps/v1', 'DaemonSet', 'daemonsets', { spec: { selector, template } }, { subresources: ['status'] }),
  builtin(
    'batch/v1',
    'Job',
    'jobs',
    { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
    { subresources: ['status'] },
  ),
  builtin(
    'batch/v1',
    'CronJob',
    'cronjobs',
    {
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
      },
    },
    { subresources: ['status'] },
  ),
];

const backend = { service: { name: 'web', port: { number: 80 } } };

export const configuration: readonly FuzzKind[] = [
  builtin(
    'networking.k8s.io/v1',
    'Ingress',
    'ingresses',
    { spec: { rules: [{ host: 'a.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] } },
    { subresources: ['status'] },
  ),
  builtin(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    },
    { subresources: ['status'] },
  ),
  builtin('v1', 'ServiceAccount', 'serviceaccounts', { automountServiceAccountToken: true }),
  builtin('v1', 'Secret', 'secrets', { data: { a: 'MQ==' } }),
  builtin(
    'policy/v1',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
    { spec: { minAvailable: 1, selector } },
    {
      subresources: ['status'],
    },
  ),
  builtin('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', {
    spec: { podSelector: selector, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80, protocol: 'TCP' }] }] },
  }),
  builtin(
    'v1',
    'PersistentVolumeClaim',
    'persistentvolumeclaims',
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    { subresources: ['status'] },
  ),
  builtin('rbac.authorization.k8s.io/v1', 'Role', 'roles', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  }),
  builtin('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
    subjects: [{ kind: 'ServiceAccount', name: 'default' }],
  }),
  builtin(
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    'clusterroles',
    { rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] }] },
    { clusterWide: true },
  ),
  builtin(
    'v1',
    'ReplicationController',
    'replicationcontrollers',
    { spec: { selector: labels, template } },
    {
      subresources: ['status', 'scale'],
    },
  ),
  builtin(
    'apps/v1',
    'ReplicaSet',
    'replicasets',
    { spec: { selector, template } },
    { subresources: ['status', 'scale'] },
  ),
  builtin('v1', 'LimitRange', 'limitranges', { spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] } }),
  builtin('v1', 'ResourceQuota', 'resourcequotas', { spec: { hard: { pods: '10' } } }, { subresources: ['status'] }),
  builtin('v1', 'Endpoints', 'endpoints', { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] }),
  builtin('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'] }],
    ports: [{ port: 80, name: 'http' }],
  }),
  builtin('coordination.k8s.io/v1', 'Lease', 'leases', { spec: { holderIdentity: 'a', leaseDurationSeconds: 10 } }),
  builtin('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', { value: 10 }, { clusterWide: true }),
  builtin(
    'storage.k8s.io/v1',
    'StorageClass',
    'storageclasses',
    { provisioner: 'example.com/a' },
    { clusterWide: true },
  ),
];

const text = { type: 'string' } as const;

/** Schema of the custom kind: every feature of structural schemas that changes what is stored or how it is merged. */
const custom: OpenApiSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['name'],
      'x-kubernetes-validations': [
        { rule: '!has(self.size) || self.size <= 10', message: 'too big' },
        { rule: "self.name == oldSelf.name || oldSelf.name == 'a'", message: 'name is immutable' },
      ],
      properties: {
        name: { type: 'string', maxLength: 5, minLength: 1, pattern: '^[a-z]*$' },
        size: {
          type: 'integer',
          minimum: 0,
          maximum: 20,
          default: 3,
          'x-kubernetes-validations': [
            { rule: 'self >= oldSelf', messageExpression: "oldSelf > 5 ? 'may not shrink so far' : 'may not shrink'" },
          ],
        },
        ratio: { type: 'number', multipleOf: 0.5 },
        mode: { type: 'string', enum: ['A', 'B'], default: 'A' },
        when: { type: 'string', format: 'date-time' },
        empty: { type: 'string', nullable: true },
        maybe: {
          type: 'object',
          nullable: true,
          default: {},
          properties: { x: { type: 'integer', default: 1 }, y: text },
        },
        port: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        half: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: text } } },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text, maxItems: 3 },
        plain: { type: 'array', items: { type: 'object', properties: { a: text, b: { type: 'integer' } } } },
        whole: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: text },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'protocol'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: text,
              protocol: { type: 'string', default: 'TCP' },
              value: { type: 'number', default: 1.5 },
              deep: { type: 'object', properties: { a: text, b: text } },
            },
          },
        },
        labels: { type: 'object', additionalProperties: text, maxProperties: 3 },
        counts: { type: 'object', additionalProperties: { type: 'integer' }, 'x-kubernetes-map-type': 'atomic' },
        one: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        object: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        either: {
          type: 'object',
          properties: { a: text, b: text },
          oneOf: [{ required: ['a'] }, { required: ['b'] }],
        },
      },
    },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, phase: text, selector: text, notes: { type: 'array', items: text } },
    },
  },
};

/** The definition of the custom kind, for both servers. */
export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'oddities.fuzz.example.com' },
  spec: {
    group: 'fuzz.example.com',
    scope: 'Namespaced',
    names: { plural: 'oddities', singular: 'oddity', kind: 'Oddity' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.size',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        schema: { openAPIV3Schema: custom },
      },
    ],
  },
};

const metadata = builtinSchema({ group: '', version: 'v1', kind: 'ConfigMap' })?.properties?.metadata ?? {};

export const oddity: FuzzKind = {
  kind: 'Oddity',
  apiVersion: 'fuzz.example.com/v1',
  path: '/apis/fuzz.example.com/v1/namespaces/{ns}/oddities',
  base: {
    spec: { name: 'a', tags: ['x'], items: [{ name: 'a', value: 2 }], labels: { a: 'b' }, free: { a: { b: 1 } } },
  },
  schema: { ...custom, properties: { ...custom.properties, metadata, apiVersion: text, kind: text } },
  subresources: ['status', 'scale'],
  custom: true,
};
