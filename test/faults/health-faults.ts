import { configMap, deployment } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const commit = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

/** A Deployment of one container with more in its spec. */
function workload(container: object, pod: object = {}, spec: object = {}, annotations: object = {}): string {
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' }, annotations },
        spec: { containers: [{ name: 'main', image: 'registry.example/app:1', ...container }], ...pod },
      },
      ...spec,
    },
  });
}

const claim = (name: string, storageClassName: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
  });

/** The fault is a manifest that is committed; another commit mends it. */
const broken = (
  fault: Omit<Fault, 'inject' | 'mend' | 'files'>,
  manifest: string,
  mended: string | undefined = workload({}),
): Fault => ({
  ...fault,
  files: { 'app/a.yaml': configMap('a', 'one'), 'app/w.yaml': mended ?? configMap('w', 'one') },
  inject: commit({ 'app/w.yaml': manifest }),
  mend: commit({ 'app/w.yaml': mended ?? configMap('w', 'one') }),
});

export const healthFaults: readonly Fault[] = [
  broken(
    {
      id: 'S10',
      title: 'an image that does not exist',
      code: 'ImagePullFailed',
      contains: [/does-not-exist/, /no such image/],
    },
    workload({ image: 'registry.example/does-not-exist:1' }),
  ),
  broken(
    {
      id: 'S11',
      title: 'a container that exits',
      code: 'ContainerCrashing',
      contains: [/code 3/, /no database at db:5432/],
    },
    workload({ command: ['sh', '-c', 'echo no database at db:5432; exit 3'] }),
  ),
  broken(
    { id: 'S12', title: 'a container without enough memory', code: 'ContainerOutOfMemory', contains: [/16Mi/] },
    workload({ resources: { limits: { memory: '16Mi' } } }, {}, {}, { 'sandbox.tiphys.dev/behavior': 'oom' }),
  ),
  broken(
    {
      id: 'S13',
      title: 'a readiness probe that fails',
      code: 'ProbeFailing',
      contains: [/does-not-exist/, /404/],
    },
    workload({ readinessProbe: { httpGet: { path: '/does-not-exist', port: 80 }, periodSeconds: 1 } }),
  ),
  broken(
    {
      id: 'S14',
      title: 'a storage class that does not exist',
      code: 'VolumeClaimPending',
      contains: [/StorageClass/, /"?nowhere"?/],
    },
    claim('data', 'nowhere'),
    undefined as never,
  ),
  broken(
    { id: 'S15', title: 'a Secret that is missing', code: 'ContainerConfigError', contains: [/no-such/] },
    workload({ envFrom: [{ secretRef: { name: 'no-such' } }] }),
  ),
  broken(
    {
      id: 'S9',
      title: 'more memory than any node has free',
      code: 'PodUnschedulable',
      contains: [/Insufficient memory/, /900Gi/],
    },
    workload({ resources: { requests: { memory: '900Gi' } } }),
  ),
  broken(
    {
      id: 'S17',
      title: 'a rollout past its deadline',
      code: 'ProgressDeadlineExceeded',
      contains: [/does-not-exist/],
    },
    workload({ image: 'registry.example/does-not-exist:1' }, {}, { progressDeadlineSeconds: 2, minReadySeconds: 0 }),
  ),
  broken(
    {
      id: 'S19',
      title: 'a Service that nobody gives an address',
      code: 'LoadBalancerMissing',
      contains: [/LoadBalancer/],
    },
    'apiVersion: v1\nkind: Service\nmetadata: {name: w}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n',
    undefined as never,
  ),
  broken(
    {
      id: 'S20',
      title: 'an Ingress of a class that nobody serves',
      code: 'IngressClassMissing',
      contains: [/IngressClass/, /nowhere/],
    },
    'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: w}\nspec: {ingressClassName: nowhere, defaultBackend: {service: {name: w, port: {number: 80}}}}\n',
    undefined as never,
  ),
  {
    id: 'C6',
    title: 'a quota that forbids pods',
    files: { 'app/a.yaml': configMap('a', 'one') },
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'small', namespace: stage.namespace },
        spec: { hard: { pods: '0' } },
      });
      await stage.world.waitFor(
        { apiVersion: 'v1', kind: 'ResourceQuota', namespace: stage.namespace, name: 'small' },
        'the quota to be counted',
        (quota) => (quota?.status as { hard?: object } | undefined)?.hard !== undefined,
      );
      stage.commit({ 'app/w.yaml': deployment('web') });
    },
    code: 'WorkloadQuotaExceeded',
    contains: [/small/, /pods=/],
    mend: ({ world, namespace }) =>
      world.client.delete({ apiVersion: 'v1', kind: 'ResourceQuota', namespace, name: 'small' }),
  },
];
