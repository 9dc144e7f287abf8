import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { ensureControlPlane } from '@tiphys/applications';
import { type Client, connect } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { runOwnCommands } from '../../../packages/serve/cli/own-commands.ts';
import { argocdVersion, findProgram } from '../support/find-program.ts';

/* Backup and restore of an installation, in the format of `argocd admin`. */

const folder = mkdtempSync(join(tmpdir(), 'tiphys-admin-'));
const kubeconfig = join(folder, 'kubeconfig');
let sandbox: Sandbox;
let client: Client;
before(async () => {
  sandbox = await startSandbox({ controllers: false, nodes: 0 });
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'admin' } });
  writeFileSync(kubeconfig, sandbox.kubeconfig);
  await ensureControlPlane(client, 'argocd');
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }).catch(() => undefined);
  await client.create({ ...app('shop'), status: { sync: { status: 'Synced' }, reconciledAt: '2026-01-01T00:00:00Z' } });
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'repo', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
    stringData: { url: 'https://example.com/a.git', password: 'secret' },
  });
  await client.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'other', namespace: 'argocd' } });
});
after(async () => {
  await client.close();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

const app = (name: string, path = 'a') => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  spec: {
    project: 'default',
    source: { repoURL: 'https://example.com/a.git', path, targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
  },
});

async function admin(...argv: string[]): Promise<string[]> {
  const lines: string[] = [];
  const code = await runOwnCommands(['admin', ...argv, '--kubeconfig', kubeconfig, '-n', 'argocd'], {
    output: { out: (text) => void lines.push(text), error: (text) => void lines.push(text), colours: false },
    env: {},
    workdir: folder,
    signal: new AbortController().signal,
    askPassword: async () => undefined,
  });
  assert.equal(code, 0, lines.join('\n'));
  return lines;
}

const shop = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'shop' };
const pathOf = async () => ((await client.get(shop)).spec as { source: { path: string } }).source.path;

test('what is exported comes back, and what is not in it goes only when it is asked for', async () => {
  await admin('export', '-o', 'backup.yaml');
  const text = readFileSync(join(folder, 'backup.yaml'), 'utf8');
  assert.equal(statSync(join(folder, 'backup.yaml')).mode & 0o077, 0);
  assert.doesNotMatch(text, /resourceVersion|managedFields|name: other/);
  assert.deepEqual(await admin('import', 'backup.yaml'), []);

  await client.patch(shop, 'merge', { spec: { source: { path: 'b' } } });
  await client.create(app('later'));
  const later = 'argoproj.io/Application later in namespace argocd';
  const update = 'argoproj.io/Application shop in namespace argocd updated';
  assert.deepEqual(await admin('import', 'backup.yaml', '--dry-run'), [
    `${update} (dry run)`,
    `${later} needs pruning (dry run)`,
  ]);
  assert.equal(await pathOf(), 'b');
  assert.deepEqual(await admin('import', 'backup.yaml', '--prune'), [update, `${later} pruned`]);
  assert.equal(await pathOf(), 'a');
  assert.equal(await client.find({ ...shop, name: 'later' }), undefined);
  assert.ok(await client.find({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'other' }));

  await client.patch(shop, 'merge', { metadata: { finalizers: null } });
  await client.delete(shop);
  assert.deepEqual(await admin('import', 'backup.yaml'), ['argoproj.io/Application shop in namespace argocd created']);
});

const argocd = findProgram('argocd', 'TIPHYS_ARGOCD', { version: argocdVersion });

test('each takes what the other exports', {
  skip: argocd ? false : 'no argocd CLI: set TIPHYS_ARGOCD or put it on PATH',
}, async () => {
  // the sandbox is of this process: it must go on while the program asks
  const run = async (...args: string[]) =>
    (await promisify(execFile)(argocd as string, ['admin', ...args, '-n', 'argocd', '--kubeconfig', kubeconfig]))
      .stdout;
  await admin('export', '-o', 'ours.yaml');
  assert.match(await run('import', join(folder, 'ours.yaml'), '--dry-run', '--verbose'), /Application shop unchanged/);
  writeFileSync(join(folder, 'theirs.yaml'), await run('export'));
  assert.deepEqual(await admin('import', 'theirs.yaml'), []);
  await client.patch(shop, 'merge', { spec: { source: { path: 'c' } } });
  await run('import', join(folder, 'ours.yaml'));
  assert.equal(await pathOf(), 'a');
});
