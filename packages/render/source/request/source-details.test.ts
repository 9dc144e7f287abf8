import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ApplicationSource } from '@tiphys/api';
import { readPluginConfig, startPluginServer } from '@tiphys/plugin';
import { requestFor, SourceWorld } from '../testing/source-world.ts';

const world = new SourceWorld();
const sockets = join(world.folder, 'sockets');
const manifests = world.manifestsOf({ pluginFolders: [sockets] });
const repository = world.repositoryOf({
  'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
  'chart/values.yaml': 'image: {tag: v1}\nports: [80, 81]\nnone: null\nempty: {}\nswitch: true\n',
  'chart/values-prod.yaml': 'image: {tag: v2}\n',
  'chart/env/values.yml': 'a: b\n',
  'chart/templates/broken.yaml': '{{ fail "never rendered" }}',
  'kust/kustomization.yaml': 'resources: [pod.yaml]\nimages: [{name: web, newTag: v9}]\n',
  'kust/pod.yaml':
    'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  initContainers: [{name: i, image: init}]\n  containers: [{name: c, image: web}]\n',
  'dotted/Chart.yaml': 'apiVersion: v2\nname: dotted\nversion: 1.0.0\n',
  'dotted/values.yaml': 'labels:\n  example.com/team: "1"\n',
  'plain/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
});

const details = (source: Partial<ApplicationSource>) =>
  manifests.details(requestFor(repository, { path: '', ...source }));

test('details() of a chart: its values files, and the values of those that are chosen, without rendering it', async () => {
  const prod = 'chart/values-prod.yaml';
  const inChart = (line: number, value: string) => ({ file: 'chart/values.yaml', line, value });
  const helm = { valueFiles: ['values-prod.yaml'], fileParameters: [{ name: 'f', path: 'files/x' }] };
  assert.deepEqual(await details({ path: 'chart', helm }), {
    type: 'Helm',
    helm: {
      valueFiles: ['env/values.yml', 'values-prod.yaml', 'values.yaml'],
      values: 'image: {tag: v1}\nports: [80, 81]\nnone: null\nempty: {}\nswitch: true\n',
      parameters: [
        {
          name: 'image.tag',
          isText: true,
          value: 'v2',
          places: [inChart(1, 'v1'), { ...inChart(1, 'v2'), file: prod }],
        },
        { name: 'none', isText: false, value: '<nil>', places: [inChart(3, '<nil>')] },
        { name: 'ports[0]', isText: false, value: '80', places: [inChart(2, '80')] },
        { name: 'ports[1]', isText: false, value: '81', places: [inChart(2, '81')] },
        { name: 'switch', isText: false, value: 'true', places: [inChart(5, 'true')] },
      ],
      fileParameters: [{ name: 'f', path: 'files/x' }],
    },
  });
});

test('details() of a chart say how a key with dots is set', async () => {
  const { helm } = await details({ path: 'dotted' });
  assert.deepEqual(
    helm?.parameters.map(({ name, set, isText }) => [name, set, isText]),
    [['labels.example.com/team', 'labels.example\\.com/team', true]],
  );
});

test('details() of a kustomization are the images of what it builds', async () => {
  assert.deepEqual(await details({ path: 'kust' }), { type: 'Kustomize', kustomize: { images: ['init', 'web:v9'] } });
  assert.deepEqual(await details({ path: 'plain' }), { type: 'Directory' });
});

test('details() of a plugin are the parameters that it announces', async (t) => {
  const spec = {
    generate: { command: ['true'] },
    parameters: { static: [{ name: 'size' }], dynamic: { command: ['echo', '[{"name": "dynamic"}]'] } },
  };
  const config = { kind: 'ConfigManagementPlugin', metadata: { name: 'p' }, spec };
  const server = await startPluginServer({
    config: readPluginConfig(JSON.stringify(config), 'plugin.yaml'),
    socketFolder: sockets,
  });
  t.after(() => server.close());
  const { type, plugin } = await details({ path: 'plain', plugin: { name: 'p' } });
  assert.equal(type, 'Plugin');
  assert.deepEqual(
    plugin?.parametersAnnouncement.map(({ name }) => name),
    ['dynamic', 'size'],
  );
});
