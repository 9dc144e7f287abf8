import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { applicationSet, clusterSecret, type FixedData, fixedSources, standIn } from '../testing/fixed-sources.ts';
import { evaluate } from './evaluate.ts';

/** Parameters of all elements that the generators give. */
async function paramsOf(generator: object, data: FixedData = {}, goTemplate = true) {
  const set = applicationSet({ goTemplate, generators: [generator] });
  const dialect = { goTemplate, options: [] };
  const context = { set, dialect, sources: fixedSources(data), refresh: false };
  const results = await evaluate(generator, context, 'spec.generators[0]');
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
  return results.flatMap(({ elements }) => elements.map(({ params }) => plain(params)));
}

async function refusal(run: Promise<unknown>): Promise<DiagnosisError> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DiagnosisError, `refused with ${String(error)}`);
  return error;
}

test('list: elements as they are written; without Go templates all is text and values are flat', async () => {
  const list = { list: { elements: [{ name: 'a', values: { x: '1' } }], elementsYaml: '- {name: b, port: 80}' } };
  assert.deepEqual(await paramsOf(list), [
    { name: 'a', values: { x: '1' } },
    { name: 'b', port: 80 },
  ]);
  assert.deepEqual((await paramsOf(list, {}, false))[0], { name: 'a', 'values.x': '1' });
  const numbers = await refusal(paramsOf({ list: { elements: [{ port: 80 }] } }, {}, false));
  assert.equal(numbers.diagnosis.place?.field, 'spec.generators[0].list.elements[0].port');
});

test('clusters: by labels of their Secrets; the control plane’s own only where nothing is selected', async () => {
  const clusters = [clusterSecret('prod-eu', 'https://eu', { env: 'prod' }), clusterSecret('dev', 'https://dev')];
  const all = await paramsOf({ clusters: { values: { host: '{{.nameNormalized}}.example.com' } } }, { clusters });
  assert.deepEqual(
    all.map(({ name, server, values }) => [name, server, values]),
    [
      ['dev', 'https://dev', { host: 'dev.example.com' }],
      ['prod-eu', 'https://eu', { host: 'prod-eu.example.com' }],
      ['in-cluster', 'https://kubernetes.default.svc', { host: 'in-cluster.example.com' }],
    ],
  );
  const selected = await paramsOf({ clusters: { selector: { matchLabels: { env: 'prod' } } } }, { clusters }, false);
  assert.deepEqual(selected, [
    {
      name: 'prod-eu',
      nameNormalized: 'prod-eu',
      server: 'https://eu',
      project: '',
      'metadata.annotations.note': 'prod-eu',
      'metadata.labels.env': 'prod',
    },
  ]);
  const [flat] = await paramsOf({ clusters: { flatList: true } }, { clusters });
  assert.ok(Array.isArray(flat?.clusters));
  assert.equal(flat.clusters.length, 3);
});

const tree = {
  'apps/one/config.yaml': 'owner: {name: a}\nport: 1234567\n',
  'apps/two/config.json': '[{"owner": {"name": "b"}}, {"owner": {"name": "c"}}]',
  'apps/two/deep/config.json': '{}',
  'other/x.txt': '',
};

test('git directories: globs stay in a folder, excludes win, the path is told in parts', async () => {
  const git = {
    repoURL: 'r',
    revision: 'HEAD',
    directories: [{ path: 'apps/*' }, { path: 'apps/two', exclude: true }],
  };
  assert.deepEqual(await paramsOf({ git }, { files: tree }), [
    { path: { path: 'apps/one', basename: 'one', basenameNormalized: 'one', segments: ['apps', 'one'] } },
  ]);
  assert.deepEqual(await paramsOf({ git: { ...git, pathParamPrefix: 'my' } }, { files: tree }, false), [
    {
      'my.path': 'apps/one',
      'my.path.basename': 'one',
      'my.path.basenameNormalized': 'one',
      'my.path[0]': 'apps',
      'my.path[1]': 'one',
    },
  ]);
});

