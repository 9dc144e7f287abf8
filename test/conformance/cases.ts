import type { Case, Step } from './run-case.ts';

const core = '/api/v1/namespaces/{ns}';
const apps = '/apis/apps/v1/namespaces/{ns}';
const batch = '/apis/batch/v1/namespaces/{ns}';
const net = '/apis/networking.k8s.io/v1/namespaces/{ns}';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const get = (path: string, accept?: string): Step => ({ method: 'GET', path, ...(accept ? { accept } : {}) });
const post = (path: string, body: unknown): Step => ({ method: 'POST', path, body });
const put = (path: string, body: unknown): Step => ({ method: 'PUT', path, body });
const del = (path: string, body?: unknown): Step => ({ method: 'DELETE', path, ...(body ? { body } : {}) });
const patch = (path: string, type: 'json' | 'merge' | 'strategic', body: unknown): Step => ({
  method: 'PATCH',
  path,
  body,
  contentType: `application/${type === 'json' ? 'json-patch' : type === 'merge' ? 'merge-patch' : 'strategic-merge-patch'}+json`,
});
const apply = (path: string, manager: string, body: unknown, force = false): Step => ({
  method: 'PATCH',
  path: `${path}?fieldManager=${manager}${force ? '&force=true' : ''}`,
  body,
  contentType: 'application/apply-patch+yaml',
});

const container = { name: 'main', image: 'registry.example/app:1' };
const template = (labels: object = { app: 'web' }, spec: object = {}) => ({
  metadata: { labels },
  spec: { containers: [container], ...spec },
});
const deployment = (name: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template(), ...spec },
});

const custom = '/apis/conformance.example.com/v1/namespaces/{ns}';
const thing = (spec: object) => ({
  apiVersion: 'conformance.example.com/v1',
  kind: 'Thing',
  metadata: { name: 'thing' },
  spec,
});

