import type { KubeObject } from '@tiphys/kubernetes';
import { startOciRegistry } from '../../packages/sources/registry/testing/index.ts';
import { configMap, deployment } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';
import { goodConfig, register } from './registered-cluster.ts';
import { answering, registered } from './route-faults.ts';

const json = (apiVersion: string, kind: string, more: object, metadata: object = {}) =>
  JSON.stringify({ apiVersion, kind, metadata: { name: 'w', ...metadata }, ...more });
const commit =
  (files: Readonly<Record<string, string | undefined>>) =>
  ({ commit: make }: Stage) =>
    Promise.resolve(make(files));

/** A definition by a group of the stage's own. */
const definition = (group: string, versions: readonly object[]): KubeObject =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `lanterns.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'lanterns', singular: 'lantern', kind: 'Lantern', listKind: 'LanternList' },
      versions,
    },
  }) as KubeObject;
const version = (name: string, schema: object) => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
});
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const project = async (stage: Stage, spec: object): Promise<void> => {
  await stage.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: stage.name, namespace: stage.world.namespace },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }], ...spec },
  } as KubeObject);
  await stage.patch({ project: stage.name });
};

/** A token of a service account that may see ConfigMaps alone. */
async function blindToken(stage: Stage): Promise<string> {
  const { namespace, name } = stage;
  const group = 'rbac.authorization.k8s.io';
  await stage.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'blind', namespace } });
  await stage.create({
    apiVersion: `${group}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }],
  } as KubeObject);
  await stage.create({
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: 'blind', namespace }],
  } as KubeObject);
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/blind/token`;
  const answer = await stage.world.client.request('POST', path, { body });
  return ((await answer.json()) as { status: { token: string } }).status.token;
}

const secret = (name: string) => json('v1', 'Secret', { stringData: { a: 'b' } }, { name });

/** Addresses of artifacts, by the name of the stage. */
const artifacts = new Map<string, string>();

/** Variants of the catalogue that no other row has. */
export const lateFaults: readonly Fault[] = [
  registered(
    {
      id: 'R1',
      title: 'a password that is registered and refused',
      code: 'RepositoryCredentialRefused',
      contains: [/refused the credential \(user \\"deploy\\"/, /Secret repo-/, /401/],
    },
    async () => ({
      secret: { username: 'deploy', password: 'MARKER-old' },
      mended: { password: 'right' },
      auth: { username: 'deploy', password: 'right' },
    }),
  ),
  answering(
    {
      id: 'R6',
      title: 'a host that refuses because a quota of requests is used up',
      code: 'RepositoryRateLimited',
      contains: [/0 of 5000 requests left, until \d{4}-/, /403/],
      excludes: [/RepositoryCredentialRefused/],
    },
    {
      status: 403,
      headers: {
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 5),
      },
    },
  ),
  {
    id: 'R9',
    title: 'a tag that is deleted',
    spec: ({ repository }) => {
      repository.git('tag', 'v1');
      return Promise.resolve({ source: { repoURL: repository.url, path: 'app', targetRevision: 'v1' } });
    },
    inject: async ({ repository, refresh }) => {
      repository.git('tag', 'v1.0');
      repository.git('tag', '-d', 'v1');
      await refresh();
    },
    code: 'RevisionNotFound',
    contains: [/\\"v1\\" was deleted from the repository; its last commit was/, /Set targetRevision to \\"v1\.0\\"/],
    mend: ({ patch }) => patch({ source: { targetRevision: 'main' } }),
  },
  {
    id: 'R9',
    title: 'a commit that the repository does not have',
    inject: ({ patch }) => patch({ source: { targetRevision: 'deadbeefdeadbeefdeadbeefdeadbeefdeadbeef' } }),
    code: 'RevisionNotFound',
    contains: [/The commit deadbeefdead is not in the repository/],
    mend: ({ patch }) => patch({ source: { targetRevision: 'main' } }),
  },
  {
    id: 'M11',
    title: 'a kind in a version that its definition does not have',
    inject: async (stage) => {
      const group = `${stage.name}.late.example`;
      await stage.create(definition(group, [version('v1beta1', open)]));
      stage.commit({ 'app/w.yaml': json(`${group}/v1`, 'Lantern', {}) });
    },
    code: 'ApiVersionMissing',
    cause: 'C14',
    contains: [/Version \\"v1beta1\\" of \S+ is installed/, /app\/w\.yaml/, /apiVersion: \S+\.late\.example\/v1beta1/],
    mend: (stage) => commit({ 'app/w.yaml': json(`${stage.name}.late.example/v1beta1`, 'Lantern', {}) })(stage),
  },
  {
    id: 'M12',
    title: 'a misspelt field of a custom resource',
    inject: async (stage) => {
      const group = `${stage.name}.late.example`;
      await stage.create(
        definition(group, [
          version('v1', {
            type: 'object',
            properties: { spec: { type: 'object', properties: { colour: { type: 'string' } } } },
          }),
        ]),
      );
      stage.commit({ 'app/w.yaml': json(`${group}/v1`, 'Lantern', { spec: { color: 'red' } }) });
    },
    code: 'FieldUnknown',
    contains: [/Unknown field spec\.color/, /Write colour in place of spec\.color/, /app\/w\.yaml/],
    mend: (stage) =>
      commit({ 'app/w.yaml': json(`${stage.name}.late.example/v1`, 'Lantern', { spec: { colour: 'red' } }) })(stage),
  },
  {
    id: 'C19',
    title: 'a kind that the project forbids',
    inject: async (stage) => {
      await project(stage, { namespaceResourceBlacklist: [{ group: '', kind: 'Secret' }] });
      stage.commit({ 'app/s.yaml': secret('s') });
    },
    code: 'NotPermitted',
    contains: [/resource :Secret is not permitted/, /namespaceResourceBlacklist/, /app\/s\.yaml/],
    mend: commit({ 'app/s.yaml': undefined }),
  },
  {
    id: 'C19',
    title: 'a repository that the project does not permit',
    inject: (stage) => project(stage, { sourceRepos: ['https://git.example.com/team/*'] }),
    code: 'NotPermitted',
    contains: [/none of spec\.sourceRepos matches/, /git\.example\.com\/team/],
    mend: ({ patch }) => patch({ project: 'default' }),
  },
  {
    id: 'C19',
    title: 'a dependency of a chart in a repository that the project does not permit',
    files: {
      'app/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'app/templates/a.yaml': configMap('a', 'one'),
    },
    inject: async (stage) => {
      await project(stage, { sourceRepos: [stage.repository.url] });
      stage.commit({
        'app/Chart.yaml':
          'apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n- {name: redis, version: 1.0.0, repository: "http://127.0.0.1:1/charts"}\n',
      });
    },
    code: 'DependencyNotPermitted',
    cause: 'M3',
    contains: [/127\.0\.0\.1:1\/charts are not permitted/, /spec\.sourceRepos/],
    mend: commit({ 'app/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n' }),
  },
  {
    id: 'C17',
    title: 'a cluster whose name nobody knows',
    inject: (stage) =>
      register(stage, { server: 'https://api.no-such-cluster.invalid:6443', config: goodConfig(stage) }),
    code: 'ClusterNameUnresolved',
    contains: [/DNS does not resolve api\.no-such-cluster\.invalid/],
    excludes: [/ClusterConnectionRefused|ClusterUnauthorized/],
    mend: ({ patch }) => patch({ destination: { server: 'https://kubernetes.default.svc', name: null } }),
  },
  {
    id: 'C12',
    title: 'a namespace that is being deleted and that an object keeps',
    inject: async (stage) => {
      const { world, namespace } = stage;
      await world.client.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'kept', namespace, finalizers: ['late.example/never'] },
      } as KubeObject);
      await world.client.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
      stage.commit({ 'app/b.yaml': configMap('b', 'one') });
    },
    code: 'NamespaceTerminating',
    contains: [/late\.example\/never in 1 resource/, /configmaps\. has 1 resource/],
  },
  {
    id: 'S11',
    title: 'a program that ends with an exit code of its own',
    inject: commit({
      'app/w.yaml': deployment('w', { podAnnotations: { 'sandbox.tiphys.dev/behavior': 'exit:3' } }),
    }),
    code: 'ContainerCrashing',
    contains: [/exits with code 3/],
    mend: commit({ 'app/w.yaml': deployment('w') }),
  },
  {
    id: 'R12',
    title: 'a registry that wants a credential for an artifact',
    spec: async ({ name, closeLater }) => {
      const registry = await startOciRegistry({ auth: { kind: 'bearer', username: 'u', password: 'MARKER-pull' } });
      closeLater(() => registry.close());
      artifacts.set(name, `oci://${registry.url.replace(/^https?:\/\//, '')}/shop/app`);
      return {};
    },
    inject: async (stage) => {
      const url = artifacts.get(stage.name) as string;
      await stage.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `repo-${stage.name}`,
          namespace: stage.world.namespace,
          labels: { 'argocd.argoproj.io/secret-type': 'repository' },
        },
        stringData: { type: 'oci', url, insecureOCIForceHttp: 'true' },
      } as KubeObject);
      await stage.patch({ source: { repoURL: url, targetRevision: '1.0.0' } });
    },
    code: 'RegistryCredentialRefused',
    contains: [/wants credentials and none were given/, /repository:shop\/app:pull/],
    excludes: [/RegistryUnreachable/],
    mend: ({ patch, repository }) => patch({ source: { repoURL: repository.url, targetRevision: 'main' } }),
  },
  {
    id: 'S4',
    title: 'a hook that waits while its correction is committed already',
    inject: async ({ commit: make, until }) => {
      const job = {
        template: {
          spec: { serviceAccountName: 'nobody', restartPolicy: 'Never', containers: [{ name: 'm', image: 'a' }] },
        },
      };
      make({
        'app/h.yaml': json('batch/v1', 'Job', { spec: job }, { annotations: { 'argocd.argoproj.io/hook': 'PreSync' } }),
        'app/a.yaml': configMap('a', 'two'),
      });
      await until(
        'the hook to wait',
        ({ status }) => status?.operationState?.message?.includes('hook batch/Job') ?? false,
      );
      make({ 'app/h.yaml': undefined });
    },
    code: 'WaveBlocked',
    contains: [
      /ServiceAccount nobody does not exist/,
      /"name":"newer revision"/,
      /A newer revision waits.*terminate-op/,
    ],
    mend: async ({ world, name }) =>
      world.rest('DELETE', `/api/v1/applications/${name}/operation?appNamespace=${world.namespace}`),
  },
  {
    id: 'S6',
    title: 'a retry that is minutes away when the correction is committed',
    spec: {
      syncPolicy: { automated: { prune: true }, retry: { limit: 5, backoff: { duration: '10m', maxDuration: '10m' } } },
    },
    inject: commit({ 'app/w.yaml': json('v1', 'Service', { spec: { ports: [{ port: 80 }, { port: 81 }] } }) }),
    code: 'ObjectInvalid',
    cause: 'ObjectInvalid',
    contains: [/spec\.ports\[0\]\.name: Required value/],
    mend: commit({ 'app/w.yaml': json('v1', 'Service', { spec: { ports: [{ port: 80 }] } }) }),
  },
  {
    id: 'S14',
    title: 'a claim that waits for its first pod',
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: `late-${stage.name}` },
        provisioner: 'late.example/none',
        volumeBindingMode: 'WaitForFirstConsumer',
      } as KubeObject);
      stage.commit({
        'app/w.yaml': json('v1', 'PersistentVolumeClaim', {
          spec: {
            storageClassName: `late-${stage.name}`,
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
          },
        }),
      });
    },
    code: 'VolumeClaimPending',
    contains: [/waits for the first pod/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  {
    id: 'C1',
    title: 'an identity that may not see what an application has',
    inject: async (stage) => {
      stage.commit({ 'app/d.yaml': deployment('w') });
      const token = await blindToken(stage);
      await register(stage, {
        server: stage.world.cluster.config.server.replace('127.0.0.1', 'localhost'),
        config: goodConfig(stage, { bearerToken: token }),
      });
    },
    code: 'AccessDenied',
    contains: [/blind may not (get|list) deployments\.apps/, /resources: \[\\"deployments\\"\]/],
    excludes: [/ClusterUnauthorized/],
    mend: ({ patch }) => patch({ destination: { server: 'https://kubernetes.default.svc', name: null } }),
  },
];
