import type { Draft, FamilyFault } from './families.ts';

/** An ApplicationSet of one generator, in the namespace of the control plane. */
const set = (generator: object, name: string, template: object = {}, spec: object = {}): Draft => ({
  kind: 'ApplicationSet',
  metadata: { name },
  spec: {
    goTemplate: true,
    goTemplateOptions: ['missingkey=error'],
    generators: [generator],
    template: {
      metadata: { name: `${name}-{{.n}}` },
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.example/shop.git', path: '.' },
        destination: { server: 'https://kubernetes.default.svc' },
      },
      ...template,
    },
    ...spec,
  },
});
const one = { list: { elements: [{ n: 'a' }] } };
const generator = (name: string, spec: object) => (stage: Parameters<NonNullable<FamilyFault['mend']>>[0]) =>
  stage.patch(`ApplicationSet/${name}`, { spec });

/** Sets of the elements that a file of a repository holds, which somebody commits broken, and then corrected. */
const ofFile = (
  name: string,
  { path, text, good }: { path: string; text: string; good: string },
): Pick<FamilyFault, 'objects' | 'of' | 'mend'> => ({
  objects: ({ repository }) => {
    repository(name).commit({ 'apps/fine.yaml': 'n: fine\n', [path]: text });
    return [set({ git: { repoURL: repository(name).url, revision: 'HEAD', files: [{ path: 'apps/*' }] } }, name)];
  },
  of: `ApplicationSet/${name}`,
  mend: async (stage, { repository }) => {
    repository(name).commit({ [path]: good });
    const annotations = { 'argocd.argoproj.io/application-set-refresh': 'true' };
    await stage.patch(`ApplicationSet/${name}`, { metadata: { annotations } });
  },
});

