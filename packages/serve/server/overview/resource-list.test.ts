import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import { listResources, readResourceQuery } from './resource-list.ts';

const application = (name: string, project: string, resources: object[]) =>
  ({
    metadata: { name, namespace: 'argocd' },
    spec: { project, destination: { name: 'prod', namespace: name } },
    status: { resources },
  }) as unknown as Application;
const applications = [
  application('shop', 'default', [
    { kind: 'Service', namespace: 'shop', name: 'web', status: 'Synced', health: { status: 'Healthy' } },
    { kind: 'ConfigMap', namespace: 'shop', name: 'settings', status: 'OutOfSync' },
  ]),
  application('pay', 'pay', [
    {
      group: 'apps',
      kind: 'Deployment',
      namespace: 'pay',
      name: 'web',
      status: 'Synced',
      health: { status: 'Degraded', message: 'exceeded its deadline' },
    },
  ]),
];
const list = (query = '') => listResources(applications, readResourceQuery(new URLSearchParams(query)));
const namesOf = (query = '') => list(query).items.map(({ kind, name }) => `${kind} ${name}`);

test('the objects of all applications are listed worst first', () => {
  assert.deepEqual(namesOf(), ['Deployment.apps web', 'ConfigMap settings', 'Service web']);
  assert.deepEqual(list().items[0], {
    application: 'argocd/pay',
    project: 'pay',
    cluster: 'prod',
    group: 'apps',
    kind: 'Deployment.apps',
    namespace: 'pay',
    name: 'web',
    health: 'Degraded',
    reason: 'exceeded its deadline',
    sync: 'Synced',
  });
});

test('they are filtered by words and facets, and cut; a facet counts what its other values would find', () => {
  assert.deepEqual(namesOf('text=WEB+shop'), ['Service web']);
  assert.deepEqual(namesOf('kind=Service&kind=ConfigMap&sync=OutOfSync'), ['ConfigMap settings']);
  const { items, total, all, counts } = list('project=default&limit=1&offset=1');
  assert.deepEqual([items.length, total, all], [1, 2, 3]);
  assert.deepEqual(counts.project, [
    ['default', 2],
    ['pay', 1],
  ]);
  assert.deepEqual(counts.health, [['Healthy', 1]]);
});

test('what of a query cannot be is told', () => {
  for (const query of ['limit=501', 'offset=x', `text=${'a+'.repeat(21)}`, 'kind=a&'.repeat(101)])
    assert.throws(() => list(query), /it can be|more than/, query.slice(0, 20));
});
