import { symlinkSync } from 'node:fs';
import type { KubeObject } from '@tiphys/kubernetes';
import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const commit = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

const json = (apiVersion: string, kind: string, rest: object, metadata: object = {}): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name: 'w', ...metadata }, ...rest });

const pods = (spec: object, container: object = {}, template: object = {}): object => ({
  selector: { matchLabels: { app: 'w' } },
  template: {
    metadata: { labels: { app: 'w' } },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1', ...container }], ...spec },
    ...template,
  },
});
const workload = (spec: object, container: object = {}, more: object = {}): string =>
  json('apps/v1', 'Deployment', { spec: { ...pods(spec, container), ...more } });

type Row = Omit<Fault, 'inject' | 'mend'>;

/** A file is added that cannot be used, and goes again. */
const added = (fault: Row, text: string, file = 'app/w.yaml'): Fault => ({
  ...fault,
  inject: commit({ [file]: text }),
  mend: commit({ [file]: undefined }),
});

/** Files are changed, and changed back. */
const changed = (fault: Omit<Row, 'files'>, files: Record<string, string>, to: Record<string, string>): Fault => ({
  ...fault,
  files,
  inject: commit(to),
  mend: commit(Object.fromEntries(Object.keys(to).map((file) => [file, files[file]]))),
});

/** The source, or another part of the spec, is changed and changed back. */
const respecified = (fault: Row, spec: object, back: object): Fault => ({
  ...fault,
  inject: ({ patch }) => patch(spec),
  mend: ({ patch }) => patch(back),
});

const chart = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n';
const inChart = { 'app/Chart.yaml': chart, 'app/templates/a.yaml': configMap('a', 'one') };
const inKustomization = { 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'app/a.yaml': configMap('a', 'one') };

