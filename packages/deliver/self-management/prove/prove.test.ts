import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import type { ComparedResource } from '@tiphys/engine';
import type { KubeObject } from '@tiphys/kubernetes';
import { decisionOf, differencesOf, shownDecision } from './decisions.ts';
import { definitionLosses, holds } from './definition-losses.ts';
import { lackingRights } from './rights.ts';
import { settingsLosses } from './settings-losses.ts';

const definition = (versions: readonly object[], scope = 'Namespaced'): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.com' },
  spec: { group: 'example.com', scope, names: { kind: 'Boat' }, versions },
});
const version = (properties: object, more: object = {}) => ({
  name: 'v1',
  served: true,
  schema: { openAPIV3Schema: { type: 'object', properties } },
  ...more,
});
const text = { type: 'string' };

test('definitions tell which fields, versions and free parts they lose', () => {
  const spec = (properties: object) => ({ spec: { type: 'object', properties } });
  const before = definition([
    version(
      spec({
        oars: { type: 'integer' },
        crew: { type: 'array', items: { type: 'object', properties: { name: text, rank: text } } },
        tags: { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      }),
    ),
    { ...version({}), name: 'v0' },
  ]);
  const after = definition([
    version(
      spec({
        crew: { type: 'array', items: { type: 'object', properties: { name: text } } },
        tags: { type: 'object', additionalProperties: { type: 'object', properties: {} } },
        free: { type: 'object' },
      }),
    ),
  ]);
  assert.deepEqual(
    definitionLosses(before, after).map((loss) => [loss.version, ...loss.path].join('.')),
    ['v1.spec.oars', 'v1.spec.crew.*.rank', 'v1.spec.tags.*.a', 'v1.spec.free.*', 'v0'],
  );
  assert.deepEqual(definitionLosses(before, before), []);
  assert.deepEqual(definitionLosses(definition([version({})]), definition([version({})], 'Cluster')), [
    { version: 'v1', path: [] },
  ]);
  const open = definition([version({ spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } })]);
  assert.deepEqual(definitionLosses(definition([version(spec({ oars: text }))]), open), []);
});

test('whether an object holds a field is told through lists and maps, and not through prototypes', () => {
  const boat = { spec: { crew: [{ name: 'a' }, { name: 'b', rank: 'mate' }], tags: { x: { a: '' } } } };
  assert.equal(holds(boat, ['spec', 'crew', '*', 'rank']), true);
  assert.equal(holds(boat, ['spec', 'tags', '*', 'a']), true);
  assert.equal(holds(boat, ['spec', 'oars']), false);
  assert.equal(holds(boat, ['spec', 'constructor']), false);
  assert.equal(holds(boat, []), true);
});

test('rights that the new manifests do not give are named; rights from elsewhere are not judged', () => {
  const account = { name: 'argocd-server', namespace: 'argocd' };
  const role = (rules: object[]): KubeObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'server' },
    rules,
  });
  const binding: KubeObject = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'server' },
    roleRef: { kind: 'ClusterRole', name: 'server' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
  const needs = [
    { role: 'server', group: '', resource: 'secrets', verb: 'list', why: 'a' },
    { role: 'server', group: 'argoproj.io', resource: 'applications', verb: 'patch', why: 'b' },
  ];
  const lacking = (rules: object[]) => lackingRights([role(rules), binding], account, needs).map(({ why }) => why);
  assert.deepEqual(lacking([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]), []);
  assert.deepEqual(lacking([{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }]), ['b']);
  assert.deepEqual(lacking([{ apiGroups: [''], resources: ['secrets'], verbs: ['list'], resourceNames: ['x'] }]), [
    'a',
    'b',
  ]);
  assert.deepEqual(lackingRights([binding], account, needs).length, 2);
  assert.deepEqual(lackingRights([role([])], account, needs), []);
});

test('settings that a sync would drop or empty are named by their keys', () => {
  const object = (data: object, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {},
    data,
    ...more,
  });
  const losses = (live: object, desired: object, predicted?: object, more: object = {}) =>
    settingsLosses({
      live: object(live),
      desired: object(desired, more),
      ...(predicted ? { normalized: { predicted: object(predicted) } } : {}),
    } as unknown as ComparedResource);
  assert.deepEqual(losses({ a: '1', b: '2' }, {}, { a: '1', b: '2' }), []);
  assert.deepEqual(losses({ a: '1', b: '2' }, {}, { a: '1' }), ['b']);
  assert.deepEqual(losses({ a: '1' }, { a: '' }, { a: '' }), ['a']);
  assert.deepEqual(losses({ a: '1' }, {}, { a: '1' }, { stringData: { a: '' } }), ['a']);
});

test('two versions differ over an application only at the same revisions and where both have judged', () => {
  const application = (status: object) => ({ metadata: { name: 'shop' }, spec: {}, status }) as unknown as Application;
  const resources = [
    { kind: 'ConfigMap', namespace: 'shop', name: 'a', status: 'Synced' },
    { kind: 'ConfigMap', namespace: 'shop', name: 'b', status: 'OutOfSync', requiresPruning: true },
  ];
  const status = { reconciledAt: 'x', sync: { status: 'OutOfSync', revision: 'r' }, resources };
  const shown = shownDecision(application(status));
  assert.equal(shown?.words, 'OutOfSync (ConfigMap shop/b to be pruned)');
  assert.equal(shownDecision(application({ ...status, operationState: { phase: 'Running' } })), undefined);
  const same = decisionOf(
    'OutOfSync',
    ['r'],
    [
      { key: 'ConfigMap shop/b', status: 'OutOfSync', prune: true },
      { key: 'ConfigMap shop/a', status: 'Synced', prune: false },
    ],
  );
  const other = decisionOf('Synced', ['r'], [{ key: 'ConfigMap shop/a', status: 'Synced', prune: false }]);
  const compare = (candidate: typeof same) =>
    differencesOf(new Map([['a', shown as typeof same]]), new Map([['a', candidate]]));
  assert.deepEqual(compare(same), []);
  assert.deepEqual(compare({ ...other, revisions: 'newer' }), []);
  assert.deepEqual(compare(other), [{ application: 'a', running: shown?.words, candidate: 'Synced' }]);
});
