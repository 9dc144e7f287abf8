import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { kustomizeCommand } from '../command/kustomize-command.ts';
import { memoryTree } from '../load/file-tree.ts';
import type { Remotes } from '../load/loader.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-kustomize-localize-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\n`;
const remotes: Remotes = {
  repository: async () => ({
    tree: memoryTree({ 'deploy/kustomization.yaml': 'resources: [pod.yaml]\n', 'deploy/pod.yaml': pod('far') }),
    root: '/',
  }),
  file: async (url) =>
    url.startsWith('https://example.com')
      ? { status: 200, statusText: '200 OK', body: Buffer.from(pod('fetched')) }
      : { status: 404, statusText: '404 Not Found', body: Buffer.from('') },
};

let count = 0;
async function localize(files: Readonly<Record<string, string>>, ...args: string[]) {
  const workdir = join(folder, String(count++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workdir, name)), { recursive: true });
    writeFileSync(join(workdir, name), text);
  }
  let error = '';
  const print = (text: string) => {
    error += text;
  };
  const code = await kustomizeCommand(['localize', ...args], { workdir, env: {}, out: print, error: print, remotes });
  return { code, error, read: (path: string) => readFileSync(join(workdir, path), 'utf8'), workdir };
}

test('a copy has all that was named beside it, and builds the same', async () => {
  const { code, error, read } = await localize(
    {
      'top/kustomization.yaml':
        'resources:\n- ../base\n- https://github.com/org/repo//deploy?ref=v1\n- https://example.com:8443/a/pod.yaml\n' +
        'configMapGenerator: [{name: a, files: [k=f.txt]}]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: x}\n  path: p.yaml\n  target: {kind: Pod}\n',
      'top/f.txt': 'text',
      'top/p.yaml': '- {op: add, path: /spec, value: {a: b}}\n',
      'base/kustomization.yaml': 'resources: [pod.yaml]\n',
      'base/pod.yaml': pod('base'),
    },
    ...['top', 'out', '--scope', '.'],
  );
  assert.equal(code, 0, error);
  assert.match(error, /VERIFICATION SUCCESS: .*\nSUCCESS: localized "top" to directory /);
  assert.match(
    read('out/top/kustomization.yaml'),
    /resources:\n- \.\.\/base\n- localized-files\/github\.com\/org\/repo\/v1\/deploy\n- localized-files\/example\.com\/a\/pod\.yaml\n/,
  );
  assert.equal(read('out/top/localized-files/github.com/org/repo/v1/deploy/pod.yaml'), pod('far'));
  assert.equal(read('out/top/localized-files/example.com/a/pod.yaml'), pod('fetched'));
  assert.equal(read('out/base/pod.yaml'), pod('base'));
});

test('what leaves the scope, or moves with a branch, is refused and leaves nothing behind', async () => {
  const files = { 'top/kustomization.yaml': 'resources: [../base]\n', 'base/kustomization.yaml': 'namePrefix: a\n' };
  const outside = await localize(files, 'top', 'out');
  assert.equal(outside.code, 1);
  assert.match(outside.error, /root ".*\/base" outside localize scope ".*\/top"/);
  assert.equal(existsSync(join(outside.workdir, 'out')), false);
  const moving = await localize({ 'top/kustomization.yaml': 'resources: ["https://github.com/a/b//deploy"]\n' }, 'top');
  assert.match(moving.error, /missing ref query string parameter/);
  assert.match((await localize({ ...files, 'out/x': '' }, 'top', 'out')).error, /destination "out" already exists/);
});
