import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';
import { addressOf, goodConfig, register, reregister } from './registered-cluster.ts';

const ref = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });

/** Sets a key of argocd-cm; null takes it out. Other applications have the same settings: a value may only concern kinds that none has. */
const setting = ({ world }: Stage, key: string, value: string | null) =>
  world.client.patch(ref(world.namespace, 'argocd-cm'), 'merge', { data: { [key]: value } });

const ignoredOf = (kind: string) => `resource.customizations.ignoreDifferences.tiphys.example_${kind}`;
const kustomized = { 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'app/a.yaml': configMap('a', 'one') };

async function inProject({ world, create, patch, name }: Stage, timeZone: string): Promise<void> {
  await create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: world.namespace },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      syncWindows: [{ kind: 'allow', schedule: '* * * * *', duration: '1h', applications: ['*'], timeZone }],
    },
  });
  await patch({ project: name });
}

/** Faults that were met by walking about: what is wrong is not where it shows. */
export const freshFaults: readonly Fault[] = [
  {
    id: 'M4',
    title: 'an image of the application that no container of a kustomization has',
    files: kustomized,
    inject: ({ patch, repository }) =>
      patch({
        source: { repoURL: repository.url, path: 'app', targetRevision: 'main', kustomize: { images: ['web=web:2'] } },
      }),
    code: 'KustomizationEntryIdle',
    contains: [/"field":"spec\.source\.kustomize\.images\[0\]"/, /no container has the image web/],
    excludes: [/kustomization\.yaml/],
    mend: ({ patch }) => patch({ source: { kustomize: null } }),
  },
  {
    id: 'M4',
    title: 'replicas of the application for what a kustomization does not have',
    files: kustomized,
    inject: ({ patch }) => patch({ source: { kustomize: { replicas: [{ name: 'web', count: 3 }] } } }),
    code: 'KustomizationInvalid',
    contains: [/"field":"spec\.source\.kustomize\.replicas\[0\]"/],
    excludes: [/kustomization\.yaml/],
    mend: ({ patch }) => patch({ source: { kustomize: null } }),
  },
  {
    id: 'R9',
    title: 'a branch by the name that git gives it in a clone',
    inject: ({ patch }) => patch({ source: { targetRevision: 'origin/main' } }),
    code: 'RevisionNotFound',
    contains: [/targetRevision: main/],
    mend: ({ patch }) => patch({ source: { targetRevision: 'main' } }),
  },
  {
    id: 'R9',
    title: 'a tag on a tree',
    inject: async ({ repository, patch }) => {
      repository.git('tag', 'on-a-tree', repository.git('rev-parse', 'HEAD^{tree}').trim());
      await patch({ source: { targetRevision: 'on-a-tree' } });
    },
    code: 'RevisionNotFound',
    contains: [/The tag on-a-tree leads to [0-9a-f]{12}, which is no commit/, /git tag -f on-a-tree COMMIT/],
    excludes: [/is not in the repository/],
    mend: ({ patch }) => patch({ source: { targetRevision: 'main' } }),
  },
  {
    id: 'R10',
    title: 'a folder in capitals',
    inject: ({ patch }) => patch({ source: { path: 'App' } }),
    code: 'PathMissing',
    contains: [/"paste":"path: app"/],
    mend: ({ patch }) => patch({ source: { path: 'app' } }),
  },
  {
    id: 'R13',
    title: 'a repository that was added as a folder, without an entry in .gitmodules',
    inject: async ({ repository, patch }) => {
      const commit = repository.git('rev-parse', 'HEAD').trim();
      repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},vendor`);
      repository.git('commit', '-qm', 'add vendor');
      await patch({ source: { path: 'vendor' } });
    },
    code: 'SubmoduleUnreadable',
    contains: [/git submodule add URL vendor/, /git rm --cached vendor/],
    excludes: [/its own credentials/],
    mend: ({ patch }) => patch({ source: { path: 'app' } }),
  },
  {
    id: 'ValueFileMissing',
    title: 'a file of a Helm parameter that is not there',
    files: {
      'app/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'app/templates/a.yaml': configMap('a', 'one'),
    },
    inject: ({ patch }) => patch({ source: { helm: { fileParameters: [{ name: 'a', path: 'gone.txt' }] } } }),
    code: 'ValueFileMissing',
    contains: [/fileParameters\[0\]\.path/, /or add the file/],
    excludes: [/ignoreMissingValueFiles/],
    mend: ({ patch }) => patch({ source: { helm: null } }),
  },
  {
    id: 'C17',
    title: 'a name of a cluster with a blank at its end',
    inject: ({ patch }) => patch({ destination: { server: null, name: 'in-cluster ' } }),
    code: 'ClusterNotFound',
    contains: [/Write in-cluster, which is registered/],
    mend: ({ patch }) => patch({ destination: { name: 'in-cluster' } }),
  },
  {
    id: 'C17',
    title: 'a proxy of a cluster at whose address nothing listens',
    cluster: true,
    inject: (stage) =>
      register(stage, {
        server: `https://${stage.name}.example:6443`,
        config: { bearerToken: 'MARKER-token', proxyUrl: 'http://127.0.0.1:1' },
      }),
    code: 'ClusterProxyFailed',
    contains: [/The proxy 127\.0\.0\.1:1 of the cluster/, /"remote":"http:\/\/127\.0\.0\.1:1"/, /proxyUrl/],
    excludes: [/the API server is down/],
    mend: async (stage) => reregister(stage, { server: await addressOf(stage), config: goodConfig(stage) }),
  },
  {
    id: 'C17',
    title: 'a client certificate of a cluster that is none',
    cluster: true,
    inject: (stage) =>
      register(stage, {
        server: `https://${stage.name}.example:6443`,
        config: { tlsClientConfig: { certData: 'TUFSS0VS', keyData: 'TUFSS0VS' } },
      }),
    code: 'ClusterCredentialUnreadable',
    contains: [/client certificate or the key .* cannot be read/, /certData and keyData/],
    mend: async (stage) => reregister(stage, { server: await addressOf(stage), config: goodConfig(stage) }),
  },
  {
    id: 'SyncWindowZoneUnknown',
    title: 'a sync window in a time zone that there is not',
    inject: (stage) => inProject(stage, 'Europe/Berlim'),
    code: 'SyncWindowZoneUnknown',
    contains: [/Europe\/Berlim/, /counts in UTC/, /Write Europe\/Berlin/],
    mend: ({ world, name }) =>
      world.client.patch(
        { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace: world.namespace, name },
        'merge',
        {
          spec: {
            syncWindows: [
              { kind: 'allow', schedule: '* * * * *', duration: '1h', applications: ['*'], timeZone: 'Europe/Berlin' },
            ],
          },
        },
      ),
  },
  {
    id: 'AnnotationIgnored',
    title: 'a weight of a Helm hook that is no number',
    inject: ({ commit }) =>
      Promise.resolve(commit({ 'app/b.yaml': configMap('b', 'one', { 'helm.sh/hook-weight': 'first' }) })),
    code: 'AnnotationIgnored',
    contains: [/\\"first\\" of the annotation helm\.sh\/hook-weight/, /the hook has the weight 0/],
    mend: ({ commit }) => Promise.resolve(commit({ 'app/b.yaml': undefined })),
  },
  {
    id: 'S18',
    title: 'an autoscaler of a Deployment that is a StatefulSet',
    files: {
      'app/a.yaml': `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  serviceName: web
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: "shop/web:1"}]}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80}]}
`,
    },
    inject: ({ commit }) =>
      Promise.resolve(
        commit({
          'app/b.yaml': `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
`,
        }),
      ),
    code: 'AutoscalerFailing',
    contains: [/Name StatefulSet web, which is there/, /kind: StatefulSet/],
    mend: ({ commit }) => Promise.resolve(commit({ 'app/b.yaml': undefined })),
  },
  {
    id: 'CustomizationInvalid',
    title: 'a pointer of ignored differences of argocd-cm that is none',
    inject: (stage) => setting(stage, ignoredOf('Lamp'), 'jsonPointers: [spec/replicas]\n'),
    code: 'CustomizationInvalid',
    contains: [/ignoreDifferences\.tiphys\.example_Lamp/, /ConfigMap argocd-cm/, /a JSON pointer begins with \//],
    excludes: [/spec\.ignoreDifferences/],
    mend: (stage) => setting(stage, ignoredOf('Lamp'), null),
  },
  {
    id: 'CustomizationInvalid',
    title: 'a field of ignored differences of argocd-cm that there is not',
    inject: (stage) => setting(stage, ignoredOf('Door'), 'jsonPointer: [/spec/replicas]\n'),
    code: 'CustomizationInvalid',
    contains: [/found jsonPointer, wanted jsonPointers/],
    mend: (stage) => setting(stage, ignoredOf('Door'), null),
  },
];
