import type { Case, Step } from './run-case.ts';
import { apps, batch, core, del, merge, post, put } from './steps.ts';

/* What random writes (test/fuzz) found to be answered in another way than kube-apiserver does. */

const patch = (path: string, type: string, body: unknown): Step => ({
  method: 'PATCH',
  path,
  body,
  contentType: `application/${type}`,
});
const strategic = (path: string, body: unknown) => patch(path, 'strategic-merge-patch+json', body);
const apply = (path: string, body: unknown) => patch(`${path}?fieldManager=one`, 'apply-patch+yaml', body);

const config = { apiVersion: 'v1', kind: 'ConfigMap' };
const named = { ...config, metadata: { name: 'a' } };
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'nginx' }] },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: { selector: { matchLabels: { app: 'web' } }, template },
};

export const fuzzedCases: readonly Case[] = [
  {
    name: 'fuzzed-kinds-and-names',
    steps: [
      post(`${core}/configmaps`, { ...named, kind: 1.5 }),
      post(`${core}/configmaps`, { ...named, kind: '' }),
      post(`${core}/configmaps`, { ...named, apiVersion: 'a/b/c' }),
      post(`${core}/configmaps`, { ...named, apiVersion: 'apps/v1' }),
      post(`${apps}/deployments`, { ...deployment, kind: 'Role' }),
      post(`${apps}/daemonsets`, deployment),
      put(`${apps}/deployments/b`, deployment),
      put(`${core}/configmaps/none`, { ...config, metadata: { name: 'none', namespace: 'other' } }),
      apply(`${core}/configmaps/b`, { ...config, metadata: { labels: { a: 'b' } } }),
      apply(`${core}/configmaps/b`, { ...config, metadata: { namespace: 'other' } }),
      apply(`${core}/configmaps/b`, { ...config, metadata: { name: 'b', uid: 'x' } }),
      apply(`${core}/configmaps/b`, { ...config, metadata: { name: 'b', creationTimestamp: '2026-01-01' } }),
      patch(`${core}/configmaps/none`, 'apply-patch+yaml', named),
      post(`${core}/configmaps`, { ...config, metadata: { name: 'c', resourceVersion: 'a', generation: 7 } }),
      merge(`${core}/configmaps/c`, { metadata: { generation: 9, generateName: 'x-' } }),
      merge(`${core}/configmaps/c`, { metadata: { deletionGracePeriodSeconds: 3 } }),
      merge(`${core}/configmaps/c`, { metadata: { resourceVersion: 'a' } }),
      merge(`${core}/configmaps/c`, { metadata: { name: null } }),
      put('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a', {
        metadata: { name: 'a' },
        spec: { holderIdentity: 'a' },
      }),
      put('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a', {
        metadata: { name: 'a' },
        spec: { holderIdentity: 'b' },
      }),
    ],
  },
  {
    name: 'fuzzed-types',
    steps: [
      post(`${apps}/deployments`, deployment),
      strategic(`${apps}/deployments/a`, { spec: { selector: { matchLabels: { app: ['a', 'a'] } } } }),
      strategic(`${apps}/deployments/a`, { spec: { replicas: '1' } }),
      strategic(`${apps}/deployments/a`, { spec: { template: 'x', paused: null } }),
      merge(`${apps}/deployments/a`, true),
      merge(`${apps}/deployments/a?fieldValidation=Strict`, { spec: { bogus: 1 } }),
      apply(`${apps}/deployments/a`, { ...deployment, spec: { selector: { matchLabels: { app: {} } } } }),
      apply(`${apps}/deployments/a`, { ...deployment, spec: { paused: '' } }),
      apply(`${apps}/deployments/a`, { ...deployment, spec: { replicas: ['1'] } }),
      apply(`${apps}/deployments/a`, { ...deployment, spec: { revisionHistoryLimit: 2147483648 } }),
      post(`${apps}/deployments`, { ...deployment, spec: { revisionHistoryLimit: 2147483648 } }),
      post(`${apps}/deployments`, { ...deployment, metadata: { name: 'a', creationTimestamp: '2026-01-01' }, spec: 1 }),
      post(`${core}/configmaps`, { ...config, metadata: { name: 'a', deletionTimestamp: '' } }),
      post(`${core}/configmaps`, { ...config, metadata: { name: 'a', labels: 'b' } }),
      put(`${apps}/deployments/a/scale`, { spec: { replicas: '1' } }),
      merge(`${apps}/deployments/a/scale`, { spec: { replicas: 'a' } }),
      patch(`${apps}/deployments/a`, 'json-patch+json', [{ op: 'move', from: '/metadata/none', path: '/metadata/b' }]),
    ],
  },
  {
    name: 'fuzzed-status-and-deletion',
    steps: [
      post(`${apps}/deployments`, deployment),
      merge(`${apps}/deployments/a/status`, { status: { readyReplicas: 3, replicas: 2, observedGeneration: -1 } }),
      post(`${apps}/statefulsets`, { ...deployment, kind: 'StatefulSet' }),
      merge(`${apps}/statefulsets/a/status`, { status: { currentReplicas: 1000, replicas: 1 } }),
      post(`${batch}/jobs`, {
        metadata: { name: 'a' },
        spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
      }),
      merge(`${batch}/jobs/a/status`, { status: { ready: 1 } }),
      post(`${core}/pods`, { metadata: { name: 'a' }, spec: template.spec }),
      merge(`${core}/pods/a/status`, { status: { conditions: [{ type: '', status: 'True' }] } }),
      merge(`${core}/pods/a`, { spec: { schedulingGates: [{ name: 'web' }] } }),
      put(`${core}/pods/a/status`, {
        metadata: { name: 'a' },
        spec: template.spec,
        status: { nominatedNodeName: 'b' },
      }),
      del(`${batch}/jobs/none`),
      del(`${core}/configmaps/none`, { body: { propagationPolicy: 'Odd' } }),
      del(`${core}/configmaps/none`, { body: { propagationPolicy: '' } }),
      del(`${core}/configmaps/none`, { body: { gracePeriodSeconds: 'a' } }),
      del(`${core}/configmaps/none`, { body: { propagationPolicy: 'Orphan', orphanDependents: true } }),
      put(`${core}/services/a`, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } }),
      merge(`${core}/services/a`, { spec: { allocateLoadBalancerNodePorts: true } }),
    ],
  },
];
