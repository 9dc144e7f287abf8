import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connect, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { kubeconfigVariable } from '../support/cluster.ts';
import { folder, run, start } from '../support/tiphys-command.ts';

interface AuditEvent {
  readonly verb: string;
  readonly userAgent: string;
  readonly objectRef?: { readonly resource?: string };
}

describe('tiphys up', { skip: process.env[kubeconfigVariable] ? 'starts a sandbox of its own' : false }, () => {
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
    const audit = readFileSync(join(folder, 'audit.log'), 'utf8');
    assert.match(audit, /"apiVersion":"audit.k8s.io\/v1"/);
    const followers = audit
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as AuditEvent)
      .filter(({ verb, objectRef }) => verb === 'watch' && objectRef?.resource === 'applications')
      .map(({ userAgent }) => userAgent);
    // controllers, notifications and API of one process look at one copy; the cluster's objects and the sandbox's own are others
    const parts = [
      '(cli; -; start)',
      '(controller; -; cluster cache)',
      '(controller; -; watch the control plane)',
      '(generic-garbage-collector; -; watch metadata)',
    ];
    assert.deepEqual([...new Set(followers.map((agent) => agent.replace(/^\S+ /, '')))].sort(), parts);

    const kubeconfig = readFileSync(join(data, 'kubeconfig'), 'utf8');
    assert.match(kubeconfig, /current-context/);
    const second = start(['up', '--port', '0', '--data', data, '--no-example']);
    await second.printed(/Tiphys is up/);
    const client = connect(loadKubeconfig(readFileSync(join(data, 'kubeconfig'), 'utf8'), { baseDir: data }), {
      caller: { component: 'test', purpose: 'look' },
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
