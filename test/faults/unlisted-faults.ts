import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const commit = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

const json = (apiVersion: string, kind: string, name: string, rest: object): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name }, ...rest });

function deployment(container: object, pod: object = {}): string {
  return json('apps/v1', 'Deployment', 'web', {
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'registry.example/app:1', ...container }], ...pod },
      },
    },
  });
}

function statefulSet(image: string, more: object = {}): string {
  return json('apps/v1', 'StatefulSet', 'db', {
    spec: {
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'main', image }] } },
      ...more,
    },
  });
}

/** Without pods: the claims of a template are never made. */
const claims = (storage: string) => ({
  replicas: 0,
  volumeClaimTemplates: [
    { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } },
  ],
});

/** One file is wrong after a commit, and right again after another. */
const spoilt = (
  fault: Omit<Fault, 'inject' | 'mend' | 'files'>,
  manifest: string,
  right: string = configMap('w', 'one'),
): Fault => ({
  ...fault,
  files: { 'app/a.yaml': configMap('a', 'one'), 'app/w.yaml': right },
  inject: commit({ 'app/w.yaml': manifest }),
  mend: commit({ 'app/w.yaml': right }),
});

const pod = (fault: Omit<Fault, 'inject' | 'mend' | 'files'>, container: object, rest: object = {}): Fault =>
  spoilt(fault, deployment(container, rest), deployment({}));

