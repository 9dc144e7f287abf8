import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { usualKubeconfig } from './kubeconfig-file.ts';
import { dropSession, saveSession, sessionFile } from './session-file.ts';

const server = 'http://127.0.0.1:8080';

function home(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-home-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return { folder, env: { HOME: folder, XDG_CONFIG_HOME: join(folder, '.config') } };
}

test('a command that names no kubeconfig works on the sandbox of the server in use, where the user has no cluster', (t) => {
  const { folder, env } = home(t);
  const own = join(folder, '.kube', 'config');
  assert.equal(usualKubeconfig(env), own, 'kubectl would look there, too');
  saveSession(sessionFile(env), server, { token: 'x', kubeconfig: '/data/kubeconfig' });
  assert.equal(usualKubeconfig(env), '/data/kubeconfig');
  assert.equal(usualKubeconfig({ ...env, KUBECONFIG: '/other' }), '/other');

  saveSession(sessionFile(env), 'http://127.0.0.1:9090', { token: 'x' });
  assert.equal(usualKubeconfig(env), own, 'the server in use has no sandbox');

  dropSession(sessionFile(env), 'http://127.0.0.1:9090');
  assert.equal(usualKubeconfig(env), '/data/kubeconfig');
  dropSession(sessionFile(env), server);
  assert.equal(usualKubeconfig(env), own, 'a server that is gone leaves nothing');
});

test('a cluster of the user comes before a sandbox', (t) => {
  const { folder, env } = home(t);
  saveSession(sessionFile(env), server, { token: 'x', kubeconfig: '/data/kubeconfig' });
  mkdirSync(join(folder, '.kube'));
  writeFileSync(join(folder, '.kube', 'config'), 'apiVersion: v1');
  assert.equal(usualKubeconfig(env), join(folder, '.kube', 'config'));
});
