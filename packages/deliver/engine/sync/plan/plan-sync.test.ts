import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { keyOf } from '@tiphys/kubernetes';
import type { Comparison } from '../../difference/comparison.ts';
import { isHook, waveOf } from '../../model/hooks.ts';
import type { ComparedResource } from '../../model/model.ts';
import { describePlan, planSync } from './plan-sync.ts';

const object = (
  kind: string,
  name: string,
  annotations: Record<string, string> = {},
  apiVersion = 'v1',
): KubeObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    ...(kind === 'Namespace' || kind === 'CustomResourceDefinition' ? {} : { namespace: 'shop' }),
    annotations,
  },
});
const wave = (value: string) => ({ 'argocd.argoproj.io/sync-wave': value });

function comparison(desired: KubeObject[], live: KubeObject[] = []): Comparison {
  const resource = (item: KubeObject, extra: Partial<ComparedResource>): ComparedResource => ({
    key: keyOf(item),
    version: 'v1',
    status: 'OutOfSync',
    hook: false,
    requiresPruning: false,
    wave: waveOf(item),
    differences: [],
    ...extra,
  });
  return {
    resources: [
      ...desired.filter((item) => !isHook(item)).map((item) => resource(item, { desired: item })),
      ...live.map((item) => resource(item, { live: item, requiresPruning: true })),
    ],
    hooks: desired.filter(isHook).map((item) => resource(item, { desired: item, hook: true })),
    sync: 'OutOfSync',
    health: { status: 'Healthy' },
    conditions: [],
    findings: [],
    deleteHooks: { preDelete: false, postDelete: false },
    tracking: { method: 'annotation', instance: 'app' },
    destinationNamespace: 'shop',
    ignoreDifferences: [],
  };
}

const options = { revision: 'abcdef0', startedAt: '2026-01-01T00:00:00Z', prune: true };
const order = (desired: KubeObject[], live: KubeObject[] = [], extra: object = {}) =>
  planSync(comparison(desired, live), { ...options, ...extra }).tasks.map(
    ({ phase, wave: at, key, action }) =>
      `${phase} ${at} ${action === 'prune' || action === 'hook' ? `${action} ` : ''}${key.kind}/${key.name}`,
  );

describe('a plan', () => {
  it('orders by phase, wave, kind and name', () => {
    assert.deepEqual(
      order([
        object('Widget', 'z', {}, 'example.com/v1'),
        object('Deployment', 'b', {}, 'apps/v1'),
        object('ConfigMap', 'b'),
        object('ConfigMap', 'a'),
        object('Service', 'a', wave('-1')),
        object('Secret', 'late', wave('2')),
        object('Job', 'post', { 'helm.sh/hook': 'post-install', 'helm.sh/hook-weight': '-3' }, 'batch/v1'),
        object('Job', 'pre', { 'argocd.argoproj.io/hook': 'PreSync' }, 'batch/v1'),
      ]),
      [
        'PreSync 0 hook Job/pre',
        'Sync -1 Service/a',
        'Sync 0 ConfigMap/a',
        'Sync 0 ConfigMap/b',
        'Sync 0 Deployment/b',
        'Sync 0 Widget/z',
        'Sync 2 Secret/late',
        'PostSync -3 hook Job/post',
      ],
    );
  });

  it('draws namespaces and definitions before what needs them', () => {
    const definition = {
      ...object('CustomResourceDefinition', 'w', wave('3'), 'apiextensions.k8s.io/v1'),
      spec: { group: 'example.com', names: { kind: 'Widget' } },
    };
    assert.deepEqual(
      order([object('Widget', 'w', wave('-2'), 'example.com/v1'), definition, object('Namespace', 'shop', wave('5'))]),
      ['Sync -2 Namespace/shop', 'Sync -2 CustomResourceDefinition/w', 'Sync -2 Widget/w'],
    );
  });

  it('prunes in the reverse order of waves, or last where that is asked for', () => {
    const live = [
      object('ConfigMap', 'a', wave('1')),
      object('ConfigMap', 'b', wave('2')),
      object('ConfigMap', 'c', wave('4')),
    ];
    assert.deepEqual(order([], live), [
      'Sync 1 prune ConfigMap/c',
      'Sync 2 prune ConfigMap/b',
      'Sync 4 prune ConfigMap/a',
    ]);
    assert.deepEqual(order([object('Secret', 's', wave('7'))], live, { syncOptions: ['PruneLast=true'] }), [
      'Sync 7 Secret/s',
      'Sync 8 prune ConfigMap/a',
      'Sync 8 prune ConfigMap/b',
      'Sync 8 prune ConfigMap/c',
    ]);
  });

  it('is the same whatever the order of the manifests', () => {
    const objects = ['d', 'a', 'c', 'b'].map((name) => object('ConfigMap', name));
    assert.deepEqual(order(objects), order(objects.toReversed()));
  });

  it('never prunes what says so', () => {
    const live = [object('ConfigMap', 'a', { 'argocd.argoproj.io/sync-options': 'Prune=false' })];
    assert.deepEqual(describePlan(planSync(comparison([], live), options)), [
      'Sync wave 0: skip-prune ConfigMap shop/a (Prune=false)',
    ]);
  });

  it('lets the object decide over the application', () => {
    const [task] = planSync(
      comparison([
        object('ConfigMap', 'a', { 'argocd.argoproj.io/sync-options': 'ServerSideApply=false,Replace=false' }),
      ]),
      { ...options, syncOptions: ['ServerSideApply=true', 'Replace=true'] },
    ).tasks;
    assert.equal(task?.action, 'create');
  });
});

describe('an application that delivers Tiphys itself', () => {
  const part = (kind: string, name: string, project = 'argocd'): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'argocd', labels: { 'app.kubernetes.io/part-of': project } },
  });
  const definition = (name: string, group: string) => ({
    ...object('CustomResourceDefinition', name, {}, 'apiextensions.k8s.io/v1'),
    spec: { group },
  });
  const live = [
    part('StatefulSet', 'argocd-application-controller'),
    part('Deployment', 'argo-rollouts', 'argo-rollouts'),
    part('Deployment', 'argocd-repo-server'),
    part('Deployment', 'argocd-server', 'somebody'),
    part('ConfigMap', 'argocd-cm'),
    definition('applications.argoproj.io', 'argoproj.io'),
    definition('sails.example.com', 'example.com'),
  ];
  const pruned = (controlNamespace?: string) =>
    planSync(comparison([], live), { ...options, ...(controlNamespace ? { controlNamespace } : {}) })
      .tasks.filter(({ action }) => action === 'prune')
      .map(({ key }) => `${key.kind} ${key.name}`)
      .sort();

  it('prunes nothing of itself, and what Argo CD alone had', () => {
    assert.deepEqual(pruned('argocd'), [
      'CustomResourceDefinition sails.example.com',
      'Deployment argocd-repo-server',
      'Deployment argocd-server',
    ]);
  });

  it('prunes an installation on another cluster, or in another namespace, like anything else', () => {
    assert.equal(pruned().length, live.length);
    assert.equal(pruned('elsewhere').length, live.length - 1);
  });
});
