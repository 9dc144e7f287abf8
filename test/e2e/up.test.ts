import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { connect, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { kubeconfigVariable } from './cluster.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'tiphys-up-'));
const environment = { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), NO_COLOR: '1' };
const children = new Set<ChildProcess>();
after(() => {
  // one that a failed test has left would keep this process alive
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

/** A `tiphys` command that runs until it is stopped. */
function start(args: readonly string[]) {
  const child = spawn(process.execPath, [join(root, 'scripts', 'bootstrap.mjs'), ...args], {
    cwd: folder,
    env: { ...environment, INIT_CWD: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let text = '';
  const waiting: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (const look of waiting) look();
    });
  const exit = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  const printed = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = text.match(pattern);
        if (match) resolve(match);
      };
      waiting.push(look);
      look();
      void exit.then((code) => reject(new Error(`It ended with ${code} before it printed ${pattern}:\n${text}`)));
    });
  const stop = async () => {
    child.kill('SIGINT');
    return exit;
  };
  return { printed, stop, exit, text: () => text };
}

function run(...args: string[]): Promise<{ code: number | null; text: string }> {
  const command = start(args);
  return command.exit.then((code) => ({ code, text: command.text() }));
}

describe('tiphys up', { skip: process.env[kubeconfigVariable] ? 'starts a sandbox of its own' : false }, () => {
  test('--example rollouts plays a release that is measured, goes wrong and is rolled back', async () => {
    const up = start(['up', '--port', '0', '--example', 'rollouts', '--no-metrics']);
    await up.printed(/All pods have nginx:1\.28 again/);
    assert.match(up.text(), /20 % of the pods are to have nginx:1\.29/);
    assert.match(up.text(), /error-ratio \[0\.003\] ✓/);
    assert.match(up.text(), /error-ratio \[0\.\d+\] ✗/);
    assert.match(up.text(), /✗ RolloutAborted: .*"error-ratio" assessed Failed/);
    const [, kubeconfig = ''] = await up.printed(/Kubeconfig:\s+(\S+)/);
    const shown = await run('rollouts', '--kubeconfig', kubeconfig, '-n', 'rollouts', 'get', 'rollout', 'web');
    assert.match(shown.text, /ScaledDown\s+.*canary/);
    assert.equal(await up.stop(), 0);
  });

  test('starts everything, delivers the example, serves the command line, stops cleanly and finds its state again', async () => {
    const data = join(folder, 'data');
    const first = start(['up', '--port', '0', '--data', data, '--audit-log', 'audit.log']);
    const [, url] = await first.printed(/Tiphys is up:\s+(http\S+)/);
    assert.match(first.text(), /✓ Application guestbook from .*: Synced, Healthy/);
    const server = ['--server', url as string];
    const list = await run(...server, 'app', 'list');
    assert.equal(list.code, 0, list.text);
    assert.match(list.text, /argocd\/guestbook\s.*Synced\s+Healthy/);
    const shown = await run(...server, 'app', 'get', 'guestbook', '-o', 'tree');
    assert.match(shown.text, /Deployment\/guestbook Healthy/);
    assert.match(shown.text, /Pod\/guestbook-/);
    assert.equal((await run(...server, 'app', 'diff', 'guestbook')).code, 0);
    assert.equal((await run(...server, 'app', 'wait', 'guestbook', '--timeout', '60')).code, 0);
    assert.match((await run(...server, 'app', 'history', 'guestbook')).text, /^0\s/m);
    assert.match((await run(...server, 'app', 'manifests', 'guestbook')).text, /kind: Deployment/);
    const unknown = await run(...server, 'app', 'get', 'nowhere');
    assert.equal(unknown.code, 20, unknown.text);
    assert.equal(await first.stop(), 0);
    assert.match(readFileSync(join(folder, 'audit.log'), 'utf8'), /"apiVersion":"audit.k8s.io\/v1"/);

    const kubeconfig = readFileSync(join(data, 'kubeconfig'), 'utf8');
    assert.match(kubeconfig, /current-context/);
    const second = start(['up', '--port', '0', '--data', data, '--no-example']);
    await second.printed(/Tiphys is up/);
    const client = connect(loadKubeconfig(readFileSync(join(data, 'kubeconfig'), 'utf8'), { baseDir: data }), {
      asker: { component: 'test', purpose: 'look' },
      clock: systemClock,
    });
    const application = await client.get({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      namespace: 'argocd',
      name: 'guestbook',
    });
    assert.equal((application.status as { history?: unknown[] }).history?.length, 1);
    await client.close();
    assert.equal(await second.stop(), 0);
  });

  test('explains a folder that is no repository', async () => {
    const instance = start(['up', '--port', '0', '--repo', folder]);
    await instance.printed(/Tiphys is up/);
    assert.match(instance.text(), /ComparisonError: .*not a git repository/i);
    await instance.stop();
  });
});

test('tiphys names what is wrong with its arguments', async () => {
  const unknown = await run('app', 'lits');
  assert.equal(unknown.code, 1);
  assert.match(unknown.text, /unknown command 'lits'[\s\S]*Did you mean list/);
  const nobody = await run('--server', 'http://127.0.0.1:1', 'app', 'list');
  assert.equal(nobody.code, 11);
  assert.match(nobody.text, /Cannot reach the Tiphys server/);
});

test('tiphys prints completion scripts', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, text } = await run('completion', shell);
    assert.equal(code, 0);
    assert.match(text, /rollback/);
  }
});
