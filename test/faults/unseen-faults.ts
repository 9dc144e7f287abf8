import type { KubeObject } from '@tiphys/kubernetes';
import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const commit = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

const json = (apiVersion: string, kind: string, rest: object, metadata: object = {}): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name: 'w', ...metadata }, ...rest });

const workload = (spec: object, container: object = {}): string =>
  json('apps/v1', 'Deployment', {
    spec: {
      selector: { matchLabels: { app: 'w' } },
      template: {
        metadata: { labels: { app: 'w' } },
        spec: { containers: [{ name: 'main', image: 'registry.example/app:1', ...container }], ...spec },
      },
    },
  });

const claim = (storage: string): string =>
  json('v1', 'PersistentVolumeClaim', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });

const hook = (type: string, spec: object): string =>
  json(
    'batch/v1',
    'Job',
    {
      spec: {
        backoffLimit: 0,
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example/app:1', ...spec }] },
        },
      },
    },
    { name: 'hook', annotations: { 'argocd.argoproj.io/hook': type } },
  );

const chart = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n';
const inChart = { 'app/Chart.yaml': chart, 'app/templates/a.yaml': configMap('a', 'one') };
const inKustomization = { 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'app/a.yaml': configMap('a', 'one') };

/** A file is added that cannot be used, and goes again. */
const added = (fault: Omit<Fault, 'inject' | 'mend'>, file: string, text: string): Fault => ({
  ...fault,
  inject: commit({ [file]: text }),
  mend: commit({ [file]: undefined }),
});

/** A file is changed, and changed back. */
const changed = (
  fault: Omit<Fault, 'inject' | 'mend' | 'files'>,
  files: Record<string, string>,
  to: Record<string, string>,
): Fault => ({
  ...fault,
  files,
  inject: commit(to),
  mend: commit(Object.fromEntries(Object.keys(to).map((file) => [file, files[file]]))),
});

const inNamespace = (object: KubeObject, file: string) => async (stage: Stage) => {
  await stage.create({ ...object, metadata: { ...object.metadata, namespace: stage.namespace } });
  stage.commit({ 'app/w.yaml': file });
};

const served = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  ...more,
});

