import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const commit = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

function workload(container: object, pod: object = {}): string {
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'registry.example/app:1', ...container }], ...pod },
      },
    },
  });
}

const spoilt = (
  fault: Omit<Fault, 'inject' | 'mend' | 'files'>,
  manifest: string,
  right: string = workload({}),
): Fault => ({
  ...fault,
  files: { 'app/a.yaml': configMap('a', 'one'), 'app/w.yaml': right },
  inject: commit({ 'app/w.yaml': manifest }),
  mend: commit({ 'app/w.yaml': right }),
});

const volume = (source: object) =>
  workload({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }, { volumes: [{ name: 'v', ...source }] });
const unanswered = { httpGet: { path: '/does-not-exist', port: 80 }, periodSeconds: 1, failureThreshold: 1 };
const claim = (spec: object) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  });
const empty = configMap('w', 'one');

/** What keeps pods from running, beyond their image and their program. */
export const podFaults: readonly Fault[] = [
  spoilt(
    {
      id: 'S13',
      title: 'a liveness probe that fails',
      code: 'ProbeFailing',
      contains: [/ends container main again and again because its livenessProbe fails/, /event Killing/],
      excludes: [/ContainerOutOfMemory/],
    },
    workload({ livenessProbe: unanswered }),
  ),
  spoilt(
    {
      id: 'S11',
      title: 'an init container that fails',
      code: 'ContainerCrashing',
      contains: [/setup/, /code 4/, /cannot reach vault/],
    },
    workload(
      {},
      { initContainers: [{ name: 'setup', image: 'x', command: ['sh', '-c', 'echo cannot reach vault; exit 4'] }] },
    ),
  ),
  spoilt(
    {
      id: 'S15',
      title: 'a volume of a ConfigMap that is missing',
      code: 'VolumeMountFailed',
      contains: [/Volume v cannot be mounted: ConfigMap gone does not exist/, /event FailedMount/],
    },
    volume({ configMap: { name: 'gone' } }),
  ),
  spoilt(
    {
      id: 'S15',
      title: 'a volume of a Secret that is missing',
      code: 'VolumeMountFailed',
      contains: [/Secret gone does not exist/, /event FailedMount/],
    },
    volume({ secret: { secretName: 'gone' } }),
  ),
  spoilt(
    {
      id: 'S14',
      title: 'a volume of a claim that is missing',
      code: 'VolumeClaimMissing',
      contains: [/PersistentVolumeClaim gone, which does not exist/],
      excludes: [/Add nodes/],
    },
    volume({ persistentVolumeClaim: { claimName: 'gone' } }),
  ),
  spoilt(
    {
      id: 'S14',
      title: 'a claim for a volume that does not exist',
      code: 'VolumeClaimPending',
      contains: [/PersistentVolume gone, which does not exist/],
    },
    claim({ volumeName: 'gone', storageClassName: '' }),
    empty,
  ),
  spoilt(
    {
      id: 'S9',
      title: 'a node selector that no node has',
      code: 'PodUnschedulable',
      contains: [/disk=ssd/, /label a node/],
      excludes: [/lower the resource requests/],
    },
    workload({}, { nodeSelector: { disk: 'ssd' } }),
  ),
  spoilt(
    { id: 'S3', title: 'a Job past its deadline', code: 'JobFailed', contains: [/activeDeadlineSeconds of 2 s/] },
    JSON.stringify({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'late' },
      spec: {
        activeDeadlineSeconds: 2,
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'a', command: ['sleep', '100'] }] },
        },
      },
    }),
    empty,
  ),
  {
    id: 'C3',
    title: 'a limit range that forbids pods',
    files: { 'app/a.yaml': configMap('a', 'one'), 'app/w.yaml': empty },
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'small', namespace: stage.namespace },
        spec: { limits: [{ type: 'Container', max: { memory: '32Mi' } }] },
      });
      stage.commit({ 'app/w.yaml': workload({ resources: { limits: { memory: '64Mi' } } }) });
    },
    code: 'PodsForbidden',
    contains: [/LimitRange of the namespace forbids them/, /32Mi/],
    mend: commit({ 'app/w.yaml': workload({ resources: { limits: { memory: '32Mi' } } }) }),
  },
  {
    id: 'C4',
    title: 'a webhook of pods that is down',
    files: { 'app/a.yaml': configMap('a', 'one'), 'app/w.yaml': empty },
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: `pods-${stage.name}` },
        webhooks: [
          {
            name: `pods.${stage.name}.example.com`,
            clientConfig: { url: 'https://127.0.0.1:1/validate' },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': stage.namespace } },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 2,
          },
        ],
      });
      stage.commit({ 'app/w.yaml': workload({}) });
    },
    code: 'WebhookUnavailable',
    contains: [/Pods cannot be created/, /pods\.c4/],
    mend: ({ world, name }) =>
      world.client.delete({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        name: `pods-${name}`,
      }),
  },
  {
    id: 'ObjectNotReady',
    title: 'an object whose controller says that it is not ready',
    files: { 'app/a.yaml': configMap('a', 'one') },
    inject: async (stage) => {
      const group = `${stage.name}.shop.example`;
      await stage.create({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `baskets.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { kind: 'Basket', plural: 'baskets', singular: 'basket' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              subresources: { status: {} },
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      });
      await stage.world.client.patch(
        { apiVersion: 'v1', kind: 'ConfigMap', namespace: stage.world.namespace, name: 'argocd-cm' },
        'merge',
        {
          data: {
            [`resource.customizations.health.${group}_Basket`]:
              'hs = {status = "Degraded", message = "no eggs"} if obj.status ~= nil and obj.status.ok then hs.status = "Healthy" end return hs',
          },
        },
      );
      stage.commit({ 'app/b.yaml': `apiVersion: ${group}/v1\nkind: Basket\nmetadata: {name: b}\n` });
      const ref = { apiVersion: `${group}/v1`, kind: 'Basket', namespace: stage.namespace, name: 'b' };
      await stage.world.waitFor(ref, 'the basket', (found) => found !== undefined);
      const conditions = [{ type: 'Ready', status: 'False', reason: 'NoEggs', message: 'the hen has not laid' }];
      await stage.world.client.patch(ref, 'merge', { status: { conditions } }, { subresource: 'status' });
    },
    code: 'ObjectNotReady',
    contains: [/Basket b is not ready: the hen has not laid/, /condition Ready=False, NoEggs/, /kubectl describe/],
    mend: async (stage) => {
      const ref = {
        apiVersion: `${stage.name}.shop.example/v1`,
        kind: 'Basket',
        namespace: stage.namespace,
        name: 'b',
      };
      await stage.world.client.patch(ref, 'merge', { status: { ok: true, conditions: [] } }, { subresource: 'status' });
    },
  },
];