test('git files: the patterns of git, or globs with **; a list makes several elements; numbers read as Go prints them', async () => {
  const git = {
    repoURL: 'r',
    revision: 'HEAD',
    files: [{ path: 'apps/*/config.json' }],
    values: { who: '{{.owner}}' },
  };
  const old = await paramsOf({ git }, { files: tree });
  assert.equal(old.length, 3);
  assert.deepEqual((old[0] as { owner: unknown }).owner, { name: 'b' });
  const globbing = { settings: { newGitFileGlobbing: true }, files: tree };
  assert.equal((await paramsOf({ git }, globbing)).length, 2);
  assert.equal((await paramsOf({ git: { ...git, files: [{ path: '**/config.*' }] } }, globbing)).length, 4);
  const [flat] = await paramsOf(
    { git: { ...git, values: {}, files: [{ path: 'apps/one/config.yaml' }] } },
    { files: tree },
    false,
  );
  assert.equal(flat?.['owner.name'], 'a');
  assert.equal(flat?.port, '1.234567e+06');
  assert.equal(flat?.['path.filename'], 'config.yaml');
  const bad = await refusal(paramsOf({ git: { ...git, files: [{ path: 'x' }] } }, { files: { x: 'just text' } }));
  assert.deepEqual(bad.diagnosis.place?.file, 'x');
});

test('matrix: the second generator is filled by the first, which wins; one may hold another matrix or merge, no deeper', async () => {
  const matrix = {
    matrix: {
      generators: [
        {
          list: {
            elements: [
              { folder: 'one', name: 'outer' },
              { folder: 'two', name: 'other' },
            ],
          },
        },
        { list: { elementsYaml: '- {at: "{{.folder}}", name: inner}' } },
      ],
    },
  };
  assert.deepEqual(await paramsOf(matrix), [
    { folder: 'one', name: 'outer', at: 'one' },
    { folder: 'two', name: 'other', at: 'two' },
  ]);
  const clash = await refusal(
    paramsOf(
      {
        matrix: {
          generators: [{ list: { elements: [{ name: 'a' }] } }, { list: { elements: [{ name: 'b' }] } }],
        },
      },
      {},
      false,
    ),
  );
  assert.match(clash.diagnosis.message, /found duplicate key name with different value, a: a ,b: b/);
  const nested = { matrix: { generators: [matrix, { list: { elements: [{ z: '1' }] } }] } };
  assert.equal((await paramsOf(nested)).length, 2);
  const tooDeep = { matrix: { generators: [nested, { list: { elements: [{ y: '1' }] } }] } };
  assert.match(
    (await refusal(paramsOf(tooDeep))).diagnosis.place?.field ?? '',
    /matrix\.generators\[0\]\.matrix\.generators\[0\]/,
  );
});

test('matrix: values of the second generator that speak of its own parameters stay for it', async () => {
  const matrix = {
    matrix: {
      generators: [
        { list: { elements: [{ env: 'prod' }] } },
        {
          clusters: { selector: { matchLabels: { env: '{{.env}}' } }, values: { both: '{{.env}}', own: '{{.name}}' } },
        },
      ],
    },
  };
  const clusters = [
    clusterSecret('eu', 'https://eu', { env: 'prod' }),
    clusterSecret('dev', 'https://dev', { env: 'dev' }),
  ];
  assert.deepEqual(
    (await paramsOf(matrix, { clusters })).map(({ name, values }) => [name, values]),
    [['eu', { both: 'prod', own: 'eu' }]],
  );
});

test('merge: others are put over the first where the keys agree; keys must be unique', async () => {
  const merge = (first: object[], second: object[]) => ({
    merge: {
      mergeKeys: ['name'],
      generators: [{ list: { elements: first } }, { list: { elements: second } }],
    },
  });
  assert.deepEqual(
    await paramsOf(
      merge([{ name: 'a', x: '1', y: { p: 1 } }, { name: 'b' }], [{ name: 'a', x: '2', y: { q: 2 } }, { name: 'c' }]),
    ),
    [{ name: 'a', x: '2', y: { p: 1, q: 2 } }, { name: 'b' }],
  );
  const twice = await refusal(paramsOf(merge([{ name: 'a' }, { name: 'a' }], [])));
  assert.match(twice.diagnosis.message, /Duplicate key was \{"name":"a"\}/);
});

