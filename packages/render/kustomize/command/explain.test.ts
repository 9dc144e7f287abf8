import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { kustomizeCommand } from './kustomize-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-kustomize-explain-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const files = {
  'base/kustomization.yaml': 'resources: [web.yaml]\nconfigMapGenerator:\n- name: cfg\n  files: [app.conf]\n',
  'base/app.conf': 'x=1\n',
  'base/web.yaml':
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  template: {spec: {containers: [{name: web, image: nginx}]}}\n',
  'over/kustomization.yaml':
    'resources: [../base]\nnamePrefix: p-\nimages:\n- name: nginx\n  newTag: "2"\npatches:\n- path: patch.yaml\n',
  'over/patch.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n',
};

async function explain(...args: string[]): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  let out = '';
  const print = (text: string) => {
    out += text;
  };
  await kustomizeCommand(['build', 'over', '--explain', ...args], {
    workdir: folder,
    env: {},
    out: print,
    error: print,
  });
  return out;
}

test('every field is told with the file that wrote it and the entry that changed it', async () => {
  const lines = (await explain()).split('\n').map((line) => line.replace(/ +/g, ' '));
  for (const line of [
    '# apps/v1 Deployment p-web base/web.yaml:1',
    'kind Deployment base/web.yaml:2',
    'metadata.name p-web over/kustomization.yaml:2 <- namePrefix',
    'spec.replicas 3 over/patch.yaml:5 <- patches[0] of over/kustomization.yaml',
    'spec.template.spec.containers[0].image nginx:2 over/kustomization.yaml:4 <- images[0]',
    'spec.template.spec.containers[0].name web base/web.yaml:7',
    'data.[app.conf] x=1\\n base/app.conf:1 <- configMapGenerator[0] of base/kustomization.yaml',
  ])
    assert.ok(lines.includes(line), `${line}\n${lines.join('\n')}`);
});

test('as JSON for programs', async () => {
  const [, web] = JSON.parse(await explain('-o', 'json')) as { name: string; leaves: { path: string }[] }[];
  assert.equal(web?.name, 'p-web');
  assert.deepEqual(
    web.leaves.find(({ path }) => path === 'spec.replicas'),
    {
      path: 'spec.replicas',
      value: '3',
      file: 'over/patch.yaml',
      line: 5,
      entry: 'patches[0]',
      kustomization: 'over/kustomization.yaml',
    },
  );
});
