import type { Case, Step } from './run-case.ts';

const core = '/api/v1/namespaces/{ns}';
const apps = '/apis/apps/v1/namespaces/{ns}';
const batch = '/apis/batch/v1/namespaces/{ns}';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DRY = '?dryRun=All';

const post = (path: string, body: unknown): Step => ({ method: 'POST', path, body });
const merge = (path: string, body: unknown): Step => ({
  method: 'PATCH',
  path,
  body,
  contentType: 'application/merge-patch+json',
});
const strategic = (path: string, body: unknown): Step => ({
  method: 'PATCH',
  path,
  body,
  contentType: 'application/strategic-merge-patch+json',
});

const container = { name: 'main', image: 'registry.example/app:1' };
const pod = (spec: object, metadata: object = {}) => ({
  metadata: { name: 'p', ...metadata },
  spec: { automountServiceAccountToken: false, containers: [container], ...spec },
});
const withContainer = (extra: object) => pod({ containers: [{ ...container, ...extra }] });
const workload = (kind: string, spec: object = {}) => ({
  kind,
  apiVersion: 'apps/v1',
  metadata: { name: 'w' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
    ...spec,
  },
});
const definition = (spec: object, metadata: object = {}) => ({
  metadata: { name: 'widgets.more.example.com', ...metadata },
  spec: {
    group: 'more.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    ...spec,
  },
});