/** Faults that no list of failures has: each was shown wrongly, or not at all, before it became a row. */
export const unlistedFaults: readonly Fault[] = [
  pod(
    {
      id: 'S10',
      title: 'an image that the node lacks and may not pull',
      code: 'ImagePullFailed',
      contains: [/imagePullPolicy is Never/, /IfNotPresent/],
      excludes: [/backs off/],
    },
    { image: 'registry.example/does-not-exist:1', imagePullPolicy: 'Never' },
  ),
  pod(
    {
      id: 'S11',
      title: 'a program that comes to its end',
      code: 'ContainerCrashing',
      contains: [/comes to its end without an error/, /a Job/],
      excludes: [/Correct the command/],
    },
    { command: ['true'] },
  ),
  pod(
    {
      id: 'S11',
      title: 'a program that a signal ends',
      code: 'ContainerCrashing',
      contains: [/is ended by SIGSEGV \(code 139\)/],
    },
    { command: ['sh', '-c', 'exit 139'] },
  ),
  pod(
    {
      id: 'S9',
      title: 'a pod with a scheduling gate',
      code: 'PodSchedulingGated',
      contains: [/scheduling gate shop\.example\/queue/, /does not remove it/],
      excludes: [/Add nodes/],
    },
    {},
    { schedulingGates: [{ name: 'shop.example/queue' }] },
  ),
  pod(
    {
      id: 'S9',
      title: 'a scheduler that nobody runs',
      code: 'PodNotScheduled',
      contains: [/Scheduler nobody has not looked at the pod/, /schedulerName/],
      excludes: [/Add nodes/],
    },
    {},
    { schedulerName: 'nobody' },
  ),
  pod(
    {
      id: 'S13',
      title: 'a readiness gate that nobody sets',
      code: 'ReadinessGateWaiting',
      contains: [/readiness gate shop\.example\/ready/, /nobody has set it/],
      excludes: [/ProbeFailing/],
    },
    {},
    { readinessGates: [{ conditionType: 'shop.example/ready' }] },
  ),
  {
    id: 'S4',
    title: 'a StatefulSet that waits for a pod of the broken revision after the correction',
    files: { 'app/w.yaml': statefulSet('registry.example/db:1') },
    inject: async (stage) => {
      stage.commit({ 'app/w.yaml': statefulSet('registry.example/does-not-exist:2') });
      await stage.until('the broken revision', ({ status }) =>
        JSON.stringify(status?.diagnoses ?? []).includes('ImagePullFailed'),
      );
      stage.commit({ 'app/w.yaml': statefulSet('registry.example/db:3') });
    },
    code: 'StatefulSetBlockedByOldPod',
    contains: [/waits for Pod db-0 of the older revision/, /kubectl delete pod/],
    mend: ({ world, namespace }) => world.client.delete({ apiVersion: 'v1', kind: 'Pod', namespace, name: 'db-0' }),
  },
  spoilt(
    {
      id: 'M11',
      title: 'a kind of Kubernetes in wrong letters',
      code: 'SyncKindUnknown',
      contains: [/v1 has no kind Configmap, but ConfigMap/, /Write ConfigMap/, /app\/w\.yaml/],
      excludes: [/CustomResourceDefinition/, /CRD/],
    },
    'apiVersion: v1\nkind: Configmap\nmetadata: {name: w}\n',
  ),
  {
    ...spoilt(
      {
        id: 'GeneratedNameNotCompared',
        title: 'an object without a name of its own',
        code: 'GeneratedNameNotCompared',
        contains: [/each sync makes another object/, /app\/w\.yaml/],
      },
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: w-}\n',
    ),
  },
  spoilt(
    {
      id: 'M9',
      title: 'a template outside of a chart',
      code: 'InvalidYaml',
      contains: [/Line 4 holds a template expression/, /chart/, /directory\.exclude/],
      excludes: [/Correct line 4/],
    },
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n',
  ),
  spoilt(
    {
      id: 'M12',
      title: 'a Secret that nobody has decrypted',
      code: 'ManifestEncrypted',
      contains: [/encrypted with SOPS/, /plugin/],
      excludes: [/Validate=false/, /base64/],
    },
    'apiVersion: v1\nkind: Secret\nmetadata: {name: w}\ndata: {password: "ENC[AES256_GCM,data:MARKER,type:str]"}\nsops: {version: 3.9.0}\n',
  ),
  spoilt(
    {
      id: 'M12',
      title: 'a number where a text is wanted',
      code: 'ManifestFieldInvalid',
      contains: [/data\.port must be a text, found 80/, /Write data\.port: \\"80\\"/],
    },
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w}\ndata: {port: 80}\n',
  ),
  spoilt(
    {
      id: 'ObjectInvalid',
      title: 'an object beyond what one may hold',
      code: 'ObjectInvalid',
      contains: [/Split the object/, /size of the manifest/],
      excludes: [/ServerSideApply/],
    },
    json('v1', 'ConfigMap', 'w', { data: { big: 'x'.repeat(1_100_000) } }),
  ),
  spoilt(
    {
      id: 'ObjectInvalid',
      title: 'an object too large for the annotation of client-side apply',
      code: 'ObjectInvalid',
      contains: [/ServerSideApply=true/],
      excludes: [/Split the object/],
    },
    json('v1', 'ConfigMap', 'w', { data: { big: 'x'.repeat(300_000) } }),
  ),
  {
    id: 'ObjectInvalid',
    title: 'a port of nodes that another Service has',
    files: { 'app/a.yaml': configMap('a', 'one') },
    inject: async (stage) => {
      const spec = { type: 'NodePort', ports: [{ port: 80 }] };
      const metadata = { name: 'other', namespace: stage.namespace };
      const other = await stage.create({ apiVersion: 'v1', kind: 'Service', metadata, spec });
      const { nodePort } = (other.spec as { ports: { nodePort: number }[] }).ports[0] ?? { nodePort: 0 };
      stage.commit({
        'app/w.yaml': json('v1', 'Service', 'w', { spec: { ...spec, ports: [{ port: 80, nodePort }] } }),
      });
    },
    code: 'ObjectInvalid',
    contains: [/already allocated/, /Leave nodePort out/, /kubectl get services -A/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  spoilt(
    {
      id: 'C8',
      title: 'claims of a StatefulSet that cannot be changed',
      code: 'ImmutableField',
      contains: [/spec\.volumeClaimTemplates cannot be changed/, /1Gi.*→.*2Gi/, /--cascade=orphan/],
    },
    statefulSet('registry.example/db:1', claims('2Gi')),
    statefulSet('registry.example/db:1', claims('1Gi')),
  ),
  {
    id: 'R14',
    title: 'a commit that nobody has signed, for a project that trusts keys alone',
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata: { name: stage.name, namespace: stage.world.namespace },
        spec: {
          sourceRepos: ['*'],
          destinations: [{ server: '*', namespace: '*' }],
          signatureKeys: [{ keyID: '4AEE18F83AFDEB23' }],
        },
      });
      await stage.patch({ project: stage.name });
      stage.commit({ 'app/a.yaml': configMap('a', 'two') });
    },
    code: 'CommitNotTrusted',
    contains: [/Failed verifying revision/, /unsigned/, /Sign the commit with a key that the project permits/],
    mend: (stage) => stage.patch({ project: 'default' }),
  },
  {
    id: 'M4',
    title: 'two files for one kustomization',
    files: { 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'app/a.yaml': configMap('a', 'one') },
    inject: commit({ 'app/kustomization.yml': 'resources: [a.yaml]\n' }),
    code: 'KustomizationInvalid',
    contains: [/Found multiple kustomization files/, /Keep one of kustomization\.yaml, kustomization\.yml/],
    mend: commit({ 'app/kustomization.yml': undefined }),
  },
  {
    id: 'M4',
    title: 'a generator that names a file that is not there',
    files: { 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'app/a.yaml': configMap('a', 'one') },
    inject: commit({
      'app/kustomization.yaml': 'resources: [a.yaml]\nconfigMapGenerator:\n- name: x\n  files: [gone.txt]\n',
    }),
    code: 'KustomizationPathMissing',
    contains: [/gone\.txt/, /Correct the path in app\/kustomization\.yaml/],
    mend: commit({ 'app/kustomization.yaml': 'resources: [a.yaml]\n' }),
  },
  {
    id: 'M1',
    title: 'a template that includes one that nobody defines',
    files: {
      'app/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'app/templates/a.yaml': configMap('a', 'one'),
    },
    inject: commit({ 'app/templates/a.yaml': configMap('a', '{{ include \\"shop.gone\\" . }}').replaceAll('\\', '') }),
    code: 'HelmRenderFailed',
    contains: [/no template/, /shop\.gone/, /Define it/, /"line":7/],
    mend: commit({ 'app/templates/a.yaml': configMap('a', 'one') }),
  },
];