const definition = {
  metadata: { name: 'things.conformance.example.com' },
  spec: {
    group: 'conformance.example.com',
    names: { plural: 'things', kind: 'Thing', shortNames: ['th'], categories: ['all'] },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        ],
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['name'],
                'x-kubernetes-validations': [
                  { rule: 'self.size <= 10', message: 'too big' },
                  { rule: 'self.name == oldSelf.name', message: 'name is immutable' },
                ],
                properties: {
                  name: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
                  size: { type: 'integer', minimum: 1, maximum: 20, default: 3 },
                  port: { 'x-kubernetes-int-or-string': true },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  items: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['k'],
                    items: {
                      type: 'object',
                      required: ['k'],
                      properties: { k: { type: 'string' }, v: { type: 'number', default: 1.5 } },
                    },
                  },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

/** The same requests are sent to the sandbox and to a real kube-apiserver; their answers must be equal. */
export const cases: readonly Case[] = [
  {
    name: 'configmaps',
    steps: [
      post(`${core}/configmaps`, { metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v', 'a.b': '' } }),
      post(`${core}/configmaps`, { metadata: { name: 'a' } }),
      post(`${core}/configmaps`, { metadata: { generateName: 'generated-' } }),
      post(`${core}/configmaps`, { metadata: { name: 'Bad_Name', labels: { 'a b': 'c d' } }, data: { 'x y': '1' } }),
      post(`${core}/configmaps`, { metadata: {} }),
      post(`${core}/configmaps`, { metadata: { name: 'b' }, data: { n: 1 } }),
      post(`${core}/configmaps`, { metadata: { name: 'c' }, bogus: 1, data: {} }),
      post(`${core}/configmaps?fieldValidation=Strict`, { metadata: { name: 'd', bogus: true }, other: 1 }),
      post(
        `${core}/configmaps?fieldValidation=Strict`,
        '{"metadata":{"name":"d","name":"e"},"data":{"a":"1","a":"2"}}',
      ),
      post(`${core}/configmaps`, '{"metadata":{"name":"dup"},"data":{"a":"1","a":"2"}}'),
      post(`${core}/configmaps`, { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'x' } }),
      post(`${core}/configmaps`, { kind: 'ConfigMap', apiVersion: 'v2', metadata: { name: 'x' } }),
      post(`${core}/configmaps`, { metadata: { name: 'x', namespace: 'other' } }),
      post(`${core}/configmaps`, { metadata: { name: 'x', resourceVersion: '5' } }),
      post(`${core}/configmaps?dryRun=All`, { metadata: { name: 'dry' } }),
      get(`${core}/configmaps/dry`),
      get(`${core}/configmaps/a`),
      get(`${core}/configmaps/a`, TABLE),
      get(`${core}/configmaps?labelSelector=x%3Dy`, TABLE),
      get(`${core}/configmaps?labelSelector=x%20in%20(y,z),!q`),
      get(
        `${core}/configmaps?fieldSelector=metadata.name%3Da`,
        'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      ),
      get(`${core}/configmaps?fieldSelector=data.k%3Da`),
      get(`${core}/configmaps?labelSelector=a%20b`),
      put(`${core}/configmaps/a`, { metadata: { name: 'a' }, data: { k: 'w' } }),
      put(`${core}/configmaps/a`, { metadata: { name: 'a', resourceVersion: '1' }, data: { k: 'x' } }),
      put(`${core}/configmaps/a`, { metadata: { name: 'b' }, data: { k: 'x' } }),
      put(`${core}/configmaps/none`, { metadata: { name: 'none' } }),
      patch(`${core}/configmaps/a`, 'merge', { data: { k: null, z: '1' }, immutable: true }),
      patch(`${core}/configmaps/a`, 'merge', { data: { z: '2' } }),
      patch(`${core}/configmaps/a`, 'json', [{ op: 'test', path: '/data/z', value: 'no' }]),
      patch(`${core}/configmaps/a`, 'json', [{ op: 'remove', path: '/data/nope' }]),
      patch(`${core}/configmaps/a`, 'json', [{ op: 'add', path: '/metadata/labels', value: { q: 'r' } }]),
      patch(`${core}/configmaps/none`, 'merge', {}),
      { method: 'PATCH', path: `${core}/configmaps/a`, body: {}, contentType: 'application/json' },
      del(`${core}/configmaps/a`, { preconditions: { uid: 'wrong' } }),
      del(`${core}/configmaps/a`),
      del(`${core}/configmaps/a`),
      get(`${core}/nothings`),
      get('/apis/none.example/v1/things'),
      get(`${core}/configmaps/x/status`),
      { method: 'PUT', path: `${core}/configmaps`, body: {} },
      post('/api/v1/namespaces/absent/configmaps', { metadata: { name: 'x' } }),
    ],
  },
  {
    name: 'deployments',
    steps: [
      post(`${apps}/deployments`, deployment('web')),
      post(
        `${apps}/deployments`,
        deployment('full', {
          replicas: 2,
          minReadySeconds: 0,
          paused: false,
          strategy: { type: 'Recreate' },
          template: template(
            { app: 'web' },
            {
              initContainers: [{ name: 'init', image: 'busybox', command: [] }],
              containers: [
                {
                  name: 'main',
                  image: 'app@sha256:0123456789012345678901234567890123456789012345678901234567890123',
                  env: [
                    { name: 'EMPTY', value: '' },
                    { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                  ],
                  ports: [{ containerPort: 80 }, { name: 'https', containerPort: 443, protocol: 'UDP' }],
                  resources: {
                    limits: { cpu: '1000m', memory: '1024Mi' },
                    requests: { cpu: 0.5, memory: '128974848' },
                  },
                  livenessProbe: { httpGet: { port: 80 } },
                  readinessProbe: { grpc: { port: 9 }, timeoutSeconds: 3 },
                  lifecycle: { preStop: { exec: { command: ['x'] } } },
                  volumeMounts: [{ name: 's', mountPath: '/s' }],
                  securityContext: {},
                  stdin: false,
                },
              ],
              volumes: [
                { name: 's', secret: { secretName: 'q' } },
                { name: 'e' },
                { name: 'h', hostPath: { path: '/' } },
                { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
              ],
              serviceAccountName: 'sa',
              hostNetwork: false,
              tolerations: [],
              nodeSelector: {},
            },
          ),
        }),
      ),
      post(`${apps}/deployments`, { ...deployment('x'), spec: {} }),
      post(`${apps}/deployments`, deployment('x', { selector: { matchLabels: { app: 'other' } } })),
      post(
        `${apps}/deployments`,
        deployment('x', {
          replicas: -1,
          template: template(
            { app: 'web' },
            {
              restartPolicy: 'Never',
              containers: [
                { name: 'A_', image: '' },
                {
                  name: 'b',
                  image: 'x',
                  ports: [{ containerPort: 0 }],
                  volumeMounts: [{ name: 'no', mountPath: '/x' }],
                },
              ],
            },
          ),
        }),
      ),
      post(`${apps}/deployments`, deployment('x', { replicas: 'three' })),
      post(
        `${apps}/deployments`,
        deployment('x', {
          template: template(
            { app: 'web' },
            { containers: [{ ...container, resources: { limits: { cpu: 'lots' } } }] },
          ),
        }),
      ),
      post(
        `${apps}/deployments?fieldValidation=Strict`,
        deployment('x', {
          replica: 1,
          template: template({ app: 'web' }, { containers: [{ ...container, imagePolicy: 'x' }] }),
        }),
      ),
      patch(`${apps}/deployments/web`, 'strategic', {
        spec: { template: { spec: { containers: [{ name: 'side', image: 'side:2' }] } } },
      }),
      patch(`${apps}/deployments/web`, 'strategic', { metadata: { annotations: { a: 'b' } } }),
      patch(`${apps}/deployments/web`, 'merge', {
        spec: { selector: { matchLabels: { app: 'new' } }, template: { metadata: { labels: { app: 'new' } } } },
      }),
      get(`${apps}/deployments/web/scale`),
      put(`${apps}/deployments/web/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'web', namespace: '{ns}' },
        spec: { replicas: 4 },
      }),
      patch(`${apps}/deployments/web/scale`, 'merge', { spec: { replicas: 0 } }),
      patch(`${apps}/deployments/web/status`, 'merge', {
        status: { replicas: 3, conditions: [{ type: 'Available', status: 'True' }] },
      }),
      get(`${apps}/deployments`, TABLE),
      get(`${apps}/deployments/web`),
      del(`${apps}/deployments/web?propagationPolicy=Foreground`),
      get(`${apps}/deployments/web`),
      patch(`${apps}/deployments/web`, 'merge', { metadata: { finalizers: ['example.com/x'] } }),
      patch(`${apps}/deployments/web`, 'merge', { metadata: { finalizers: null } }),
      get(`${apps}/deployments/web`),
      del(`${apps}/deployments/full?propagationPolicy=Orphan`),
      del(`${apps}/deployments/full?propagationPolicy=Sometimes`),
    ],
  },
  {
    name: 'workloads',
    steps: [
      post(`${apps}/replicasets`, { ...deployment('rs'), kind: 'ReplicaSet' }),
      post(`${apps}/statefulsets`, {
        ...deployment('sts'),
        kind: 'StatefulSet',
        spec: {
          ...deployment('').spec,
          serviceName: 's',
          volumeClaimTemplates: [
            {
              metadata: { name: 'd' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        },
      }),
      post(`${apps}/daemonsets`, { ...deployment('ds'), kind: 'DaemonSet' }),
      patch(`${apps}/daemonsets/ds`, 'strategic', {
        spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } },
      }),
      patch(`${apps}/statefulsets/sts`, 'merge', { spec: { serviceName: 'other' } }),
      post(`${batch}/jobs`, {
        metadata: { name: 'job' },
        spec: { template: template({ a: 'b' }, { restartPolicy: 'Never' }) },
      }),
      post(`${batch}/jobs`, { metadata: { name: 'bad' }, spec: { template: template() } }),
      patch(`${batch}/jobs/job`, 'strategic', {
        spec: { template: { spec: { containers: [{ name: 'main', image: 'new' }] } } },
      }),
      patch(`${batch}/jobs/job`, 'merge', { spec: { suspend: true } }),
      post(`${batch}/cronjobs`, {
        metadata: { name: 'cron' },
        spec: {
          schedule: '*/5 * * * *',
          jobTemplate: { spec: { template: template({}, { restartPolicy: 'OnFailure' }) } },
        },
      }),
      post(`${batch}/cronjobs`, {
        metadata: { name: 'bad' },
        spec: { schedule: '* * *', jobTemplate: { spec: { template: template() } } },
      }),
      get(`${apps}/replicasets`, TABLE),
      get(`${apps}/statefulsets`, TABLE),
      get(`${apps}/daemonsets?includeObject=None`, TABLE),
      get(`${batch}/jobs`, TABLE),
      get(`${batch}/cronjobs`, TABLE),
    ],
  },
  {
    name: 'pods',
    steps: [
      post(`${core}/pods`, {
        metadata: { name: 'p' },
        spec: { containers: [{ ...container, resources: { limits: { memory: '1Gi' } } }] },
      }),
      post(`${core}/pods`, {
        metadata: { name: 'q' },
        spec: {
          automountServiceAccountToken: false,
          priorityClassName: 'system-node-critical',
          hostNetwork: true,
          tolerations: [{ operator: 'Exists' }],
          containers: [{ ...container, ports: [{ containerPort: 80 }] }],
        },
      }),
      post(`${core}/pods`, {
        metadata: { name: 'r' },
        spec: { serviceAccountName: 'missing', containers: [container] },
      }),
      post(`${core}/pods`, {
        metadata: { name: 'r' },
        spec: { priorityClassName: 'missing', containers: [container] },
      }),
      post(`${core}/pods`, { metadata: { name: 'r' }, spec: { containers: [container, container] } }),
      post(`${core}/pods`, { metadata: { name: 'r' }, spec: { containers: [] } }),
      patch(`${core}/pods/p`, 'strategic', { spec: { containers: [{ name: 'main', image: 'new:2' }] } }),
      patch(`${core}/pods/p`, 'strategic', { spec: { restartPolicy: 'Never' } }),
      get(`${core}/pods?fieldSelector=status.phase%3DPending,spec.nodeName%3D`, TABLE),
      post(`${core}/pods/p/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
      }),
      post(`${core}/pods/p/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n2' },
      }),
      patch(`${core}/pods/p/status`, 'strategic', {
        status: {
          phase: 'Running',
          podIP: '10.0.0.1',
          podIPs: [{ ip: '10.0.0.1' }],
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [
            { name: 'main', ready: true, restartCount: 2, image: 'x', imageID: '', state: { running: {} } },
          ],
        },
      }),
      get(`${core}/pods/p`, TABLE),
      get(`${core}/pods/p/log?container=nope`),
      del(`${core}/pods/p`),
      del(`${core}/pods/p?gracePeriodSeconds=0`),
      del(`${core}/pods/q`),
      post(`${core}/pods/none/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } }),
    ],
  },
  {
    name: 'services',
    steps: [
      post(`${core}/services`, {
        metadata: { name: 'cluster' },
        spec: { selector: { a: 'b' }, ports: [{ port: 80 }] },
      }),
      post(`${core}/services`, {
        metadata: { name: 'headless' },
        spec: { clusterIP: 'None', selector: { a: 'b' }, ports: [{ port: 80, targetPort: 'http' }] },
      }),
      post(`${core}/services`, { metadata: { name: 'headless-no-selector' }, spec: { clusterIP: 'None' } }),
      post(`${core}/services`, {
        metadata: { name: 'node' },
        spec: {
          type: 'NodePort',
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81, protocol: 'UDP' },
          ],
        },
      }),
      post(`${core}/services`, {
        metadata: { name: 'lb' },
        spec: { type: 'LoadBalancer', sessionAffinity: 'ClientIP', ports: [{ port: 80 }] },
      }),
      post(`${core}/services`, {
        metadata: { name: 'external' },
        spec: { type: 'ExternalName', externalName: 'example.com' },
      }),
      post(`${core}/services`, { metadata: { name: '1bad' }, spec: { ports: [{ port: 0 }, { port: 80 }] } }),
      post(`${core}/services`, { metadata: { name: 'empty' }, spec: {} }),
      post(`${core}/services`, { metadata: { name: 'bad-type' }, spec: { type: 'Other', ports: [{ port: 80 }] } }),
      patch(`${core}/services/cluster`, 'merge', { spec: { clusterIP: '10.96.0.77' } }),
      patch(`${core}/services/cluster`, 'merge', { spec: { type: 'NodePort' } }),
      patch(`${core}/services/node`, 'merge', { spec: { type: 'ClusterIP' } }),
      put(`${core}/services/lb`, { metadata: { name: 'lb' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } }),
      get(`${core}/services`, TABLE),
      del(`${core}/services/lb`),
    ],
  },
  {
    name: 'network',
    steps: [
      post(`${net}/ingresses`, {
        metadata: { name: 'i' },
        spec: {
          rules: [
            {
              host: 'a.example',
              http: {
                paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
              },
            },
          ],
          tls: [{ hosts: ['a.example'] }],
        },
      }),
      post(`${net}/ingresses`, {
        metadata: { name: 'bad' },
        spec: { rules: [{ host: 'A_B', http: { paths: [{ path: 'x', backend: {} }] } }] },
      }),
      post(`${net}/ingresses`, { metadata: { name: 'none' }, spec: {} }),
      post(`${net}/networkpolicies`, {
        metadata: { name: 'n' },
        spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] },
      }),
      post('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', {
        metadata: { name: 'e' },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.0.0.1'] }],
        ports: [{ port: 80 }],
      }),
      post(`${core}/endpoints`, {
        metadata: { name: 'e' },
        subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }],
      }),
      get(`${net}/ingresses`, TABLE),
      get(`${net}/networkpolicies`, TABLE),
      get('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', TABLE),
      get(`${core}/endpoints`, TABLE),
    ],
  },
  {
    name: 'configuration',
    steps: [
      post(`${core}/secrets`, { metadata: { name: 's' }, stringData: { a: 'x' }, data: { b: 'eQ==' } }),
      post(`${core}/secrets`, { metadata: { name: 'tls' }, type: 'kubernetes.io/tls' }),
      post(`${core}/secrets`, { metadata: { name: 'bad' }, data: { b: '***' } }),
      patch(`${core}/secrets/s`, 'merge', { type: 'other' }),
      patch(`${core}/secrets/s`, 'merge', { stringData: { c: 'z' } }),
      get(`${core}/secrets?fieldSelector=type%3DOpaque`, TABLE),
      post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } }),
      { ...post(`${core}/serviceaccounts/robot/token`, { spec: { expirationSeconds: 600 } }), quiet: true },
      post(`${core}/serviceaccounts/robot/token`, { spec: { expirationSeconds: 5 } }),
      post(`${core}/persistentvolumeclaims`, {
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      post(`${core}/persistentvolumeclaims`, { metadata: { name: 'd' }, spec: {} }),
      patch(`${core}/persistentvolumeclaims/c`, 'merge', { spec: { accessModes: ['ReadWriteMany'] } }),
      get(`${core}/persistentvolumeclaims`, TABLE),
      del(`${core}/persistentvolumeclaims/c`),
      { ...patch(`${core}/persistentvolumeclaims/c`, 'merge', { metadata: { finalizers: null } }), quiet: true },
      post('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', {
        metadata: { name: 'b' },
        spec: { minAvailable: '50%', selector: { matchLabels: { a: 'b' } } },
      }),
      post('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', {
        metadata: { name: 'c' },
        spec: { minAvailable: 1, maxUnavailable: 1 },
      }),
      post('/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers', {
        metadata: { name: 'h' },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' } },
      }),
      get('/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/h'),
      post('/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers', {
        metadata: { name: 'old' },
        spec: {
          maxReplicas: 3,
          targetCPUUtilizationPercentage: 50,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' },
        },
      }),
      get('/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/old'),
      post('/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers', {
        metadata: { name: 'bad' },
        spec: { minReplicas: 5, maxReplicas: 3, scaleTargetRef: {} },
      }),
      get('/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers', TABLE),
      post(`${core}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '10' } } }),
      post(`${core}/limitranges`, { metadata: { name: 'l' }, spec: { limits: [{ type: 'Pod', max: { cpu: '2' } }] } }),
      post('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', {
        metadata: { name: 'l' },
        spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.678901Z' },
      }),
      post(`${core}/events`, {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
        reason: 'Because',
        message: 'text ',
        type: 'Normal',
        source: { component: 'me' },
        count: 2,
      }),
      get(`${core}/events?fieldSelector=involvedObject.name%3Dp`, TABLE),
      get('/apis/events.k8s.io/v1/namespaces/{ns}/events/e'),
    ],
  },
  {
    name: 'access',
    steps: [
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles', {
        metadata: { name: 'r' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      }),
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles', {
        metadata: { name: 'bad' },
        rules: [{ resources: ['pods'] }],
      }),
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', {
        metadata: { name: 'b' },
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [
          { kind: 'User', name: 'bob' },
          { kind: 'ServiceAccount', name: 'default' },
        ],
      }),
      patch('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings/b', 'merge', {
        roleRef: { name: 'other' },
      }),
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', {
        metadata: { name: 'bad' },
        roleRef: { kind: 'Nothing', name: 'r' },
        subjects: [{ kind: 'Robot', name: '' }],
      }),
      get('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', TABLE),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: 'bob', resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' } },
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: 'bob', resourceAttributes: { namespace: '{ns}', verb: 'delete', resource: 'pods' } },
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: 'eve', groups: ['system:masters'], nonResourceAttributes: { path: '/metrics', verb: 'get' } },
      }),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      }),
    ],
  },
  {
    name: 'apply',
    steps: [
      apply(`${apps}/deployments/web`, 'one', deployment('web', { replicas: 2 })),
      apply(`${apps}/deployments/web`, 'one', deployment('web', { replicas: 2 })),
      apply(`${apps}/deployments/web`, 'two', deployment('web', { replicas: 3 })),
      apply(`${apps}/deployments/web`, 'two', deployment('web', { replicas: 3 }), true),
      apply(
        `${apps}/deployments/web`,
        'one',
        deployment('web', {
          template: template({ app: 'web' }, { containers: [container, { name: 'side', image: 'x:1' }] }),
        }),
      ),
      apply(`${apps}/deployments/web`, 'one', deployment('web')),
      apply(`${apps}/deployments/web`, 'one', { ...deployment('web'), bogus: 1 }),
      apply(`${apps}/deployments/web`, 'one', { ...deployment('web'), metadata: { name: 'other' } }),
      apply(`${apps}/deployments/web`, 'one', { ...deployment('web'), metadata: { name: 'web', managedFields: [{}] } }),
      {
        method: 'PATCH',
        path: `${apps}/deployments/web`,
        body: deployment('web'),
        contentType: 'application/apply-patch+yaml',
      },
      patch(`${apps}/deployments/web?fieldManager=three`, 'merge', {
        metadata: { labels: { x: 'y' } },
        spec: { replicas: 7 },
      }),
      put(`${apps}/deployments/web?fieldManager=four`, deployment('web', { replicas: 1 })),
      apply(`${core}/configmaps/c`, 'one', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'c' },
        data: { a: '1', b: '2' },
      }),
      apply(`${core}/configmaps/c`, 'one', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'c' },
        data: { a: '1' },
      }),
      patch(`${core}/configmaps/c?force=true`, 'merge', {}),
    ],
  },
  {
    name: 'custom',
    steps: [
      { ...post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition), quiet: true },
      { ...get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions?watch=true&timeoutSeconds=1'), quiet: true },
      get('/apis/conformance.example.com/v1'),
      post(
        `${custom}/things`,
        thing({ name: 'ok', size: 5, bogus: 1, port: 'x', free: { a: { b: 1 } }, items: [{ k: 'a' }] }),
      ),
      post(`${custom}/things?fieldValidation=Strict`, thing({ name: 'ok', bogus: 1 })),
      post(`${custom}/things?dryRun=All`, thing({ name: 'OK' })),
      post(`${custom}/things?dryRun=All`, thing({ name: 'ok', size: 15 })),
      post(`${custom}/things?dryRun=All`, thing({ name: 'ok', tags: ['a', 'a'] })),
      post(`${custom}/things?dryRun=All`, { metadata: { name: 'x' } }),
      patch(`${custom}/things/thing`, 'merge', { spec: { name: 'no' } }),
      patch(`${custom}/things/thing`, 'strategic', { spec: { size: 6 } }),
      patch(`${custom}/things/thing/status`, 'merge', {
        status: { size: 2, conditions: [{ type: 'Ready', status: 'True' }] },
        spec: { size: 9 },
      }),
      apply(`${custom}/things/thing`, 'one', thing({ name: 'ok', items: [{ k: 'b', v: 2 }] })),
      put(`${custom}/things/thing`, thing({ name: 'ok' })),
      get(`${custom}/things`, TABLE),
      get(`${custom}/things`),
      patch(`${custom}/things/thing/scale`, 'merge', { spec: { replicas: 7 } }),
      del(`${custom}/things/thing`),
      get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.conformance.example.com'),
      del('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.conformance.example.com'),
    ],
  },
  {
    name: 'lists',
    steps: [
      ...['a', 'b', 'c'].map((name) => ({
        ...post(`${core}/secrets`, { metadata: { name, labels: { n: name } } }),
        quiet: true,
      })),
      get(`${core}/secrets?limit=2`),
      get(`${core}/secrets?limit=2&labelSelector=n`),
      get(`${core}/secrets?resourceVersion=x`),
      get(`${core}/secrets?resourceVersionMatch=Exact`),
      get(`${core}/secrets?watch=true&timeoutSeconds=1`),
      get(`${core}/secrets?watch=true&timeoutSeconds=1&labelSelector=n%3Da`, TABLE),
      get(
        `${core}/secrets?watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&labelSelector=n%3Db`,
      ),
      get(`${core}/secrets?watch=true&timeoutSeconds=1&sendInitialEvents=true`),
      { method: 'DELETE', path: `${core}/secrets?labelSelector=n%3Dc` },
      get(`${core}/secrets`, 'application/xml'),
    ],
  },
  {
    name: 'namespaces',
    steps: [
      post('/api/v1/namespaces', { metadata: { name: 'conformance-extra' } }),
      post('/api/v1/namespaces', { metadata: { name: 'Not.Good' } }),
      get('/api/v1/namespaces/conformance-extra', TABLE),
      del('/api/v1/namespaces/conformance-extra'),
      post('/api/v1/namespaces/conformance-extra/configmaps', { metadata: { name: 'x' } }),
      put('/api/v1/namespaces/conformance-extra/finalize', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'conformance-extra' },
        spec: { finalizers: [] },
      }),
      get('/api/v1/namespaces/conformance-extra'),
      del('/api/v1/namespaces/default'),
      post('/apis/storage.k8s.io/v1/storageclasses', { metadata: { name: 'conformance' }, provisioner: 'x' }),
      get('/apis/storage.k8s.io/v1/storageclasses/conformance', TABLE),
      del('/apis/storage.k8s.io/v1/storageclasses/conformance'),
      post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'conformance' }, value: 5 }),
      del('/apis/scheduling.k8s.io/v1/priorityclasses/conformance'),
      post('/api/v1/persistentvolumes', {
        metadata: { name: 'conformance' },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      }),
      get('/api/v1/persistentvolumes/conformance', TABLE),
      del('/api/v1/persistentvolumes/conformance'),
      { ...patch('/api/v1/persistentvolumes/conformance', 'merge', { metadata: { finalizers: null } }), quiet: true },
      { ...post('/api/v1/nodes', { metadata: { name: 'conformance' } }), quiet: true },
      get('/api/v1/nodes/conformance?includeObject=None', TABLE),
      { ...del('/api/v1/nodes/conformance'), quiet: true },
    ],
  },
  {
    name: 'discovery',
    steps: [
      get('/api/v1'),
      get('/apis/apps'),
      get('/apis/apps/v1'),
      get('/apis/autoscaling/v2'),
      get('/apis/none'),
      get('/nothing'),
      get('/api', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'),
      get('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'),
    ].map((step) => step),
  },
];
