import type { Case, Step } from './run-case.ts';
import { apps, batch, core, get, post, put } from './steps.ts';

/* Statuses, fields behind feature gates that are off, owners of replicas, and how empty values are stored. */

const patch = (path: string, type: string, body: unknown): Step => ({
  method: 'PATCH',
  path,
  body,
  contentType: `application/${type}`,
});
const merge = (path: string, body: unknown) => patch(path, 'merge-patch+json', body);
const json = (path: string, body: unknown) => patch(path, 'json-patch+json', body);
const apply = (path: string, manager: string, body: unknown) =>
  patch(`${path}${path.includes('?') ? '&' : '?'}fieldManager=${manager}`, 'apply-patch+yaml', body);
const status = (path: string, value: unknown) => merge(`${path}/status`, { status: value });

const ns = '/namespaces/{ns}';
const labels = { app: 'web' };
const podSpec = { containers: [{ name: 'main', image: 'nginx:1' }] };
const template = { metadata: { labels }, spec: podSpec };
const named = (spec: unknown) => ({ metadata: { name: 'a' }, spec });
const deployment = named({ selector: { matchLabels: labels }, template });
const ingresses = `/apis/networking.k8s.io/v1${ns}/ingresses`;
const slices = `/apis/discovery.k8s.io/v1${ns}/endpointslices`;
const roles = `/apis/rbac.authorization.k8s.io/v1${ns}/roles`;
const leases = `/apis/coordination.k8s.io/v1${ns}/leases`;
const scalers = `/apis/autoscaling/v2${ns}/horizontalpodautoscalers`;
const scaleTo = (replicas: unknown) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'a' },
  spec: { replicas },
});
const slice = (more: object) => ({ metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [], ...more });

