import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppProject } from '@tiphys/api';
import { readGlobalProjects, withGlobalProjects } from './global-projects.ts';
import { ProjectDirectory } from './project-directory.ts';

const project = (name: string, spec: AppProject['spec'], labels: Record<string, string> = {}) =>
  ({ metadata: { name, labels }, spec }) as AppProject;

const selectors: [labelSelector: object, labels: Record<string, string>, selected: boolean][] = [
  [{}, {}, true],
  [{ matchLabels: { a: '1' } }, { a: '1', b: '2' }, true],
  [{ matchLabels: { a: '1' } }, { a: '2' }, false],
  [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] }, { a: '2' }, true],
  [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1'] }] }, {}, false],
  [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, {}, true],
  [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, { a: '1' }, false],
  [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, { a: '' }, true],
  [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, { a: '' }, false],
];

for (const [labelSelector, labels, selected] of selectors)
  test(`a global project with ${JSON.stringify(labelSelector)} ${selected ? 'holds' : 'does not hold'} for ${JSON.stringify(labels)}`, () => {
    const [entry] = readGlobalProjects(JSON.stringify([{ projectName: 'rules', labelSelector }]));
    assert.equal(entry?.selects(labels), selected);
  });

test('what cannot be read is named', () => {
  const message = (value: unknown) => {
    try {
      readGlobalProjects(typeof value === 'string' ? value : JSON.stringify(value));
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  assert.match(message({ a: 1 }), /found no list/);
  assert.match(message('- [a'), /globalProjects cannot be used/);
  const expression = (matchExpression: object) => [
    { projectName: 'x', labelSelector: { matchExpressions: [matchExpression] } },
  ];
  assert.match(message(expression({ key: 'a', operator: 'Is' })), /operator is "Is", wanted In, NotIn/);
  assert.match(message(expression({ key: 'a', operator: 'In' })), /matchExpressions\[0\]\.values is empty/);
});

test('lists are appended; a white list of a global project ends what its absence allows, an empty one does not', () => {
  const own = project('own', { sourceRepos: ['a'], clusterResourceWhitelist: [{ group: '*', kind: '*' }] });
  const rules = project('rules', {
    sourceRepos: ['b'],
    namespaceResourceWhitelist: [{ group: '', kind: 'ConfigMap' }],
    roles: [{ name: 'x' }],
    sourceNamespaces: ['y'],
  });
  assert.deepEqual(withGlobalProjects(own, [rules]).spec, {
    sourceRepos: ['a', 'b'],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    namespaceResourceWhitelist: [{ group: '', kind: 'ConfigMap' }],
  });
  const empty = project('rules', { namespaceResourceWhitelist: [] });
  assert.equal(withGlobalProjects(own, [empty]).spec.namespaceResourceWhitelist, undefined);
});

test('repositories and clusters that belong to a project are permitted by it; a bad setting leaves the last good one', () => {
  const stored = new Map([
    ['team', project('team', { destinations: [{ server: 'a', namespace: 'b' }] }, { tenant: 'yes' })],
    ['rules', project('rules', { syncWindows: [{ kind: 'deny', schedule: '* * * * *', duration: '1h' }] })],
  ]);
  let setting = JSON.stringify([
    { projectName: 'rules', labelSelector: { matchLabels: { tenant: 'yes' } } },
    { projectName: 'gone', labelSelector: {} },
  ]);
  const directory = new ProjectDirectory({
    find: (name) => stored.get(name),
    globalProjects: () => setting,
    repositories: () => ['https://example.test/own'],
    clusters: () => [
      { server: 'https://east', name: 'east', namespaces: [] },
      { server: 'https://west', name: 'west', namespaces: ['w'] },
    ],
  });
  const read = () => directory.get('team')?.spec;
  assert.deepEqual(read()?.sourceRepos, ['https://example.test/own']);
  assert.deepEqual(read()?.destinations, [
    { server: 'a', namespace: 'b' },
    { server: 'https://east', namespace: '*' },
    { server: 'https://west', namespace: 'w' },
  ]);
  assert.equal(read()?.syncWindows?.length, 1);
  setting = 'nonsense';
  assert.equal(read()?.syncWindows?.length, 1);
  assert.equal(directory.problem()?.fatal, false);
  setting = '';
  assert.equal(read()?.syncWindows, undefined);
  assert.equal(directory.problem(), undefined);
});
