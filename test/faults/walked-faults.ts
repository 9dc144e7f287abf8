import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const commit = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

const inKustomization = { 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'app/a.yaml': configMap('a', 'one') };
const patched = (path: string) =>
  `resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap, name: a}\n  patch: |-\n    - {op: add, path: ${path}, value: two}\n`;

const deployment = (paused: boolean) =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'w' },
    spec: {
      paused,
      selector: { matchLabels: { app: 'w' } },
      template: {
        metadata: { labels: { app: 'w' } },
        spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
      },
    },
  });

const generating = {
  'app/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'app/templates/a.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata: {name: w}\nstringData: {password: {{ randAlphaNum 20 | quote }}}\n',
};

const automated = { automated: { prune: true, selfHeal: true } };

/** What a walk over faults that nobody had tried found told wrongly, or not at all. */
export const walkedFaults: readonly Fault[] = [
  {
    id: 'ObjectInvalid',
    title: 'a namespace of the destination whose name can be none, which the sync is to create',
    spec: {
      destination: { server: 'https://kubernetes.default.svc', namespace: 'Not_A_Name' },
      syncPolicy: { ...automated, syncOptions: ['CreateNamespace=true'] },
    },
    fromStart: true,
    code: 'ObjectInvalid',
    contains: [/Not_A_Name/, /Correct spec\.destination\.namespace of the Application/],
    excludes: [/Correct metadata\.name/],
    mend: ({ patch, namespace }) => patch({ destination: { namespace } }),
  },
  {
    id: 'ObjectInvalid',
    title: 'a label of the namespace of the destination that can be none',
    spec: {
      syncPolicy: {
        ...automated,
        managedNamespaceMetadata: { labels: { team: 'two words' } },
        syncOptions: ['CreateNamespace=true'],
      },
    },
    fromStart: true,
    code: 'ObjectInvalid',
    contains: [/two words/, /Correct spec\.syncPolicy\.managedNamespaceMetadata\.labels of the Application/],
    excludes: [/in the manifest/],
    mend: ({ patch }) => patch({ syncPolicy: { managedNamespaceMetadata: { labels: { team: 'one' } } } }),
  },
  {
    id: 'S6',
    title: 'a sync that was given up because of its destination, which is corrected then',
    spec: {
      destination: { server: 'https://kubernetes.default.svc', namespace: 'Not_A_Name' },
      syncPolicy: { ...automated, retry: { limit: 0 }, syncOptions: ['CreateNamespace=true'] },
    },
    fromStart: true,
    code: 'AutoSyncGaveUp',
    contains: [/Not_A_Name/],
    mend: ({ patch, namespace }) => patch({ destination: { namespace } }),
  },
  {
    id: 'S6',
    title: 'a sync that was given up because of a label of its namespace, which is corrected then',
    spec: {
      syncPolicy: {
        ...automated,
        retry: { limit: 0 },
        managedNamespaceMetadata: { labels: { team: 'two words' } },
        syncOptions: ['CreateNamespace=true'],
      },
    },
    fromStart: true,
    code: 'AutoSyncGaveUp',
    contains: [/two words/],
    mend: ({ patch }) => patch({ syncPolicy: { managedNamespaceMetadata: { labels: { team: 'one' } } } }),
  },
  {
    id: 'R10',
    title: 'a hydration of a folder that is not there',
    spec: async ({ repository }) => ({
      source: undefined as never,
      sourceHydrator: {
        drySource: { repoURL: repository.url, path: 'gone', targetRevision: 'main' },
        syncSource: { targetBranch: 'env/hydrated', path: 'out' },
      },
    }),
    fromStart: true,
    code: 'PathMissing',
    contains: [/gone: app path does not exist/],
    excludes: [/Set targetRevision to a branch/],
  },
  {
    id: 'M4',
    title: 'a path of a JSON patch without a slash in front',
    files: inKustomization,
    inject: commit({ 'app/kustomization.yaml': patched('data/k') }),
    code: 'KustomizationPatchPath',
    contains: [
      /\\"data\/k\\" of patches\[0\] does not begin with \//,
      /Write \\"\/data\/k\\"/,
      /app\/kustomization\.yaml/,
    ],
    mend: commit({ 'app/kustomization.yaml': patched('/data/k') }),
  },
  {
    id: 'M4',
    title: 'a base out of the repository',
    files: inKustomization,
    inject: commit({ 'app/kustomization.yaml': 'resources: [a.yaml, ../../../shared]\n' }),
    code: 'KustomizationEscapes',
    contains: [/The path \.\.\/\.\.\/\.\.\/shared leads out of the repository/, /app\/kustomization\.yaml/],
    mend: commit({ 'app/kustomization.yaml': 'resources: [a.yaml]\n' }),
  },
  {
    id: 'SourceEmpty',
    title: 'a pattern of files that is not closed',
    inject: ({ patch }) => patch({ source: { directory: { include: '{a.yaml,b.yaml' } } }),
    code: 'SourceEmpty',
    contains: [/directory\.include of the source, \\"\{a\.yaml,b\.yaml\\", is no pattern/, /Close what/],
    excludes: [/Commit a manifest/],
    mend: ({ patch }) => patch({ source: { directory: null } }),
  },
  {
    id: 'ProjectPolicyIdle',
    title: 'a policy of a role about another project',
    inject: async (stage) => {
      const { world, name, patch } = stage;
      await stage.create({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata: { name, namespace: world.namespace },
        spec: {
          sourceRepos: ['*'],
          destinations: [{ server: '*', namespace: '*' }],
          roles: [{ name: 'ci', policies: [`p, proj:${name}:ci, applications, sync, other/*, allow`] }],
        },
      });
      await patch({ project: name });
    },
    code: 'ProjectPolicyIdle',
    contains: [
      /its object other\/\* is not of this project/,
      /spec\.roles\[0\]\.policies\[0\]/,
      /APPLICATION as its object/,
    ],
    mend: ({ patch }) => patch({ project: 'default' }),
  },
  {
    id: 'DeploymentPaused',
    title: 'a Deployment that is paused',
    files: { 'app/w.yaml': deployment(false) },
    inject: commit({ 'app/w.yaml': deployment(true) }),
    code: 'DeploymentPaused',
    contains: [/Deployment w is paused/, /Remove spec\.paused from the manifest/, /app\/w\.yaml/],
    mend: commit({ 'app/w.yaml': deployment(false) }),
  },
  {
    id: 'M10',
    title: 'a generated value that live holds otherwise',
    files: generating,
    // the record is lost, and what is rendered anew is another value than the live one
    inject: async ({ world, name }) => {
      await world.client.delete({
        apiVersion: 'v1',
        kind: 'Secret',
        namespace: world.namespace,
        name: `tiphys-generated-${name}`,
      });
      await world.rest('GET', `/api/v1/applications/${name}?appNamespace=${world.namespace}&refresh=hard`);
    },
    code: 'GeneratedValuesDiffer',
    contains: [/data\.password/],
    mend: ({ sync }) => sync(),
  },
  {
    id: 'S6',
    title: 'a retry that cannot be read, and is corrected without a commit',
    spec: { syncPolicy: { ...automated, retry: { limit: 3, backoff: { duration: 'soon' } } } },
    inject: async (stage) => {
      stage.commit({ 'app/w.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w}\ndata: {k: 5}\n' });
    },
    code: 'AutoSyncGaveUp',
    contains: [/syncPolicy\.retry\.backoff\.duration: found \\"soon\\"/, /Commit a correction/],
    mend: async ({ patch, commit: correct }) => {
      correct({ 'app/w.yaml': undefined });
      await patch({ syncPolicy: { retry: { limit: 3, backoff: { duration: '1s' } } } });
    },
  },
  {
    id: 'M1',
    title: 'a name of a Helm parameter whose index is no number',
    files: {
      'app/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'app/templates/a.yaml': configMap('a', 'one'),
    },
    inject: ({ patch }) =>
      patch({
        source: {
          helm: {
            parameters: [
              { name: 'good', value: 'x' },
              { name: 'list[a]', value: 'x' },
            ],
          },
        },
      }),
    code: 'HelmValuesInvalid',
    contains: [/"field":"spec\.source\.helm\.parameters\[1\]"/, /--set list\[a\]=x/],
    mend: ({ patch }) => patch({ source: { helm: null } }),
  },
  {
    id: 'M4',
    title: 'a patch of the Application that is no YAML',
    files: inKustomization,
    inject: ({ patch }) =>
      patch({
        source: {
          kustomize: { patches: [{ target: { kind: 'ConfigMap' }, patch: '- op: add\n  path: /data/b\n value: x\n' }] },
        },
      }),
    code: 'KustomizationInvalid',
    contains: [/"field":"spec\.source\.kustomize\.patches\[0\]"/, /yaml: line 2/],
    excludes: [/kustomization\.yaml/],
    mend: ({ patch }) => patch({ source: { kustomize: null } }),
  },
  {
    id: 'M6',
    title: 'code of a variable of Jsonnet that is cut off',
    files: { 'app/main.jsonnet': '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: std.extVar("name")}}\n' },
    spec: ({ repository }) =>
      Promise.resolve({
        source: {
          repoURL: repository.url,
          path: 'app',
          targetRevision: 'main',
          directory: { jsonnet: { extVars: [{ name: 'name', value: '"a"', code: true }] } },
        },
      }),
    inject: ({ patch }) =>
      patch({ source: { directory: { jsonnet: { extVars: [{ name: 'name', value: '"a" +', code: true }] } } } }),
    code: 'JsonnetFailed',
    contains: [/"field":"spec\.source\.directory\.jsonnet\.extVars\[name=name\]"/, /an expression of Jsonnet/],
    excludes: [/Correct the program/],
    mend: ({ patch }) =>
      patch({ source: { directory: { jsonnet: { extVars: [{ name: 'name', value: '"a"', code: true }] } } } }),
  },
];
