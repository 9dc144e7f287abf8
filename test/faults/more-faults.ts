import { configMap } from '../e2e/support/manifests.ts';
import type { Fault } from './fault.ts';

/** An overlay that changes what its base has. */
const overlay = (text: string): Readonly<Record<string, string>> => ({
  'base/a.yaml': configMap('a', 'one'),
  'base/kustomization.yaml': 'resources: [a.yaml]\n',
  'app/kustomization.yaml': `resources: [../base]\n${text}`,
});
const changed = (text: string): Pick<Fault, 'files' | 'inject' | 'mend'> => ({
  files: overlay(''),
  inject: async ({ commit }) => commit(overlay(text)),
  mend: async ({ commit }) => commit(overlay('')),
});

const chart = (name: string, more = '') => `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n${more}`;
const needs = (version: string, folder = '../red') =>
  chart('shop', `dependencies:\n- name: red\n  version: ${version}\n  repository: file://${folder}\n`);
const umbrella = {
  'app/Chart.yaml': needs('1.0.0'),
  'app/templates/a.yaml': configMap('a', 'one'),
  'red/Chart.yaml': chart('red'),
  'red/templates/b.yaml': configMap('b', 'one'),
};
const dependency = (broken: Readonly<Record<string, string>>): Pick<Fault, 'files' | 'inject' | 'mend'> => ({
  files: umbrella,
  inject: async ({ commit }) => commit(broken),
  mend: async ({ commit }) => commit(umbrella),
});

export const moreFaults: readonly Fault[] = [
  {
    id: 'ObjectInvalid',
    title: 'a prefix of names that no name may have',
    ...changed('namePrefix: Prod_\n'),
    code: 'ObjectInvalid',
    contains: [
      /"place":\{[^}]*"field":"namePrefix"[^}]*"file":"app\/kustomization\.yaml","line":2/,
      /namePrefix \\"Prod_\\" \(app\/kustomization\.yaml:2\)/,
      /base\/a\.yaml:1, as a/,
      /Correct namePrefix in app\/kustomization\.yaml/,
    ],
  },
  {
    id: 'ObjectInvalid',
    title: 'a suffix of names that ends them with a dash',
    ...changed('namePrefix: prod-\nnameSuffix: -v2-\n'),
    code: 'ObjectInvalid',
    contains: [/"field":"nameSuffix"[^}]*"file":"app\/kustomization\.yaml","line":3/, /Correct nameSuffix in/],
    excludes: [/Correct namePrefix/],
  },
  {
    id: 'ObjectInvalid',
    title: 'a name of a base that no name may be, below a prefix that is well',
    files: overlay('namePrefix: prod-\n'),
    inject: async ({ commit }) => commit({ 'base/a.yaml': configMap('My_A', 'one') }),
    code: 'ObjectInvalid',
    contains: [/"file":"base\/a\.yaml"/, /namePrefix \\"prod-\\"/],
    excludes: [/Correct namePrefix/],
    mend: async ({ commit }) => commit({ 'base/a.yaml': configMap('a', 'one') }),
  },
  {
    id: 'ObjectInvalid',
    title: 'a prefix of names of the Application that no name may have',
    files: overlay(''),
    inject: ({ patch }) => patch({ source: { kustomize: { namePrefix: 'Prod_' } } }),
    code: 'ObjectInvalid',
    contains: [/"field":"spec\.source\.kustomize\.namePrefix"/, /of the Application/],
    mend: ({ patch }) => patch({ source: { kustomize: null } }),
  },
  {
    id: 'ObjectInvalid',
    title: 'a common label that no label may be',
    ...changed('labels:\n- pairs: {team: the shop}\n'),
    code: 'ObjectInvalid',
    contains: [/the shop/, /"field":"labels\[0\]"[^}]*"file":"app\/kustomization\.yaml","line":3/],
  },
  {
    id: 'ObjectInvalid',
    title: 'a patch that makes a name which no name may be',
    ...changed(
      'patches:\n- target: {kind: ConfigMap}\n  patch: |-\n    - op: replace\n      path: /metadata/name\n      value: A_b\n',
    ),
    code: 'ObjectInvalid',
    contains: [/"field":"patches\[0\]"[^}]*"file":"app\/kustomization\.yaml","line":3/],
  },
  {
    id: 'M3',
    title: 'a chart of the same repository in another version than is wanted',
    ...dependency({ 'app/Chart.yaml': needs('2.0.0') }),
    code: 'ChartDependencyMissing',
    contains: [/The chart at red has version 1\.0\.0/, /"file":"red\/Chart\.yaml","field":"version"/],
    excludes: [/"file":"[^"]*\.\.\//],
  },
  {
    id: 'M3',
    title: 'a folder of a dependency that is not there',
    ...dependency({ 'app/Chart.yaml': needs('1.0.0', '../blue') }),
    code: 'ChartDependencyMissing',
    contains: [/There is no chart at blue/, /"file":"app\/Chart\.yaml","field":"dependencies"/],
  },
  {
    id: 'M3',
    title: 'a chart of the same repository that is none',
    ...dependency({ 'red/Chart.yaml': 'apiVersion: v2\nname: red\n' }),
    code: 'ChartDependencyMissing',
    contains: [/"file":"red\/Chart\.yaml"/, /version/],
    excludes: [/"file":"[^"]*\.\.\//],
  },
  {
    id: 'M3',
    title: 'a lock of dependencies that is not that of the chart',
    ...dependency({
      'app/Chart.lock': `dependencies:\n- name: red\n  repository: file://../red\n  version: 0.9.0\ndigest: sha256:${'a'.repeat(64)}\ngenerated: "2026-01-01T00:00:00Z"\n`,
    }),
    mend: async ({ commit }) => commit({ 'app/Chart.lock': undefined }),
    code: 'ChartDependencyMissing',
    contains: [/"file":"app\/Chart\.lock"/, /red is locked to 0\.9\.0/, /helm dependency update/],
  },
  {
    id: 'OciReferenceInvalid',
    title: 'a chart of a repository of Git',
    inject: ({ patch }) => patch({ source: { chart: 'redis' } }),
    code: 'OciReferenceInvalid',
    contains: [/"field":"spec\.source\.chart"/, /remove spec\.source\.chart, and name the folder/],
    mend: ({ patch }) => patch({ source: { chart: null } }),
  },
  {
    id: 'OciReferenceInvalid',
    title: 'an artifact of a registry in capitals',
    inject: ({ patch }) => patch({ source: { repoURL: 'oci://127.0.0.1:1/Shop/App', targetRevision: '1.0.0' } }),
    code: 'OciReferenceInvalid',
    contains: [/"field":"spec\.source\.repoURL"/, /lower-case/],
    mend: ({ patch, repository }) => patch({ source: { repoURL: repository.url, targetRevision: 'main' } }),
  },
];