export const setFaults: readonly FamilyFault[] = [
  {
    id: 'R8',
    title: 'a generator whose repository cannot be reached',
    objects: [
      set({ git: { repoURL: 'http://127.0.0.1:1/a.git', revision: 'HEAD', directories: [{ path: '*' }] } }, 'git'),
    ],
    of: 'ApplicationSet/git',
    code: 'RepositoryUnreachable',
    contains: [/Nothing listens at 127\.0\.0\.1 port 1/],
    mend: generator('git', { generators: [one] }),
  },
  {
    id: 'GeneratorInvalid',
    title: 'a file of a generator that is no YAML',
    ...ofFile('files', {
      path: 'apps/shop.yaml',
      text: 'n: shop\nowner:\n  name: a\n   team: b\n',
      good: 'n: shop\nowner:\n  name: a\n  team: b\n',
    }),
    code: 'GeneratorInvalid',
    contains: [
      /"file":"apps\/shop\.yaml"/,
      /"line":4,"column":8/,
      /"revision":"[0-9a-f]{40}"/,
      /4 \| {4}team: b/,
      /\(apps\/shop\.yaml:4:8, /,
    ],
  },
  {
    id: 'GeneratorInvalid',
    title: 'a file of a generator that is no JSON',
    ...ofFile('json', {
      path: 'apps/shop.json',
      text: '{\n  "n": "shop",\n  "owner": {"name": "a" "team": "b"}\n}\n',
      good: '{"n": "shop"}\n',
    }),
    code: 'GeneratorInvalid',
    contains: [/"file":"apps\/shop\.json"/, /"line":3,"column":\d+/, /"revision":"[0-9a-f]{40}"/],
  },
  {
    id: 'GeneratorInvalid',
    title: 'a text in the list of a file of a generator',
    ...ofFile('items', { path: 'apps/shop.yaml', text: '- n: shop\n- n: b\n- shop\n', good: '- n: shop\n- n: b\n' }),
    code: 'GeneratorInvalid',
    contains: [/item 2 of its list is none/, /"line":3/, /"revision":"[0-9a-f]{40}"/],
  },
  {
    id: 'ApplicationTemplateInvalid',
    title: 'a template that reads a field that no element has',
    objects: [set(one, 'field', { metadata: { name: 'field-{{.gone}}' } })],
    of: 'ApplicationSet/field',
    code: 'ApplicationTemplateInvalid',
    contains: [/gone/],
    mend: generator('field', { template: { metadata: { name: 'field-{{.n}}' } } }),
  },
  {
    id: 'GeneratedApplicationInvalid',
    title: 'a project that does not exist',
    objects: [set(one, 'project')],
    of: 'ApplicationSet/project',
    then: { spec: { template: { spec: { project: 'gone' } } } },
    code: 'GeneratedApplicationInvalid',
    contains: [/project gone which does not exist/, /Create the project/],
    mend: generator('project', { template: { spec: { project: 'default' } } }),
  },
  {
    id: 'GeneratedApplicationInvalid',
    title: 'two elements of one name',
    objects: [set({ list: { elements: [{ n: 'a' }, { n: 'a' }] } }, 'twice')],
    of: 'ApplicationSet/twice',
    contains: [/"ErrorOccurred","status":"True"/, /twice-a/],
    mend: generator('twice', { generators: [one] }),
  },
  {
    id: 'GeneratedApplicationInvalid',
    title: 'a name that asks for a parameter which no element has',
    objects: [set(one, 'unset', { metadata: { name: 'unset-{{n}}' } }, { goTemplate: false, goTemplateOptions: [] })],
    of: 'ApplicationSet/unset',
    then: { spec: { template: { metadata: { name: 'unset-{{cluster}}' } } } },
    code: 'GeneratedApplicationInvalid',
    contains: [/asks for cluster, which its element does not have/, /spec\.generators\[0\]\.list/],
    excludes: [/is no name of an object/],
    mend: generator('unset', { template: { metadata: { name: 'unset-{{n}}' } } }),
  },
  {
    id: 'GeneratedApplicationInvalid',
    title: 'a key that YAML reads as false, in elements of a Go template',
    // what kubectl makes of `- n: a`
    objects: [
      set(
        { list: { elements: [{ false: 'a' }] } },
        'noval',
        { metadata: { name: 'noval-{{.n}}' } },
        { goTemplateOptions: [] },
      ),
    ],
    of: 'ApplicationSet/noval',
    code: 'GeneratedApplicationInvalid',
    contains: [/asks for what its element does not have; there is false/, /Put quotes around keys such as n, no, off/],
    excludes: [/is no name of an object/, /normalize/],
    mend: generator('noval', { generators: [one] }),
  },
  {
    id: 'GeneratorEmpty',
    title: 'a list without elements',
    objects: [set({ list: { elements: [] } }, 'empty')],
    of: 'ApplicationSet/empty',
    code: 'GeneratorEmpty',
    contains: [/The generator list gives no elements/, /spec\.generators\[0\]\.list/],
    mend: generator('empty', { generators: [one] }),
  },
  {
    id: 'MergeKeyAbsent',
    title: 'a key of a merge that no element has',
    objects: [
      set({ merge: { mergeKeys: ['gone'], generators: [one, { list: { elements: [{ n: 'a', m: 'x' }] } }] } }, 'merge'),
    ],
    of: 'ApplicationSet/merge',
    code: 'MergeKeyAbsent',
    contains: [/has gone, which mergeKeys names/, /an element has/],
    mend: generator('merge', {
      generators: [{ merge: { mergeKeys: ['n'], generators: [one, { list: { elements: [{ n: 'a', m: 'x' }] } }] } }],
    }),
  },
  {
    id: 'TemplateFieldUnknown',
    title: 'a field of a templatePatch that Applications do not have',
    objects: [
      set(one, 'patched', {}, { templatePatch: 'spec:\n  syncPolicy:\n    automated:\n      selfHeall: true\n' }),
    ],
    of: 'ApplicationSet/patched',
    code: 'TemplateFieldUnknown',
    contains: [
      /templatePatch sets spec\.syncPolicy\.automated\.selfHeall/,
      /Write spec\.syncPolicy\.automated\.selfHeal"/,
      /"type":"Notice"/,
    ],
    mend: generator('patched', { templatePatch: 'spec:\n  syncPolicy:\n    automated:\n      selfHeal: true\n' }),
  },
  {
    id: 'StrategyIgnored',
    title: 'a strategy whose type there is not',
    objects: [set(one, 'strategy', {}, { strategy: { type: 'RolingSync' } })],
    of: 'ApplicationSet/strategy',
    code: 'StrategyIgnored',
    contains: [/there is no type \\?"RolingSync/, /Write RollingSync as spec\.strategy\.type/],
    mend: generator('strategy', { strategy: { type: 'AllAtOnce' } }),
  },
  {
    id: 'StrategyIgnored',
    title: 'steps of a strategy while progressive syncs are off',
    objects: [
      set(one, 'steps', {}, { strategy: { type: 'RollingSync', rollingSync: { steps: [{ matchExpressions: [] }] } } }),
    ],
    of: 'ApplicationSet/steps',
    code: 'StrategyIgnored',
    contains: [/progressive syncs are switched off/, /applicationsetcontroller\.enable\.progressive\.syncs/],
    mend: generator('steps', { strategy: null }),
  },
  {
    id: 'IgnoreRuleInvalid',
    title: 'an expression of ignored differences of a set that is cut off',
    objects: [set(one, 'ignore', {}, { ignoreApplicationDifferences: [{ jqPathExpressions: ['.spec.source['] }] })],
    of: 'ApplicationSet/ignore',
    code: 'IgnoreRuleInvalid',
    contains: [/ignoreApplicationDifferences\[0\]/],
    mend: generator('ignore', { ignoreApplicationDifferences: [] }),
  },
  {
    id: 'ScmRefused',
    title: 'a host that does not accept the token of a generator',
    objects: ({ refusing }) => [set({ scmProvider: { github: { organization: 'shop', api: refusing } } }, 'scm')],
    of: 'ApplicationSet/scm',
    code: 'ScmRefused',
    contains: [/does not accept the credentials/, /tokenRef/],
    mend: generator('scm', { generators: [one] }),
  },
  {
    id: 'GeneratorInvalid',
    title: 'a Secret of a plugin that is not there',
    objects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'plug' },
        data: { baseUrl: 'http://127.0.0.1:1', token: '$plug:token' },
      },
      set({ plugin: { configMapRef: { name: 'plug' } } }, 'plugin'),
    ],
    of: 'ApplicationSet/plugin',
    code: 'GeneratorInvalid',
    contains: [/secrets .*plug.* not found/, /Create the Secret/],
    mend: generator('plugin', { generators: [one] }),
  },
  {
    id: 'GeneratorInvalid',
    title: 'a selector of clusters that cannot be read',
    objects: [set({ clusters: { selector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } } }, 'clusters')],
    of: 'ApplicationSet/clusters',
    code: 'GeneratorInvalid',
    contains: [/Near/, /Use In or NotIn/],
    mend: generator('clusters', { generators: [one] }),
  },
];
