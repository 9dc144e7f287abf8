import { configMap, deployment } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const commit = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

/** A file that was right is committed so that it is wrong, and mended by another commit. */
const spoilt = (
  fault: Omit<Fault, 'inject' | 'mend' | 'files'>,
  manifest: string,
  right = configMap('w', 'one'),
): Fault => ({
  ...fault,
  files: { 'app/a.yaml': configMap('a', 'one'), 'app/w.yaml': right },
  inject: commit({ 'app/w.yaml': manifest }),
  mend: commit({ 'app/w.yaml': right }),
});

const service = (spec: string) =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: w}\nspec: {${spec}ports: [{port: 80}]}\n`;

/** What a manifest can be wrong in, beyond its syntax. */
export const manifestFaults: readonly Fault[] = [
  spoilt(
    {
      id: 'M9',
      title: 'a list at the top of a file',
      code: 'ManifestInvalid',
      contains: [/left out/, /is a list, not an object/, /app\/w\.yaml/, /items:/],
    },
    '- a\n- b\n',
  ),
  spoilt(
    { id: 'M9', title: 'an object without a kind', code: 'ManifestInvalid', contains: [/no kind/, /app\/w\.yaml/] },
    'apiVersion: v1\nmetadata:\n  name: w\n',
  ),
  spoilt(
    {
      id: 'M9',
      title: 'marks of a merge that was not ended',
      code: 'InvalidYaml',
      contains: [/app\/w\.yaml/, /"line":4/, /<<<<<<</],
    },
    'apiVersion: v1\nkind: ConfigMap\n<<<<<<< HEAD\nmetadata: {name: w}\n=======\nmetadata: {name: v}\n>>>>>>> other\n',
  ),
  spoilt(
    {
      id: 'DuplicateKeys',
      title: 'a key that is there twice',
      code: 'DuplicateKeys',
      cause: 'DuplicateKeys',
      contains: [/\\"a\\" is there twice/, /"line":7/],
    },
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: w\ndata:\n  a: "1"\n  a: "2"\n',
  ),
  spoilt(
    {
      id: 'AnnotationIgnored',
      title: 'a wave that is no number',
      code: 'AnnotationIgnored',
      contains: [/\\"first\\" of the annotation argocd\.argoproj\.io\/sync-wave/, /wave 0/, /app\/w\.yaml/],
    },
    configMap('w', 'two', { 'argocd.argoproj.io/sync-wave': 'first' }),
  ),
  spoilt(
    {
      id: 'AnnotationIgnored',
      title: 'a sync option that is misspelt on an object',
      code: 'AnnotationIgnored',
      contains: [/Prun=false/, /Write Prune=false in place of Prun=false/],
    },
    configMap('w', 'two', { 'argocd.argoproj.io/sync-options': 'Prun=false' }),
  ),
  spoilt(
    {
      id: 'M12',
      title: 'a value of a Secret that is no base64',
      code: 'ManifestFieldInvalid',
      contains: [/data\.password must be base64/, /stringData/, /app\/w\.yaml/],
      excludes: [/Validate=false/],
    },
    'apiVersion: v1\nkind: Secret\nmetadata: {name: w}\ndata: {password: "MARKER is not base64"}\n',
  ),
  spoilt(
    {
      id: 'M12',
      title: 'a quantity with a unit that there is not',
      code: 'ManifestFieldInvalid',
      contains: [/resources\.limits\.memory must be a quantity/, /16 MB/, /app\/w\.yaml/],
    },
    `${deployment('w')}        resources: {limits: {memory: 16 MB}}\n`,
    deployment('w'),
  ),
  spoilt(
    {
      id: 'C8',
      title: 'an address of a Service that cannot be changed',
      code: 'ImmutableField',
      contains: [/spec\.clusterIP/, /app\/w\.yaml/, /Replace=true/],
    },
    service('clusterIP: None, '),
    service(''),
  ),
  {
    id: 'M12',
    title: 'a misspelt field under server-side apply',
    files: { 'app/a.yaml': deployment('web') },
    spec: { syncPolicy: { automated: {}, syncOptions: ['ServerSideApply=true'] } },
    inject: commit({ 'app/a.yaml': deployment('web').replace('replicas:', 'replica:') }),
    code: 'ManifestFieldInvalid',
    contains: [/spec\.replica/, /Write replicas|did you mean/, /app\/a\.yaml/],
    mend: commit({ 'app/a.yaml': deployment('web') }),
  },
  {
    id: 'M15',
    title: 'manifests beyond the limit',
    inject: commit({ 'app/big.yaml': `${configMap('big', 'one')}# ${'x'.repeat(11_000_000)}\n` }),
    code: 'ManifestsTooBig',
    contains: [/app\/big\.yaml/],
    mend: commit({ 'app/big.yaml': undefined }),
  },
  {
    id: 'S18',
    title: 'replicas in the source of a workload that an autoscaler scales',
    files: { 'app/a.yaml': deployment('web', { replicas: 2 }) },
    inject: commit({
      'app/hpa.yaml':
        'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: {minReplicas: 1, maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n',
    }),
    code: 'ReplicasContested',
    contains: [/HorizontalPodAutoscaler web scales it/, /each sync sets 2 again/, /ignoreDifferences/, /app\/a\.yaml/],
    mend: commit({ 'app/a.yaml': deployment('web').replace('  replicas: 1\n', '') }),
    recovers: false,
  },
  {
    id: 'SyncOptionUnsupported',
    title: 'a sync option that nobody knows',
    inject: async (stage) => {
      await stage.patch({ syncPolicy: { automated: {}, syncOptions: ['CreateNamepace=true'] } });
      stage.commit({ 'app/a.yaml': configMap('a', 'two') });
    },
    code: 'SyncOptionUnsupported',
    contains: [/CreateNamepace/, /Write CreateNamespace=true in place of CreateNamepace=true/],
    mend: (stage) => stage.patch({ syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'] } }),
  },
  {
    id: 'S6',
    title: 'a sync that is not tried again',
    files: { 'app/a.yaml': deployment('web') },
    spec: { syncPolicy: { automated: {}, retry: { limit: 0 } } },
    inject: commit({ 'app/a.yaml': deployment('web').replaceAll('{app: web}', '{app: web, tier: front}') }),
    code: 'AutoSyncGaveUp',
    contains: [
      /Failed last sync attempt/,
      /stopped since/,
      /commit [0-9a-f]{7} of Test/,
      /a new revision is tried at once/,
    ],
    mend: commit({ 'app/a.yaml': deployment('web') }),
  },
];
