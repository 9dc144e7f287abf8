import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesGlob, resourceTabs } from './registry.ts';

test('globs of extensions match groups and kinds as on the page of Argo CD', () => {
  const table: [string, string, boolean][] = [
    ['', '*', false],
    ['', '**', true],
    ['apps', '**', true],
    ['apps', '*', true],
    ['Rollout', 'Rollout', true],
    ['Rollouts', 'Rollout', false],
    ['argoproj.io', '*.io', true],
    ['argoproj.io', 'argo*.io', true],
    ['argoproj.io', 'a*p*j.i?', true],
    ['argoproj.io', 'a*p*j.o?', false],
    ['aba', 'ab*ba', false],
    ['Deployment', '{Deployment,Rollout}', true],
    ['DaemonSet', '{Deployment,Rollout}', false],
    ['StatefulSet', '{Stateful,Replica}Set', true],
    ['Pod', '', false],
    ['', '', true],
    ['P', '?', true],
    ['Po', '?', false],
  ];
  for (const [text, glob, matches] of table) assert.equal(matchesGlob(text, glob), matches, `${text} ${glob}`);
});

test('the tabs of a kind are sorted by their titles', () => {
  const tab = (group: string, kind: string, title: string) => ({
    component: () => null,
    group,
    kind,
    title,
    icon: undefined,
  });
  const all = [tab('**', '*', 'Zone'), tab('apps', 'Deployment', 'Metrics'), tab('', 'Pod', 'Traffic')];
  const titles = (group: string, kind: string) => resourceTabs(all, group, kind).map(({ title }) => title);
  assert.deepEqual(titles('apps', 'Deployment'), ['Metrics', 'Zone']);
  assert.deepEqual(titles('', 'Pod'), ['Traffic', 'Zone']);
  assert.deepEqual(titles('', 'Service'), ['Zone']);
});
