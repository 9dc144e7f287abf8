import { configMap, deployment } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const commit = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

const job = (
  name: string,
  command: string,
  more: object = {},
  annotations: object = { 'argocd.argoproj.io/hook': 'PreSync' },
) =>
  JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations },
    spec: {
      backoffLimit: 0,
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x', command: ['sh', '-c', command] }] },
      },
      ...more,
    },
  });

export const syncFaults: readonly Fault[] = [
  {
    id: 'C6',
    title: 'a quota without room for an object',
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'small', namespace: stage.namespace },
        spec: { hard: { 'count/secrets': '0' } },
      });
      await stage.world.waitFor(
        { apiVersion: 'v1', kind: 'ResourceQuota', namespace: stage.namespace, name: 'small' },
        'the quota to be counted',
        (quota) => (quota?.status as { hard?: object } | undefined)?.hard !== undefined,
      );
      stage.commit({ 'app/b.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: b}\n' });
    },
    code: 'QuotaExceeded',
    contains: [/small/, /count\/secrets/, /app\/b\.yaml/],
    mend: ({ world, namespace }) =>
      world.client.delete({ apiVersion: 'v1', kind: 'ResourceQuota', namespace, name: 'small' }),
  },
  {
    id: 'C8',
    title: 'a field that cannot be changed',
    files: { 'app/a.yaml': deployment('web') },
    inject: commit({
      'app/a.yaml': deployment('web').replaceAll('{app: web}', '{app: web, tier: front}'),
    }),
    code: 'ImmutableField',
    contains: [/spec\.selector/, /app\/a\.yaml/, /Replace=true|Force=true/],
    mend: commit({ 'app/a.yaml': deployment('web') }),
  },
  {
    id: 'M11',
    title: 'a kind that the cluster does not serve',
    inject: commit({ 'app/w.yaml': 'apiVersion: shop.example/v1\nkind: Basket\nmetadata: {name: w}\n' }),
    code: 'SyncKindMissing',
    contains: [/Basket/, /app\/w\.yaml/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  {
    id: 'M12',
    title: 'a misspelt field',
    files: { 'app/a.yaml': deployment('web') },
    inject: commit({ 'app/a.yaml': deployment('web').replace('replicas:', 'replica:') }),
    code: 'ManifestFieldInvalid',
    contains: [/replica/, /replicas/, /app\/a\.yaml/],
    mend: commit({ 'app/a.yaml': deployment('web') }),
  },
  {
    id: 'C14',
    title: 'a version that the cluster has ceased to serve',
    inject: commit({
      'app/p.yaml':
        'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: p}\nspec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n',
    }),
    code: 'ApiVersionMissing',
    contains: [/policy\/v1/, /app\/p\.yaml/],
    mend: commit({ 'app/p.yaml': undefined }),
  },
  {
    id: 'S3',
    title: 'a hook that fails',
    inject: commit({
      'app/a.yaml': configMap('a', 'two'),
      'app/hook.yaml': job('migrate', 'echo no such table; exit 3'),
    }),
    code: 'HookFailed',
    contains: [/exit code 3/, /migrate/, /no such table/, /app\/hook\.yaml/],
    mend: commit({ 'app/hook.yaml': undefined }),
  },
  {
    id: 'S1',
    title: 'a hook that vanishes',
    inject: async (stage) => {
      stage.commit({ 'app/a.yaml': configMap('a', 'two'), 'app/hook.yaml': job('migrate', 'sleep 300') });
      const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: stage.namespace, name: 'migrate' };
      await stage.world.waitFor(ref, 'the hook', (found) => found !== undefined);
      await stage.world.client.patch(ref, 'merge', { metadata: { finalizers: null } });
      await stage.world.client.delete(ref, { propagationPolicy: 'Background' });
    },
    code: 'HookVanished',
    contains: [/migrate/],
    mend: commit({ 'app/hook.yaml': undefined }),
  },
  {
    id: 'S4',
    title: 'a wave that never gets healthy',
    files: { 'app/a.yaml': configMap('a', 'one', { 'argocd.argoproj.io/sync-wave': '1' }) },
    inject: commit({
      'app/a.yaml': configMap('a', 'two', { 'argocd.argoproj.io/sync-wave': '1' }),
      'app/w.yaml': deployment('web', { image: 'registry.example/does-not-exist:1' }),
    }),
    code: 'WaveBlocked',
    contains: [/Deployment\/web/, /ConfigMap .*a/, /cannot be pulled/],
    mend: async (stage) => {
      await stage.world.rest(
        'DELETE',
        `/api/v1/applications/${stage.name}/operation?appNamespace=${stage.world.namespace}`,
      );
      stage.commit({ 'app/w.yaml': deployment('web') });
    },
  },
  {
    id: 'C11',
    title: 'a finalizer holds an object that is pruned',
    files: {
      'app/a.yaml': configMap('a', 'one'),
      'app/b.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, finalizers: [shop.example/lock], annotations: {argocd.argoproj.io/sync-wave: "1"}}\n',
    },
    inject: commit({ 'app/b.yaml': undefined, 'app/a.yaml': configMap('a', 'two') }),
    code: 'FinalizerStuck',
    contains: [/shop\.example\/lock/, /held/],
    mend: ({ world, namespace }) =>
      world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'held' }, 'merge', {
        metadata: { finalizers: null },
      }),
  },
  {
    id: 'C12',
    title: 'a namespace that is being deleted',
    inject: async (stage) => {
      const { world, namespace } = stage;
      await world.client.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'held', namespace, finalizers: ['shop.example/lock'] },
      });
      await world.client.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
      await stage.refresh();
    },
    code: 'NamespaceTerminating',
    contains: [/is being deleted/, /shop\.example\/lock|held/],
    mend: async ({ world, namespace }) => {
      await world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'held' }, 'merge', {
        metadata: { finalizers: null },
      });
      await world.waitFor({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, 'its end', (found) => !found);
      await world.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    },
  },
  {
    id: 'S7',
    title: 'a commit that would delete everything',
    inject: commit({ 'app/a.yaml': undefined, 'app/README': '' }),
    code: 'WouldDeleteAll',
    contains: [/wipe out/, /commit/i],
    mend: commit({ 'app/a.yaml': configMap('a', 'one') }),
  },
  {
    id: 'S8',
    title: 'an object that left the repository while prune is off',
    files: { 'app/a.yaml': configMap('a', 'one'), 'app/b.yaml': configMap('b', 'one') },
    spec: { syncPolicy: { automated: { prune: false } } },
    inject: commit({ 'app/b.yaml': undefined }),
    code: 'PruneDisabled',
    contains: [/ConfigMap .*b/, /Change|commit/],
    mend: commit({ 'app/b.yaml': configMap('b', 'one') }),
  },
  {
    id: 'C19',
    title: 'a destination outside of the project',
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata: { name: stage.name, namespace: stage.world.namespace },
        spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: 'only-here' }] },
      });
      await stage.patch({ project: stage.name });
    },
    code: 'NotPermitted',
    contains: [/only-here/],
    mend: (stage) => stage.patch({ project: 'default' }),
  },
];