/** Faults beyond every list: injected by hand first, and judged as a user would. */
export const unseenFaults: readonly Fault[] = [
  {
    id: 'C14',
    title: 'a version whose definition says that it is deprecated',
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'crates.unseen.example' },
        spec: {
          group: 'unseen.example',
          scope: 'Namespaced',
          names: { plural: 'crates', singular: 'crate', kind: 'Crate', listKind: 'CrateList' },
          versions: [served('v1'), served('v1beta1', { deprecated: true })],
        },
      });
      stage.commit({ 'app/w.yaml': json('unseen.example/v1beta1', 'Crate', {}) });
    },
    code: 'ManifestVersionDeprecated',
    contains: [/v1beta1 Crate is deprecated/, /Write apiVersion: unseen\.example\/v1"/, /app\/w\.yaml/, /"line":1/],
    mend: commit({ 'app/w.yaml': json('unseen.example/v1', 'Crate', {}) }),
  },
  changed(
    {
      id: 'M12',
      title: 'a misspelt field that the server may leave out',
      code: 'ManifestFieldDropped',
      contains: [
        /unknown field \\"spec\.template\.spec\.containers\[0\]\.comand\\"/,
        /Write command in place of comand/,
        /app\/w\.yaml/,
      ],
    },
    { 'app/w.yaml': workload({}) },
    {
      'app/w.yaml': workload({}, { comand: ['x'] }).replace(
        '"name":"w"',
        '"name":"w","annotations":{"argocd.argoproj.io/sync-options":"Validate=false"}',
      ),
    },
  ),
  {
    id: 'C8',
    title: 'a claim that is to become smaller',
    inject: async (stage) => {
      stage.commit({ 'app/w.yaml': claim('2Gi') });
      await stage.until('the claim', ({ status }) =>
        (status?.resources ?? []).some(
          ({ kind, status: sync }) => kind === 'PersistentVolumeClaim' && sync === 'Synced',
        ),
      );
      stage.commit({ 'app/w.yaml': claim('1Gi') });
    },
    code: 'ImmutableField',
    contains: [/2Gi → 1Gi/, /Write 2Gi again/, /copy the data/, /all data in it/],
    mend: commit({ 'app/w.yaml': claim('2Gi') }),
    recovers: false,
  },
  {
    id: 'AdmissionDenied',
    title: 'a claim larger than a limit range lets claims be',
    inject: inNamespace(
      {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'limits' },
        spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }] },
      },
      claim('2Gi'),
    ),
    code: 'AdmissionDenied',
    contains: [/LimitRange of the namespace forbids it: maximum storage usage/, /kubectl get limitrange -n/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  {
    id: 'C3',
    title: 'a quota that counts limits which no container has',
    inject: inNamespace(
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'memory' },
        spec: { hard: { 'limits.memory': '1Gi' } },
      },
      workload({}),
    ),
    code: 'PodsForbidden',
    contains: [
      /ResourceQuota memory counts what their containers do not say: limits\.memory/,
      /LimitRange with defaults/,
    ],
    excludes: [/admission webhook/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  added(
    {
      id: 'ObjectInvalid',
      title: 'a volume that a container mounts and no pod has',
      code: 'ObjectInvalid',
      contains: [
        /Correct spec\.template\.spec\.containers\[0\]\.volumeMounts\[0\]\.name, or add what it names: nothing is called \\"data\\"/,
      ],
    },
    'app/w.yaml',
    workload({}, { volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
  ),
  added(
    {
      id: 'ObjectInvalid',
      title: 'a Service without the field that its type wants',
      code: 'ObjectInvalid',
      contains: [/Add spec\.externalName/],
    },
    'app/w.yaml',
    json('v1', 'Service', { spec: { type: 'ExternalName' } }),
  ),
  added(
    {
      id: 'ObjectInvalid',
      title: 'a value that is none of those that there are',
      code: 'ObjectInvalid',
      contains: [/Write one of .*ReadWriteOnce.* in spec\.accessModes/],
    },
    'app/w.yaml',
    claim('1Gi').replace('ReadWriteOnce', 'ReadWriteEverywhere'),
  ),
  added(
    {
      id: 'ObjectInvalid',
      title: 'two containers of one name',
      code: 'ObjectInvalid',
      contains: [/containers\[1\]\.name: \\"main\\" is there twice/],
    },
    'app/w.yaml',
    workload({
      containers: [
        { name: 'main', image: 'a:1' },
        { name: 'main', image: 'b:1' },
      ],
    }),
  ),
  added(
    {
      id: 'C3',
      title: 'pods of a service account that is not there',
      code: 'PodsForbidden',
      contains: [/ServiceAccount ghost does not exist/, /serviceAccountName/],
      excludes: [/AccessDenied/],
    },
    'app/w.yaml',
    workload({ serviceAccountName: 'ghost' }),
  ),
  added(
    {
      id: 'C3',
      title: 'a priority class that is not there',
      code: 'PodsForbidden',
      contains: [/PriorityClass ghost does not exist/],
    },
    'app/w.yaml',
    workload({ priorityClassName: 'ghost' }),
  ),
  added(
    {
      id: 'S10',
      title: 'an image whose name is none',
      code: 'ImagePullFailed',
      contains: [/the image name is not valid/],
    },
    'app/w.yaml',
    workload({}, { image: 'registry.example/Two Words:1' }),
  ),
  changed(
    {
      id: 'M1',
      title: 'a block of a template without an end',
      code: 'HelmRenderFailed',
      contains: [/Add the \{\{ end \}\} that is missing/],
    },
    inChart,
    { 'app/templates/a.yaml': `{{ if .Values.on }}\n${configMap('a', 'one')}` },
  ),
  changed(
    {
      id: 'M1',
      title: 'a chart that refuses by fail',
      code: 'HelmRenderFailed',
      contains: [/The chart refuses to render: two replicas at most/],
    },
    inChart,
    { 'app/templates/a.yaml': '{{ fail "two replicas at most" }}\n' },
  ),
  changed(
    {
      id: 'ChartKubeVersionMismatch',
      title: 'a chart for another Kubernetes',
      code: 'ChartKubeVersionMismatch',
      contains: [/requires kubeVersion: <1\.20\.0/, /v1\.34/],
    },
    inChart,
    { 'app/Chart.yaml': `${chart}kubeVersion: "<1.20.0"\n` },
  ),
  changed(
    {
      id: 'ChartNotInstallable',
      title: 'a chart that is a library',
      code: 'ChartNotInstallable',
      contains: [/is of type library/],
    },
    inChart,
    { 'app/Chart.yaml': `${chart}type: library\n` },
  ),
  changed(
    {
      id: 'M4',
      title: 'kustomizations that build on each other',
      code: 'KustomizationInvalid',
      contains: [/cycle detected/, /Remove the entry/, /b\/kustomization\.yaml/],
    },
    { ...inKustomization, 'b/kustomization.yaml': 'resources: []\n' },
    { 'app/kustomization.yaml': 'resources: [a.yaml, ../b]\n', 'b/kustomization.yaml': 'resources: [../app]\n' },
  ),
  changed(
    {
      id: 'M4',
      title: 'a misspelt field of a kustomization',
      code: 'KustomizationInvalid',
      contains: [/unknown field/, /Did you mean resources\?/],
    },
    inKustomization,
    { 'app/kustomization.yaml': 'resource: [a.yaml]\n' },
  ),
  added(
    {
      id: 'M6',
      title: 'a variable of Jsonnet that the source does not give',
      code: 'JsonnetFailed',
      contains: [/Undefined external variable: stage/, /extVars/],
    },
    'app/m.jsonnet',
    '{apiVersion:"v1",kind:"ConfigMap",metadata:{name:std.extVar("stage")}}\n',
  ),
  changed(
    {
      id: 'S3',
      title: 'a hook after the sync that fails',
      code: 'HookFailed',
      contains: [/PostSync hook Job hook failed/, /exit code 3/, /no route to the database/],
    },
    { 'app/a.yaml': configMap('a', 'one'), 'app/h.yaml': configMap('h', 'one') },
    {
      'app/a.yaml': configMap('a', 'two'),
      'app/h.yaml': hook('PostSync', { command: ['sh', '-c', 'echo no route to the database; exit 3'] }),
    },
  ),
  {
    id: 'S4',
    title: 'a hook whose image cannot be pulled',
    inject: commit({
      'app/a.yaml': configMap('a', 'two'),
      'app/h.yaml': hook('PreSync', { image: 'registry.example/does-not-exist:1' }),
    }),
    code: 'WaveBlocked',
    contains: [/completion of hook batch\/Job\/hook/, /has no such image or tag/],
    // as upstream, the operation waits on until somebody ends it or the image appears
    mend: async ({ world, name, commit: correct, until }) => {
      correct({ 'app/h.yaml': configMap('h', 'one') });
      await world.rest('DELETE', `/api/v1/applications/${name}/operation?appNamespace=${world.namespace}`);
      await until('the end of the operation', ({ status }) => status?.operationState?.phase !== 'Terminating');
    },
  },
  added(
    {
      id: 'S18',
      title: 'an autoscaler of a workload that is not there',
      code: 'AutoscalerFailing',
      contains: [/deployments\.apps \\"ghost\\" not found/, /scaleTargetRef/],
    },
    'app/w.yaml',
    json('autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: {
        minReplicas: 1,
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'ghost' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    }),
  ),
  {
    id: 'C17',
    title: 'a cluster that nobody has registered',
    inject: ({ patch, namespace }) => patch({ destination: { name: 'ghost', server: null, namespace } }),
    code: 'ClusterNotFound',
    contains: [/no clusters with this name: ghost/, /in-cluster/],
    mend: ({ patch, namespace }) =>
      patch({ destination: { name: null, server: 'https://kubernetes.default.svc', namespace } }),
  },
  {
    id: 'IgnoreRuleInvalid',
    title: 'an expression of differences that is cut off',
    inject: ({ patch }) => patch({ ignoreDifferences: [{ kind: 'ConfigMap', jqPathExpressions: ['.data['] }] }),
    code: 'IgnoreRuleInvalid',
    contains: [/it ends too early/, /spec\.ignoreDifferences\[0\]/],
    mend: ({ patch }) => patch({ ignoreDifferences: null }),
  },
  {
    id: 'R9',
    title: 'a range of versions that no tag meets',
    inject: ({ patch }) => patch({ source: { targetRevision: '>=9.0.0' } }),
    code: 'RevisionNotFound',
    contains: [/No tag matches the version range/],
    mend: ({ patch }) => patch({ source: { targetRevision: 'HEAD' } }),
  },
  {
    id: 'PathInvalid',
    title: 'a path that is a file',
    inject: ({ patch }) => patch({ source: { path: 'app/a.yaml' } }),
    code: 'PathInvalid',
    contains: [/is a file, not a folder/, /directory\.include/],
    mend: ({ patch }) => patch({ source: { path: 'app' } }),
  },
  {
    id: 'NamespaceMissing',
    title: 'a namespace that is not there',
    inject: commit({ 'app/w.yaml': json('v1', 'ConfigMap', {}, { namespace: 'nobody-made-it' }) }),
    code: 'NamespaceMissing',
    contains: [/Namespace nobody-made-it does not exist/, /CreateNamespace=true/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  changed(
    {
      id: 'C8',
      title: 'the role of a binding',
      code: 'ImmutableField',
      contains: [/roleRef cannot be changed/, /view → edit/],
      recovers: false,
    },
    { 'app/w.yaml': binding('view') },
    { 'app/w.yaml': binding('edit') },
  ),
];

function binding(name: string): string {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  return json('rbac.authorization.k8s.io/v1', 'RoleBinding', { roleRef, subjects: [] });
}