export const statusCases: readonly Case[] = [
  {
    name: 'status-of-addresses',
    steps: [
      post(ingresses, named({ defaultBackend: { service: { name: 'a', port: { number: 80 } } } })),
      ...[{ ip: '1.2.3' }, { ip: '10.0.0.1', hostname: 'A b' }, { hostname: '1.2.3.4' }, { ip: '10.0.0.1' }].map(
        (entry) => status(`${ingresses}/a`, { loadBalancer: { ingress: [entry] } }),
      ),
      post(`${core}/services`, { metadata: { name: 'b' }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } }),
      status(`${core}/services/b`, { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } }),
      post(`${core}/pods`, named(podSpec)),
      ...[
        { podIP: '10.0.0.1' },
        { podIP: '10.0.0.2', podIPs: [{ ip: '10.0.0.3' }] },
        { podIP: null, podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
        { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fe80::1' }] },
        { podIPs: [{ ip: 'x' }] },
        { hostIPs: [{ ip: '1.2.3' }] },
        { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.1' }] },
        { nominatedNodeName: 'A b' },
        { extendedResourceClaimStatus: { resourceClaimName: 'b', requestMappings: [] } },
      ].map((value) => status(`${core}/pods/a`, value)),
    ].map((step) => ({ ...step, omit: ['clusterIP', 'volumes', 'volumeMounts', 'managedFields'] })),
  },
  {
    name: 'status-of-balancers',
    steps: [
      {
        ...post(`${core}/services`, {
          metadata: { name: 'a' },
          spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
        }),
        quiet: true,
      },
      ...[
        { ip: '10.0.0.1' },
        { ip: '10.0.0.1', ipMode: 'Proxy' },
        { ip: '10.0.0.1', ipMode: 'Odd' },
        { hostname: 'a.example.com', ipMode: 'VIP' },
      ].map((entry) => ({
        ...status(`${core}/services/a`, { loadBalancer: { ingress: [entry] } }),
        omit: ['spec'],
      })),
    ],
  },
  {
    name: 'status-of-quotas-and-claims',
    steps: [
      post(`${core}/resourcequotas`, named({ hard: { pods: '10' } })),
      ...[{ hard: { A_b: '1' } }, { used: { app: '1Gi' } }, { used: { pods: '-1' } }, { hard: { pods: '0.5' } }].map(
        (value) => status(`${core}/resourcequotas/a`, value),
      ),
      post(
        `${core}/persistentvolumeclaims`,
        named({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0.1m' } } }),
      ),
      ...[
        { allocatedResources: { 'a b': '1' } },
        { allocatedResources: { cpu: '1' } },
        { allocatedResourceStatuses: { storage: 'Odd' } },
        { allocatedResources: { storage: '1Gi' }, capacity: { storage: '1.0000001' } },
      ].map((value) => status(`${core}/persistentvolumeclaims/a`, value)),
    ],
  },
  {
    name: 'status-of-jobs',
    steps: [
      {
        ...post(`${batch}/jobs`, named({ template: { spec: { ...podSpec, restartPolicy: 'Never' } }, completions: 3 })),
        omit: ['managedFields'],
      },
      ...[
        { completedIndexes: '1' },
        { completedIndexes: 'x' },
        { failedIndexes: '1' },
        { active: 1, ready: 2 },
        { uncountedTerminatedPods: { succeeded: ['a', 'a', ''] } },
        { conditions: [{ type: 'Complete', status: 'True' }] },
        { conditions: [{ type: 'Failed', status: 'True' }], active: 1 },
        { startTime: '2026-01-01T00:00:00Z', succeeded: 2 },
        { startTime: null },
        { succeeded: 1 },
      ].map((value) => ({ ...status(`${batch}/jobs/a`, value), omit: ['managedFields', 'lastProbeTime'] })),
      {
        ...post(`${batch}/jobs`, {
          metadata: { name: 'b' },
          spec: {
            completions: 5,
            completionMode: 'Indexed',
            backoffLimitPerIndex: 1,
            template: { spec: { ...podSpec, restartPolicy: 'Never' } },
          },
        }),
        quiet: true,
      },
      ...[
        { completedIndexes: '1-3,2' },
        { completedIndexes: '1-7' },
        { completedIndexes: '3-1' },
        { completedIndexes: '1-2-3' },
        { completedIndexes: '1-3', failedIndexes: '0,2' },
      ].map((value) => ({ ...status(`${batch}/jobs/b`, value), omit: ['managedFields'] })),
    ],
  },
  {
    name: 'fields-behind-gates',
    steps: [
      {
        ...post(
          `${core}/pods`,
          named({
            hostnameOverride: 'b',
            volumes: [{ name: 'i', image: { reference: 'a' } }],
            containers: [
              {
                name: 'main',
                image: ' a'.trim(),
                restartPolicy: 'Always',
                restartPolicyRules: [{ action: 'Restart' }],
                lifecycle: { stopSignal: 'SIGTERM' },
                volumeMounts: [{ name: 'i', mountPath: '/i' }],
              },
            ],
          }),
        ),
        omit: ['volumes', 'volumeMounts'],
      },
      post(
        `${apps}/statefulsets`,
        named({
          selector: { matchLabels: labels },
          template,
          serviceName: 'a',
          updateStrategy: { rollingUpdate: { maxUnavailable: 1 } },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              kind: 'Odd',
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              status: { phase: 'Bound' },
            },
          ],
        }),
      ),
      merge(`${apps}/statefulsets/a`, { spec: { serviceName: 'a/b' } }),
      post(leases, named({ holderIdentity: 'a', strategy: 'OldestEmulationVersion', preferredHolder: 'b' })),
      post(`${core}/serviceaccounts`, {
        metadata: { name: 'a' },
        secrets: [{ apiVersion: 'v1', name: 'b', uid: 'c' }],
      }),
      post(`${apps}/deployments`, deployment),
      status(`${apps}/deployments/a`, { terminatingReplicas: 3, replicas: 1 }),
    ],
  },
  {
    name: 'empty-lists-as-stored',
    steps: [
      post(`${roles}?dryRun=All`, { metadata: { name: 'a' }, rules: [] }),
      post(roles, { metadata: { name: 'a' }, rules: [] }),
      put(`${roles}/a`, { metadata: { name: 'a' } }),
      post(slices, slice({ ports: [] })),
      put(`${slices}/a`, slice({})),
      put(`${slices}/a`, slice({ metadata: { name: 'a', labels } })),
      put(`${slices}/a`, slice({ addressType: 'IPv6' })),
      put(
        `${slices}/a`,
        slice({ endpoints: [{ addresses: ['10.0.0.1'], nodeName: 'A_b', hints: { forZones: [{ name: 'a b' }] } }] }),
      ),
      post(
        scalers,
        named({
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
          maxReplicas: 2,
          behavior: { scaleUp: { policies: [] }, scaleDown: {} },
        }),
      ),
      post(
        `${core}/limitranges`,
        named({ limits: [{ type: 'Container', default: { cpu: '0.1m', memory: '1500u' } }] }),
      ),
      post(`${core}/secrets`, { metadata: { name: 'a' }, data: { a: [104, 105], b: [null] } }),
      post(`${core}/secrets`, { metadata: { name: 'a' }, data: { a: ['b'] } }),
      apply(`${core}/secrets/b`, 'one', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'b' },
        data: { a: null },
      }),
    ],
  },
  {
    name: 'scale-owners',
    steps: [
      post(`${apps}/deployments`, deployment),
      apply(`${apps}/deployments/a/scale`, 'one', scaleTo(3)),
      apply(`${apps}/deployments/a/scale`, 'one', scaleTo('1')),
      put(`${apps}/deployments/a/scale?fieldManager=two`, scaleTo(4)),
      get(`${apps}/deployments/a`),
      apply(`${apps}/deployments/a/scale`, 'one', scaleTo(3)),
      apply(`${apps}/deployments/a/scale`, 'one', scaleTo(4)),
      get(`${apps}/deployments/a`),
      apply(`${apps}/deployments/a/scale?force=true`, 'one', scaleTo(0)),
      get(`${apps}/deployments/a`),
      merge(`${apps}/deployments/a/scale?fieldManager=three`, { spec: { replicas: 7 } }),
      patch(`${apps}/deployments/a/scale`, 'strategic-merge-patch+json', { spec: { replicas: 'x' } }),
      get(`${apps}/deployments/a`),
    ],
  },
  {
    name: 'patches-without-much',
    steps: [
      post(`${core}/configmaps`, { metadata: { name: 'a' }, data: { a: '1' } }),
      json(`${core}/configmaps/a`, [{ op: 'remove', path: '/apiVersion' }]),
      json(`${core}/configmaps/a?fieldValidation=Strict`, [{ op: 'remove', path: '/apiVersion' }]),
      merge(`${core}/configmaps/a?fieldValidation=Ignore`, { apiVersion: null }),
      json(`${core}/configmaps/a`, [{ op: 'remove', path: '/kind' }]),
      json(`${core}/configmaps/a`, [null]),
      json(`${core}/configmaps/a`, null),
      post(`${core}/configmaps`, { metadata: { name: 'a', generateName: 'x' } }),
      apply(`${core}/configmaps/b`, 'one', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'b' },
        data: { a: '1' },
      }),
      apply(`${core}/configmaps/b`, 'one', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }),
      merge(`${core}/configmaps/b`, {
        metadata: { ownerReferences: [{ apiVersion: 'a/b/c', kind: 'a', name: 'a', uid: 'a' }] },
      }),
    ],
  },
  {
    name: 'pod-updates',
    steps: [
      { ...post(`${core}/pods`, named({ ...podSpec, activeDeadlineSeconds: 10 })), quiet: true },
      merge(`${core}/pods/a`, {
        spec: {
          containers: [
            { name: 'main', image: 'nginx:1' },
            { name: 'b', image: 'b' },
          ],
        },
      }),
      merge(`${core}/pods/a`, { spec: { activeDeadlineSeconds: 20 } }),
      merge(`${core}/pods/a`, { spec: { activeDeadlineSeconds: -1 } }),
      merge(`${core}/pods/a`, { spec: { activeDeadlineSeconds: null } }),
      merge(`${core}/pods/a`, { spec: { tolerations: [] } }),
      post(`${core}/pods`, {
        metadata: { name: 'b' },
        spec: {
          resourceClaims: [{ name: '' }, { name: 'a', resourceClaimName: 'A b' }],
          containers: [
            { name: 'main', image: 'nginx', volumeDevices: [{ name: '' }, { name: 'x', devicePath: '../a' }] },
          ],
        },
      }),
    ],
  },
];