/** Odd requests, most of them refused: how they are refused is what programs and people go by. */
export const moreCases: readonly Case[] = [
  {
    name: 'odd-pods',
    steps: [
      post(
        `${core}/pods${DRY}`,
        pod({ volumes: [{ name: 'v', configMap: { name: 'c' }, secret: { secretName: 's' } }, { name: 'v' }] }),
      ),
      post(
        `${core}/pods${DRY}`,
        withContainer({
          env: [{ name: '' }, { name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        }),
      ),
      post(`${core}/pods${DRY}`, withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } })),
      post(`${core}/pods${DRY}`, withContainer({ livenessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } })),
      post(`${core}/pods${DRY}`, withContainer({ readinessProbe: {} })),
      post(`${core}/pods${DRY}`, withContainer({ imagePullPolicy: 'Sometimes' })),
      post(
        `${core}/pods${DRY}`,
        withContainer({
          ports: [
            { name: 'a', containerPort: 80 },
            { name: 'a', containerPort: 81 },
            { containerPort: 70000 },
            { containerPort: 1, protocol: 'ICMP' },
          ],
        }),
      ),
      post(`${core}/pods${DRY}`, withContainer({ image: ' x ' })),
      post(`${core}/pods${DRY}`, pod({ restartPolicy: 'Maybe', dnsPolicy: 'None' })),
      post(`${core}/pods${DRY}`, pod({ terminationGracePeriodSeconds: -1 })),
      post(`${core}/pods${DRY}`, pod({ containers: 'x' })),
      post(`${core}/pods${DRY}`, pod({}, { labels: { ok: 'not ok!' }, annotations: { 'a b': 'c' } })),
      post(`${core}/pods${DRY}`, pod({}, { finalizers: ['nope'] })),
      post(`${core}/pods${DRY}`, pod({}, { ownerReferences: [{ apiVersion: 'v1', kind: '', name: 'x', uid: '' }] })),
      post(`${core}/pods${DRY}`, pod({ initContainers: [{ name: 'main', image: 'x' }] })),
      post(`${core}/pods${DRY}`, pod({ schedulingGates: [{ name: 'example.com/wait' }] })),
      post(
        `${core}/pods${DRY}`,
        pod({
          nodeSelector: { a: 'b' },
          affinity: {},
          topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
        }),
      ),
      post(
        `${core}/pods${DRY}`,
        pod({
          volumes: [
            { name: 'e', emptyDir: { sizeLimit: '1024Mi' } },
            { name: 'd', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
            {
              name: 'p',
              ephemeral: {
                volumeClaimTemplate: {
                  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
                },
              },
            },
          ],
        }),
      ),
      post(
        `${core}/pods${DRY}`,
        withContainer({
          env: [{ name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
          envFrom: [{ configMapRef: { name: 'c' } }],
          lifecycle: { postStart: { httpGet: { port: 'http' } } },
          startupProbe: { exec: { command: ['x'] }, periodSeconds: 2 },
        }),
      ),
    ],
  },
  {
    name: 'odd-workloads',
    steps: [
      post(`${apps}/deployments${DRY}`, workload('Deployment', { strategy: { type: 'Other' } })),
      post(
        `${apps}/deployments${DRY}`,
        workload('Deployment', { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
      ),
      post(
        `${apps}/deployments${DRY}`,
        workload('Deployment', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      ),
      post(
        `${apps}/deployments${DRY}`,
        workload('Deployment', { strategy: { rollingUpdate: { maxSurge: '1x', maxUnavailable: '110%' } } }),
      ),
      post(`${apps}/deployments${DRY}`, workload('Deployment', { minReadySeconds: 700 })),
      post(`${apps}/deployments${DRY}`, workload('Deployment', { selector: {} })),
      post(
        `${apps}/deployments${DRY}`,
        workload('Deployment', { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      ),
      post(`${apps}/deployments${DRY}`, workload('Deployment', { selector: { matchLabels: { 'bad key': 'x' } } })),
      post(`${apps}/deployments${DRY}`, { ...workload('Deployment'), metadata: {} }),
      post(`${apps}/deployments${DRY}`, { ...workload('Deployment'), metadata: { generateName: 'generated-' } }),
      post(`${apps}/replicasets${DRY}`, workload('ReplicaSet', { selector: {} })),
      post(`${apps}/daemonsets${DRY}`, workload('DaemonSet', { updateStrategy: { type: 'Other' } })),
      post(
        `${apps}/daemonsets${DRY}`,
        workload('DaemonSet', { updateStrategy: { type: 'OnDelete' }, selector: { matchLabels: { x: 'y' } } }),
      ),
      post(
        `${apps}/statefulsets${DRY}`,
        workload('StatefulSet', { podManagementPolicy: 'Random', updateStrategy: { type: 'Other' } }),
      ),
      post(
        `${apps}/statefulsets${DRY}`,
        workload('StatefulSet', { serviceName: 'Bad_Name', updateStrategy: { type: 'OnDelete' } }),
      ),
      post(`${batch}/jobs${DRY}`, {
        metadata: { name: 'j' },
        spec: {
          parallelism: -1,
          completionMode: 'Indexed',
          template: { spec: { restartPolicy: 'Never', containers: [container] } },
        },
      }),
      post(`${batch}/jobs${DRY}`, {
        metadata: { name: 'j', labels: { own: 'x' } },
        spec: {
          completions: 3,
          parallelism: 2,
          ttlSecondsAfterFinished: 5,
          template: { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'OnFailure', containers: [container] } },
        },
      }),
      post(`${batch}/cronjobs${DRY}`, {
        metadata: { name: 'c' },
        spec: {
          schedule: '61 * * * *',
          timeZone: 'Nowhere/Land',
          concurrencyPolicy: 'Some',
          jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
        },
      }),
      post(`${core}/replicationcontrollers${DRY}`, {
        metadata: { name: 'rc' },
        spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } } },
      }),
      post(`${core}/podtemplates${DRY}`, {
        metadata: { name: 't' },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
      }),
      { ...post(`${apps}/deployments`, workload('Deployment')), quiet: true },
      strategic(`${apps}/deployments/w`, {
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'main', $patch: 'delete' },
                { name: 'other', image: 'o:1' },
              ],
            },
          },
        },
      }),
      strategic(`${apps}/deployments/w`, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
      merge(`${apps}/deployments/w`, { spec: null }),
      merge(`${apps}/deployments/w`, { metadata: { name: 'other' } }),
      merge(`${apps}/deployments/w`, { metadata: { resourceVersion: '1' } }),
      merge(`${apps}/deployments/w`, { metadata: { uid: 'other' } }),
      merge(`${apps}/deployments/w`, { metadata: { labels: { x: 1 } } }),
      merge(`${apps}/deployments/w`, {
        metadata: { creationTimestamp: '2020-01-01T00:00:00Z', generation: 99, uid: null },
      }),
      merge(`${apps}/deployments/w/scale`, { spec: { replicas: -1 } }),
      { method: 'GET', path: `${apps}/deployments/w/other` },
      {
        method: 'DELETE',
        path: `${apps}/deployments/w?gracePeriodSeconds=5`,
        body: { propagationPolicy: 'Background' },
      },
    ],
  },
  {
    name: 'odd-others',
    steps: [
      post(`${core}/services${DRY}`, { metadata: { name: 's' }, spec: { ports: [{ port: 80, nodePort: 30000 }] } }),
      post(`${core}/services${DRY}`, { metadata: { name: 's' }, spec: { type: 'ExternalName' } }),
      post(`${core}/services${DRY}`, {
        metadata: { name: 's' },
        spec: { clusterIP: 'None', type: 'LoadBalancer', ports: [{ port: 80 }] },
      }),
      post(`${core}/services${DRY}`, { metadata: { name: 's' }, spec: { clusterIP: 'x', ports: [{ port: 80 }] } }),
      post(`${core}/services${DRY}`, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }, { port: 80 }] } }),
      post(`${core}/services${DRY}`, {
        metadata: { name: 's' },
        spec: {
          ports: [
            { name: 'a', port: 80 },
            { name: 'a', port: 81 },
          ],
        },
      }),
      post(`${core}/services${DRY}`, {
        metadata: { name: 's' },
        spec: { sessionAffinity: 'Always', ports: [{ port: 80, protocol: 'ICMP', targetPort: 99999 }] },
      }),
      post(`${core}/secrets${DRY}`, { metadata: { name: 's' }, type: 'kubernetes.io/service-account-token' }),
      post(`${core}/secrets${DRY}`, { metadata: { name: 's' }, type: 'kubernetes.io/basic-auth' }),
      post(`${core}/serviceaccounts${DRY}`, { metadata: { name: 'Bad' } }),
      post(`${core}/persistentvolumeclaims${DRY}`, {
        metadata: { name: 'c' },
        spec: { accessModes: ['Some'], resources: { requests: { storage: '-1' } } },
      }),
      post(`${core}/limitranges${DRY}`, {
        metadata: { name: 'l' },
        spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] },
      }),
      post(`/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets${DRY}`, {
        metadata: { name: 'b' },
        spec: { maxUnavailable: '10' },
      }),
      post(`/apis/networking.k8s.io/v1/ingressclasses${DRY}`, {
        metadata: { name: 'i' },
        spec: { controller: 'example.com/c', parameters: { kind: 'K', name: 'n' } },
      }),
      post(`/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies${DRY}`, {
        metadata: { name: 'n' },
        spec: { podSelector: {}, policyTypes: ['Other'] },
      }),
      post(`/apis/coordination.k8s.io/v1/namespaces/{ns}/leases${DRY}`, {
        metadata: { name: 'l' },
        spec: { leaseDurationSeconds: 0 },
      }),
      post(`/apis/storage.k8s.io/v1/csidrivers${DRY}`, { metadata: { name: 'd' }, spec: {} }),
      post(`/apis/scheduling.k8s.io/v1/priorityclasses${DRY}`, { metadata: { name: 'p' }, value: 2000000000 }),
      post(`${core}/events${DRY}`, {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'p', namespace: 'other' },
      }),
      post(`/apis/rbac.authorization.k8s.io/v1/clusterroles${DRY}`, {
        metadata: { name: 'c:x' },
        rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
      }),
      post(`/apis/rbac.authorization.k8s.io/v1/clusterrolebindings${DRY}`, {
        metadata: { name: 'c' },
        roleRef: { kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'ServiceAccount', name: 'x' }],
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: {} }),
      post('/api/v1/namespaces/{ns}/bindings', { metadata: { name: 'x' }, target: { name: 'n' } }),
    ],
  },
  {
    name: 'odd-definitions',
    steps: [
      post(crds + DRY, definition({})),
      post(crds + DRY, definition({}, { name: 'other.more.example.com' })),
      post(crds + DRY, definition({ group: 'nodots' })),
      post(crds + DRY, definition({ scope: 'Galaxy' })),
      post(
        crds + DRY,
        definition({
          versions: [{ name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } }],
        }),
      ),
      post(crds + DRY, definition({ versions: [{ name: 'v1', served: true, storage: true }] })),
      post(
        crds + DRY,
        definition({
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'string' } } }],
        }),
      ),
      post(
        crds + DRY,
        definition({
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', properties: { spec: { properties: {} } } } },
            },
          ],
        }),
      ),
      post(crds + DRY, definition({ versions: [] })),
    ],
  },
];
