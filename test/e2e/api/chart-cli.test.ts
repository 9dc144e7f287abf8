import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type HelmRepositoryServer,
  type OciRegistryServer,
  packageChart,
  startHelmRepository,
  startOciRegistry,
} from '@tiphys/registry/testing';
import { argocdVersion, findProgram } from '../support/find-program.ts';
import { World } from '../support/world.ts';

const argocdPath = findProgram('argocd', 'TIPHYS_ARGOCD', { version: argocdVersion });
const skip = argocdPath ? false : 'no argocd CLI: set TIPHYS_ARGOCD or put it on PATH';
const user = { username: 'robot', password: 'MARKER-cli-password' };

describe('the argocd CLI with charts', { skip }, () => {
  let world: World;
  let config: string;
  let repository: HelmRepositoryServer;
  let registry: OciRegistryServer;
  before(async () => {
    world = await World.start();
    config = mkdtempSync(join(tmpdir(), 'tiphys-argocd-'));
    repository = await startHelmRepository({ auth: user });
    registry = await startOciRegistry({ auth: { kind: 'basic', ...user } });
    for (const version of ['1.0.0', '1.1.0', '2.0.0']) {
      repository.add('web', version, packageChart('web', version));
      registry.pushChart('charts/web', version, packageChart('web', version));
    }
    const { host } = new URL(world.url);
    await argocd('login', host, '--username', 'admin', '--password', world.password);
  });
  after(async () => {
    await world.close();
    await repository.close();
    await registry.close();
    rmSync(config, { recursive: true, force: true });
  });

  /** Runs the CLI; its output, or its errors if it fails. */
  function run(args: readonly string[]): Promise<{ ok: boolean; text: string }> {
    const { host } = new URL(world.url);
    const server = args[0] === 'login' ? [] : ['--server', host];
    const all = [...args, '--config', join(config, 'config'), ...server, '--plaintext'];
    const env = { PATH: process.env.PATH ?? '', HOME: config };
    return new Promise((resolve) => {
      execFile(argocdPath as string, all, { env, timeout: 90_000 }, (error, stdout, stderr) =>
        resolve({ ok: !error, text: error ? `${stderr}${stdout}` : stdout }),
      );
    });
  }

  async function argocd(...args: string[]): Promise<string> {
    const { ok, text } = await run(args);
    assert.ok(ok, `argocd ${args.join(' ')}: ${text}`);
    assert.ok(!text.includes(user.password));
    return text;
  }

  async function refused(...args: string[]): Promise<string> {
    const { ok, text } = await run(args);
    assert.ok(!ok, `argocd ${args.join(' ')} succeeded: ${text}`);
    assert.ok(!text.includes(user.password));
    return text;
  }

  const credentials = ['--username', user.username, '--password', user.password];
  const cluster = ['--dest-server', 'https://kubernetes.default.svc', '--dest-namespace'];

  test('a Helm repository is added, an application of its chart is created, synced, upgraded and rolled back', async () => {
    const namespace = await world.targetNamespace();
    assert.match(await refused('repo', 'add', repository.url, '--type', 'helm', '--name', 'mine'), /credentials|401/);
    await argocd('repo', 'add', repository.url, '--type', 'helm', '--name', 'mine', ...credentials);
    assert.match(await argocd('repo', 'list'), /helm\s+mine\s+http:[^\n]+Successful/);
    const source = ['--repo', repository.url, '--helm-chart', 'web'];
    assert.match(
      await refused('app', 'create', 'shop', ...source, '--revision', '^9', ...cluster, namespace),
      /no version \^9/,
    );
    await argocd('app', 'create', 'shop', ...source, '--revision', '1.0.0', ...cluster, namespace);
    await argocd('app', 'sync', 'shop');
    assert.match(await argocd('app', 'get', 'shop'), /Target:\s+1\.0\.0/);
    assert.match(await argocd('app', 'manifests', 'shop'), /version: 1\.0\.0/);
    await argocd('app', 'set', 'shop', '--revision', '1.x');
    assert.match((await run(['app', 'diff', 'shop', '--refresh'])).text, /1\.1\.0/);
    await argocd('app', 'sync', 'shop');
    assert.match(await argocd('app', 'history', 'shop'), /1\.0\.0\n1 .* 1\.x/);
    assert.equal((await world.application('shop')).status?.history?.at(-1)?.revision, '1.1.0');
    await argocd('app', 'rollback', 'shop', '0');
    await world.waitForApplication(
      'shop',
      'the first version again',
      (app) => app.status?.history?.at(-1)?.revision === '1.0.0',
    );
  });

  test('a registry is added and an application of its chart is created and synced', async () => {
    const namespace = await world.targetNamespace();
    const url = `${registry.host}/charts`;
    const oci = ['--type', 'helm', '--name', 'oci', '--enable-oci', '--insecure-oci-force-http'];
    await refused('repo', 'add', url, ...oci, '--username', 'robot', '--password', 'wrong');
    await argocd('repo', 'add', url, ...oci, ...credentials);
    const source = ['--repo', url, '--helm-chart', 'web', '--revision', '1.*'];
    await argocd('app', 'create', 'from-registry', ...source, ...cluster, namespace);
    await argocd('app', 'sync', 'from-registry');
    const app = await world.application('from-registry');
    assert.equal(app.status?.operationState?.syncResult?.revision, '1.1.0');
  });
});
