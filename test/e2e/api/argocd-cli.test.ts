import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { argocdVersion, findProgram } from '../support/find-program.ts';
import { configMap, deployment } from '../support/manifests.ts';
import { World } from '../support/world.ts';

/** The real `argocd` CLI (3.5), the first client. It cannot be had from the package registries: TIPHYS_ARGOCD or PATH names it. */
const argocdPath = findProgram('argocd', 'TIPHYS_ARGOCD', { version: argocdVersion });
const skip = argocdPath ? false : 'no argocd CLI: set TIPHYS_ARGOCD or put it on PATH';

describe('the argocd CLI', { skip }, () => {
  let world: World;
  let config: string;
  before(async () => {
    world = await World.start();
    config = mkdtempSync(join(tmpdir(), 'tiphys-argocd-'));
  });
  after(async () => {
    await world.close();
    rmSync(config, { recursive: true, force: true });
  });

  /** Runs the CLI and answers with its exit code and what it printed. */
  function argocd(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { host } = new URL(world.url);
    const all = [...args, '--config', join(config, 'config'), '--server', host, '--plaintext'];
    return new Promise((resolve) => {
      execFile(
        argocdPath as string,
        all,
        { env: { PATH: process.env.PATH ?? '', HOME: config }, timeout: 90_000 },
        (error, stdout, stderr) => {
          resolve({ code: error ? (typeof error.code === 'number' ? error.code : 1) : 0, stdout, stderr });
        },
      );
    });
  }

  async function succeeds(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await argocd(args);
    assert.equal(code, 0, `argocd ${args.join(' ')}: ${stderr}\n${stdout}`);
    return stdout;
  }

  for (const web of [[], ['--grpc-web']]) {
    const mode = web.length > 0 ? ' over gRPC-web' : '';
    test(`logs in and asks for version and user${mode}`, async () => {
      const { host } = new URL(world.url);
      const login = await new Promise<{ code: number; text: string }>((resolve) => {
        execFile(
          argocdPath as string,
          [
            'login',
            host,
            '--plaintext',
            '--username',
            'admin',
            '--password',
            world.password,
            '--config',
            join(config, 'config'),
            ...web,
          ],
          { env: { PATH: process.env.PATH ?? '', HOME: config } },
          (error, stdout, stderr) => resolve({ code: error ? 1 : 0, text: stdout + stderr }),
        );
      });
      assert.equal(login.code, 0, login.text);
      assert.match(login.text, /'admin:login' logged in successfully/);
      assert.match(await succeeds('version', ...web), /argocd-server: v3\.5\.1/);
      assert.match(await succeeds('account', 'get-user-info', ...web), /Username: admin/);
    });
  }

  test('creates, lists, gets, syncs, waits, diffs, changes, rolls back and deletes an application', async () => {
    const namespace = await world.targetNamespace();
    const repository = world.repository({
      'app/a.yaml': configMap('settings', 'one'),
      'app/b.yaml': deployment('web'),
    });
    await succeeds(
      'app',
      'create',
      'shop',
      '--repo',
      repository.url,
      '--path',
      'app',
      '--revision',
      'main',
      '--dest-server',
      'https://kubernetes.default.svc',
      '--dest-namespace',
      namespace,
    );
    assert.match(await succeeds('app', 'list'), new RegExp(`${world.namespace}/shop`));
    const differs = await argocd(['app', 'diff', 'shop']);
    assert.equal(differs.code, 1, differs.stderr);
    assert.match(differs.stdout, /ConfigMap/);
    assert.match(await succeeds('app', 'sync', 'shop', '--timeout', '60'), /Succeeded/);
    await succeeds('app', 'wait', 'shop', '--timeout', '60');
    assert.equal((await argocd(['app', 'diff', 'shop'])).code, 0);
    const shown = await succeeds('app', 'get', 'shop');
    assert.match(shown, /Sync Status:\s+Synced to main/);
    assert.match(shown, /Health Status:\s+Healthy/);
    assert.match(await succeeds('app', 'resources', 'shop'), /Deployment/);
    assert.match(await succeeds('app', 'manifests', 'shop'), /name: settings/);
    assert.match(await succeeds('app', 'get', 'shop', '-o', 'json'), /"kind": "Application"|"metadata"/);
    repository.commit({ 'app/a.yaml': configMap('settings', 'two') });
    await succeeds('app', 'sync', 'shop', '--timeout', '60');
    assert.match(await succeeds('app', 'history', 'shop'), /^1\s/m);
    await succeeds('app', 'rollback', 'shop', '0', '--timeout', '60');
    const live = await world.client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settings' });
    assert.deepEqual(live.data, { value: 'one' });
    await succeeds('app', 'set', 'shop', '--sync-policy', 'automated', '--auto-prune', '--self-heal');
    await world.waitFor(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settings' },
      'the newest value',
      (object) => (object?.data as { value?: string } | undefined)?.value === 'two',
    );
    await succeeds('app', 'delete', 'shop', '--yes');
    await world.waitFor(world.applicationRef('shop'), 'the Application to go', (object) => object === undefined);
    await world.waitFor(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settings' },
      'its objects to go',
      (object) => object === undefined,
    );
  });

  test('handles projects, repositories and clusters', async () => {
    await succeeds('proj', 'create', 'team', '--dest', 'https://kubernetes.default.svc,team-*', '--src', '*');
    assert.match(await succeeds('proj', 'list'), /team/);
    assert.match(await succeeds('proj', 'get', 'team'), /team-\*/);
    const repository = world.repository({ 'a.yaml': configMap('a', 'one') });
    await succeeds('repo', 'add', repository.url);
    assert.match(await succeeds('repo', 'list'), /Successful/);
    assert.match(await succeeds('cluster', 'list'), /in-cluster/);
  });

  test('adds a cluster by a service account that it makes there, and delivers to it', async () => {
    await using target = await startSandbox();
    await succeeds('cluster', 'add', 'sandbox', '--name', 'added', '--yes', '--kubeconfig', target.writeKubeconfig());
    assert.match(await succeeds('cluster', 'list'), /added/);
    const repository = world.repository({ 'a.yaml': configMap('carried', 'one') });
    await world.createApplication('over-there', repository, {
      targetNamespace: 'default',
      destination: { name: 'added', namespace: 'default' },
      syncPolicy: { automated: {} },
    });
    await world.healthy('over-there');
    const client = connect(target.config, { caller: { component: 'test', purpose: 'test' } });
    try {
      const found = await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'carried' });
      assert.deepEqual(found.data, { value: 'one' });
    } finally {
      await client.close();
    }
  });

  test('reports an unknown application as Argo CD does', async () => {
    const { code, stderr } = await argocd(['app', 'get', 'nowhere']);
    assert.equal(code, 20);
    assert.match(stderr, /PermissionDenied|NotFound|not found/);
  });
});