test('a selector filters what came out, in nested generators too', async () => {
  const list = {
    list: {
      elements: [
        { name: 'a', m: { env: 'x' } },
        { name: 'b', m: { env: 'y' } },
      ],
    },
  };
  const selector = { matchExpressions: [{ key: 'm.env', operator: 'NotIn', values: ['y'] }] };
  assert.deepEqual(
    (await paramsOf({ ...list, selector })).map(({ name }) => name),
    ['a'],
  );
  const matrix = { matrix: { generators: [{ ...list, selector }, { list: { elements: [{ z: '1' }] } }] } };
  assert.equal((await paramsOf(matrix)).length, 1);
  const odd = await refusal(paramsOf({ ...list, selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } }));
  assert.match(odd.diagnosis.message, /"Like" is not a valid label selector operator/);
});

test('cluster decisions: the status names clusters; one that says nothing yet leaves a gap', async () => {
  const configMaps = {
    duck: {
      apiVersion: 'cluster.example.com/v1',
      kind: 'placements',
      statusListKey: 'decisions',
      matchKey: 'clusterName',
    },
  };
  const decision = (status: unknown) => ({
    apiVersion: 'cluster.example.com/v1',
    kind: 'Placement',
    metadata: { name: 'p', namespace: 'argocd' },
    ...(status ? { status } : {}),
  });
  const generator = { clusterDecisionResource: { configMapRef: 'duck', name: 'p', values: { a: 'b' } } };
  const clusters = [clusterSecret('eu', 'https://eu')];
  const said = decision({ decisions: [{ clusterName: 'eu', reason: 'near' }, { clusterName: 'unknown' }] });
  assert.deepEqual(await paramsOf(generator, { configMaps, clusters, decisions: [said] }), [
    { name: 'eu', server: 'https://eu', clusterName: 'eu', reason: 'near', values: { a: 'b' } },
  ]);
  const context = {
    set: applicationSet({}),
    dialect: { goTemplate: true, options: [] },
    sources: fixedSources({ configMaps, clusters, decisions: [decision(undefined)] }),
    refresh: false,
  };
  const [silent] = await evaluate(generator, context, 'spec.generators[0]');
  assert.equal(silent?.elements.length, 0);
  assert.equal(silent?.gaps[0]?.code, 'GeneratorIncomplete');
  await refusal(paramsOf(generator, { configMaps, clusters, decisions: [] }));
});

test('plugin: asks its service with the token; an answer without parameters is a failure, not an empty set', async (t) => {
  const service = await standIn({
    'POST /api/v1/getparams.execute': { output: { parameters: [{ key: 'v', deep: { n: 1 } }] } },
    'POST /broken/api/v1/getparams.execute': { output: {} },
  });
  t.after(() => service.close());
  const data = (path: string): FixedData => ({
    configMaps: { plugin: { baseUrl: `${service.url}${path}`, token: '$plugin-secret:token' } },
    secrets: { 'plugin-secret': { token: 'tok' } },
  });
  const generator = {
    plugin: { configMapRef: { name: 'plugin' }, input: { parameters: { a: 1 } }, values: { v: '{{.key}}' } },
  };
  assert.deepEqual(await paramsOf(generator, data('')), [
    { key: 'v', deep: { n: 1 }, generator: { input: { parameters: { a: 1 } } }, values: { v: 'v' } },
  ]);
  assert.deepEqual(service.requests, ['POST /api/v1/getparams.execute Bearer tok']);
  assert.match((await refusal(paramsOf(generator, data('/broken')))).diagnosis.message, /no output.parameters/);
});