const definition = (group: string, more: object, version: object = {}): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `jars.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'jars', singular: 'jar', kind: 'Jar', listKind: 'JarList' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } }, ...version },
    ],
    ...more,
  },
});

/** An object of a kind with a schema, which forbids it. */
const refusedBySchema = (fault: Row, schema: object, jar: object): Fault => ({
  ...fault,
  inject: async (stage) => {
    const group = `${stage.name}.odd.example`;
    await stage.create(definition(group, {}, { schema: { openAPIV3Schema: { type: 'object', ...schema } } }));
    stage.commit({ 'app/w.yaml': json(`${group}/v1`, 'Jar', jar) });
  },
  mend: commit({ 'app/w.yaml': undefined }),
});

export const oddFaults: readonly Fault[] = [
  {
    id: 'AdmissionDenied',
    title: 'an admission policy whose expression fails on an object',
    inject: async (stage) => {
      const policy = { metadata: { name: stage.name }, apiVersion: 'admissionregistration.k8s.io/v1' };
      await stage.create({
        ...policy,
        kind: 'ValidatingAdmissionPolicy',
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
            ],
          },
          validations: [{ expression: "'owner' in object.metadata.labels", message: 'every object names its owner' }],
        },
      });
      await stage.create({
        ...policy,
        kind: 'ValidatingAdmissionPolicyBinding',
        spec: {
          policyName: stage.name,
          validationActions: ['Deny'],
          matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': stage.namespace } } },
        },
      });
      stage.commit({ 'app/w.yaml': json('v1', 'ConfigMap', {}) });
    },
    code: 'AdmissionDenied',
    contains: [/no such key: labels/, /Correct the expression of the policy/, /has\(\)/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  added(
    {
      id: 'NamespaceMissing',
      title: 'a namespace whose name can be none',
      slow: true,
      code: 'NamespaceMissing',
      contains: [/Bad NS/, /never can/, /Correct the namespace/],
      excludes: [/Create the namespace first/],
    },
    json('v1', 'ConfigMap', {}, { namespace: 'Bad NS' }),
  ),
  {
    id: 'C3',
    title: 'pods that the security standard of their namespace forbids',
    inject: async (stage) => {
      await stage.world.client.patch({ apiVersion: 'v1', kind: 'Namespace', name: stage.namespace }, 'merge', {
        metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
      });
      stage.commit({ 'app/w.yaml': workload({ hostNetwork: true }) });
    },
    code: 'PodsForbidden',
    contains: [/PodSecurity/, /baseline/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  refusedBySchema(
    {
      id: 'ObjectInvalid',
      title: 'a rule of a definition that an object breaks',
      code: 'ObjectInvalid',
      contains: [/at least two lids/],
    },
    {
      properties: {
        spec: {
          type: 'object',
          properties: { lids: { type: 'integer' } },
          'x-kubernetes-validations': [{ rule: 'self.lids >= 2', message: 'at least two lids' }],
        },
      },
    },
    { spec: { lids: 1 } },
  ),
  refusedBySchema(
    {
      id: 'ObjectInvalid',
      title: 'a field that a definition requires',
      slow: true,
      code: 'ObjectInvalid',
      contains: [/spec\.lids/],
    },
    { properties: { spec: { type: 'object', required: ['lids'], properties: { lids: { type: 'integer' } } } } },
    { spec: {} },
  ),
  refusedBySchema(
    {
      id: 'ObjectInvalid',
      title: 'a value beyond what a definition permits',
      slow: true,
      code: 'ObjectInvalid',
      contains: [/spec\.lids/, /5/],
    },
    { properties: { spec: { type: 'object', properties: { lids: { type: 'integer', maximum: 5 } } } } },
    { spec: { lids: 9 } },
  ),
  {
    id: 'ObjectInvalid',
    title: 'a definition whose schema is no schema',
    slow: true,
    inject: async (stage) =>
      stage.commit({
        'app/w.yaml': JSON.stringify(
          definition(`${stage.name}.odd.example`, {}, { schema: { openAPIV3Schema: { properties: { spec: {} } } } }),
        ),
      }),
    code: 'ObjectInvalid',
    contains: [/Add spec\.validation\.openAPIV3Schema\.type/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  {
    id: 'ObjectInvalid',
    title: 'a definition that drops the version in which objects are stored',
    inject: async (stage) => {
      const group = `${stage.name}.odd.example`;
      await stage.create(definition(group, {}));
      stage.commit({ 'app/w.yaml': JSON.stringify(definition(group, {}, { name: 'v2' })) });
    },
    code: 'ObjectInvalid',
    contains: [/Keep version v1 in spec\.versions/],
    excludes: [/Correct status/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  {
    id: 'C8',
    title: 'a definition that is to be of the whole cluster',
    inject: async (stage) => {
      const group = `${stage.name}.odd.example`;
      await stage.create(definition(group, {}));
      stage.commit({ 'app/w.yaml': JSON.stringify(definition(group, { scope: 'Cluster' })) });
    },
    code: 'ImmutableField',
    contains: [/spec\.scope cannot be changed/, /every object of this kind in the cluster/],
    excludes: [/Replace=true/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  respecified(
    {
      id: 'ValueFileMissing',
      title: 'a file of values that nobody committed',
      files: inChart,
      code: 'ValueFileMissing',
      contains: [/values-live\.yaml/, /ignoreMissingValueFiles/],
    },
    { source: { helm: { valueFiles: ['values-live.yaml'] } } },
    { source: { helm: null } },
  ),
  changed(
    {
      id: 'M1',
      title: 'a value that a chart requires',
      slow: true,
      code: 'HelmRenderFailed',
      contains: [/name the owner/],
    },
    inChart,
    { 'app/templates/a.yaml': configMap('a', 'one').replace('one', '{{ required "name the owner" .Values.owner }}') },
  ),
  changed(
    {
      id: 'M1',
      title: 'a function of templates that there is not',
      code: 'HelmRenderFailed',
      contains: [/function .*toJsn.* not defined/],
    },
    inChart,
    { 'app/templates/a.yaml': configMap('a', '{{ toJsn .Values }}') },
  ),
  changed(
    {
      id: 'M1',
      title: 'a chart without a version',
      code: 'ChartInvalid',
      contains: [/chart\.metadata\.version is required/],
    },
    inChart,
    { 'app/Chart.yaml': 'apiVersion: v2\nname: shop\n' },
  ),
  changed(
    {
      id: 'M4',
      title: 'a base on a host where nothing listens',
      code: 'RemoteBaseRefused',
      contains: [/127\.0\.0\.1/, /inside of this network/],
    },
    inKustomization,
    { 'app/kustomization.yaml': 'resources: [a.yaml, "https://127.0.0.1:1/base.git//app?ref=v1"]\n' },
  ),
  changed(
    { id: 'M4', title: 'a patch of an object that is not there', code: 'KustomizationInvalid', contains: [/ghost/] },
    inKustomization,
    {
      'app/kustomization.yaml':
        'resources: [a.yaml]\npatches:\n- patch: |-\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: ghost}\n    data: {a: b}\n',
    },
  ),
  changed(
    {
      id: 'M4',
      title: 'a patch that removes what is not there',
      code: 'KustomizationInvalid',
      contains: [/nonexistent key: gone/, /app\/kustomization\.yaml:3/],
    },
    inKustomization,
    {
      'app/kustomization.yaml':
        'resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: |-\n    - {op: remove, path: /data/gone}\n',
    },
  ),
  changed(
    {
      id: 'M4',
      title: 'an object that two bases bring',
      slow: true,
      code: 'KustomizationInvalid',
      contains: [/ConfigMap/, /already/],
    },
    { ...inKustomization, 'b/kustomization.yaml': 'resources: [a.yaml]\n', 'b/a.yaml': configMap('a', 'two') },
    { 'app/kustomization.yaml': 'resources: [a.yaml, ../b]\n' },
  ),
  changed(
    {
      id: 'M4',
      title: 'a chart in a kustomization that may use none',
      code: 'KustomizationInvalid',
      contains: [/kustomize\.buildOptions in the ConfigMap argocd-cm/],
    },
    inKustomization,
    {
      'app/kustomization.yaml':
        'resources: [a.yaml]\nhelmCharts:\n- {name: shop, version: 1.0.0, repo: "https://charts.example"}\n',
    },
  ),
  changed(
    {
      id: 'M4',
      title: 'a component that is listed as a resource',
      code: 'KustomizationInvalid',
      contains: [/components/],
    },
    {
      ...inKustomization,
      'c/kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: x-\n',
    },
    { 'app/kustomization.yaml': 'resources: [a.yaml, ../c]\n' },
  ),
  added(
    {
      id: 'M6',
      title: 'a library of Jsonnet that is not there',
      code: 'JsonnetFailed',
      contains: [/Add app\/gone\.libsonnet, or correct the import/],
    },
    "local g = import 'gone.libsonnet'; g\n",
    'app/m.jsonnet',
  ),
  added(
    {
      id: 'M9',
      title: 'a pointer of Git LFS in place of a manifest',
      code: 'ManifestInvalid',
      contains: [/pointer of Git LFS/, /enableLfs: \\"true\\"/],
    },
    `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 123\n`,
  ),
  added(
    {
      id: 'M15',
      title: 'aliases that multiply',
      code: 'YamlLimitExceeded',
      contains: [/excessive aliasing/, /Write the repeated parts out/],
    },
    `a: &a [x,x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghi'[index]}`).join(',')}]\n`).join('')}`,
  ),
  added(
    { id: 'ObjectInvalid', title: 'a name with capitals', code: 'ObjectInvalid', contains: [/My_Shop/, /lower case/] },
    json('v1', 'ConfigMap', {}, { name: 'My_Shop' }),
  ),
  added(
    {
      id: 'ObjectInvalid',
      title: 'a value of a label that is too long',
      slow: true,
      code: 'ObjectInvalid',
      contains: [/63/],
    },
    json('v1', 'ConfigMap', {}, { labels: { about: 'x'.repeat(70) } }),
  ),
  added(
    {
      id: 'ObjectInvalid',
      title: 'a selector that its own pods do not meet',
      slow: true,
      code: 'ObjectInvalid',
      contains: [/selector/],
    },
    workload({}, {}, { selector: { matchLabels: { app: 'other' } } }),
  ),
  added(
    {
      id: 'ObjectInvalid',
      title: 'a schedule of a CronJob that is none',
      slow: true,
      code: 'ObjectInvalid',
      contains: [/schedule/],
    },
    json('batch/v1', 'CronJob', {
      spec: {
        schedule: 'every day',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'a:1' }] } } },
        },
      },
    }),
  ),
  added(
    {
      id: 'ObjectInvalid',
      title: 'a request above its limit',
      slow: true,
      code: 'ObjectInvalid',
      contains: [/2Gi/, /1Gi|limit/],
    },
    workload({}, { resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } }),
  ),
  added(
    {
      id: 'ObjectInvalid',
      title: 'a Job whose pods start again for ever',
      code: 'ObjectInvalid',
      contains: [/Write one of .*OnFailure.* in spec\.template\.spec\.restartPolicy/],
    },
    json('batch/v1', 'Job', { spec: { template: { spec: { containers: [{ name: 'm', image: 'a:1' }] } } } }),
  ),
  changed(
    { id: 'C8', title: 'a ConfigMap that says it is immutable', code: 'ImmutableField', contains: [/immutable/] },
    {
      'app/a.yaml': configMap('a', 'one'),
      'app/w.yaml': json('v1', 'ConfigMap', { immutable: true, data: { a: '1' } }),
    },
    { 'app/w.yaml': json('v1', 'ConfigMap', { immutable: true, data: { a: '2' } }) },
  ),
  changed(
    {
      id: 'C8',
      title: 'the type of a Secret',
      slow: true,
      code: 'ImmutableField',
      contains: [/type/],
      excludes: [/MARKER/],
    },
    {
      'app/a.yaml': configMap('a', 'one'),
      'app/w.yaml': json('v1', 'Secret', { type: 'Opaque', stringData: { a: 'MARKER' } }),
    },
    { 'app/w.yaml': json('v1', 'Secret', { type: 'shop.example/other', stringData: { a: 'MARKER' } }) },
  ),
  changed(
    {
      id: 'C8',
      title: 'the template of a Job',
      slow: true,
      code: 'ImmutableField',
      contains: [/spec\.template/, /Replace=true|another name/],
    },
    { 'app/a.yaml': configMap('a', 'one'), 'app/w.yaml': job('a:1') },
    { 'app/w.yaml': job('a:2') },
  ),
  added(
    {
      id: 'S9',
      title: 'pods that may not share a node',
      slow: true,
      code: 'PodUnschedulable',
      contains: [/anti-affinity/],
    },
    workload(
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'kubernetes.io/os', labelSelector: { matchLabels: { app: 'w' } } },
            ],
          },
        },
      },
      {},
      { replicas: 2 },
    ),
  ),
  added(
    {
      id: 'S9',
      title: 'pods that are to be spread over what no node has',
      code: 'PodUnschedulable',
      contains: [/topology spread/, /Give the nodes the label/],
      excludes: [/Add nodes/],
    },
    workload({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'shop.example/rack',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'w' } },
        },
      ],
    }),
  ),
  added(
    {
      id: 'S9',
      title: 'a port of the node that another pod has',
      slow: true,
      code: 'PodUnschedulable',
      contains: [/port/],
    },
    workload(
      { nodeSelector: { 'kubernetes.io/os': 'linux' } },
      { ports: [{ containerPort: 80, hostPort: 18977 }] },
      { replicas: 9 },
    ),
  ),
  added(
    {
      id: 'S15',
      title: 'a key of a ConfigMap that is missing',
      slow: true,
      code: 'ContainerConfigError',
      contains: [/nokey/],
    },
    workload({}, { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'a', key: 'nokey' } } }] }),
  ),
  added(
    {
      id: 'S11',
      title: 'a program that is not in the image',
      code: 'ContainerCrashing',
      contains: [/code 127: the command was not found/, /build the program into the image/],
    },
    workload({}, { command: ['sh', '-c', 'exit 127'] }),
  ),
  added(
    {
      id: 'S11',
      title: 'a program of another processor',
      code: 'ContainerCrashing',
      contains: [/exec format error/, /built for another processor/],
    },
    workload({}, { command: ['sh', '-c', 'echo exec /app: exec format error; exit 255'] }),
  ),
  added(
    {
      id: 'S13',
      title: 'a startup probe that never succeeds',
      slow: true,
      code: 'ProbeFailing',
      contains: [/startupProbe/],
    },
    workload(
      {},
      { startupProbe: { httpGet: { path: '/does-not-exist', port: 80 }, periodSeconds: 1, failureThreshold: 2 } },
    ),
  ),
  added(
    {
      id: 'AnnotationIgnored',
      title: 'a kind of hook that there is not',
      code: 'AnnotationIgnored',
      contains: [/Write PreSync in place of PreSnyc/],
    },
    json('v1', 'ConfigMap', {}, { annotations: { 'argocd.argoproj.io/hook': 'PreSnyc' } }),
  ),
  added(
    {
      id: 'AnnotationIgnored',
      title: 'a policy of deletion of a hook that there is not',
      slow: true,
      code: 'AnnotationIgnored',
      contains: [/HookDone/, /HookSucceeded/],
    },
    json(
      'v1',
      'ConfigMap',
      {},
      { annotations: { 'argocd.argoproj.io/hook': 'PreSync', 'argocd.argoproj.io/hook-delete-policy': 'HookDone' } },
    ),
  ),
  added(
    {
      id: 'JobDeletesItself',
      title: 'a Job that is no hook and deletes itself',
      code: 'JobDeletesItself',
      contains: [/ttlSecondsAfterFinished/, /argocd\.argoproj\.io\/hook: Sync/],
    },
    json('batch/v1', 'Job', {
      spec: {
        ttlSecondsAfterFinished: 0,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'a:1', command: ['true'] }] } },
      },
    }),
  ),
  respecified(
    {
      id: 'DestinationInvalid',
      title: 'a destination with name and address',
      code: 'DestinationInvalid',
      contains: [/name/, /server/],
    },
    { destination: { name: 'in-cluster' } },
    { destination: { name: null } },
  ),
  respecified(
    { id: 'SourceMissing', title: 'a source without a path', code: 'SourceMissing', contains: [/spec\.source\.path/] },
    { source: { path: null } },
    { source: { path: 'app' } },
  ),
  respecified(
    {
      id: 'SourceReferenceUnusable',
      title: 'values of a source that nobody names',
      code: 'SourceReferenceUnusable',
      files: inChart,
      contains: [/\$live/, /ref: live/],
    },
    { source: { helm: { valueFiles: ['$live/values.yaml'] } } },
    { source: { helm: null } },
  ),
  {
    id: 'LinkLeavesRepository',
    title: 'a link that leads out of the repository',
    inject: async (stage) => {
      symlinkSync('/etc/hostname', `${stage.repository.url}/app/w.yaml`);
      stage.repository.git('add', '-A');
      stage.repository.git('commit', '-q', '-m', 'link');
      await stage.refresh();
    },
    code: 'LinkLeavesRepository',
    contains: [/app\/w\.yaml leads to an absolute path/, /by the file itself/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
];

function job(image: string): string {
  return json('batch/v1', 'Job', {
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'm', image, command: ['true'] }] } } },
  });
}
