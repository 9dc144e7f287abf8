import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../testing/start-test-server.ts';

test('a setting that changes nothing is told once, when it is set', async (t) => {
  const told: string[] = [];
  const { configure } = await startTestServer(t, {
    log: (level, message) => void (level === 'warn' && told.push(message)),
  });
  const about = () => told.filter((message) => message.includes('changes nothing'));
  await configure('argocd-cm', { 'timeout.hard.reconciliation': '1h', url: 'https://here.example' });
  assert.equal(about().length, 1);
  assert.match(about()[0] ?? '', /^timeout\.hard\.reconciliation of argocd-cm changes nothing: /);
  await configure('argocd-cm', { url: 'https://there.example' });
  assert.equal(about().length, 1);
  await configure('argocd-cmd-params-cm', { 'server.enable.gzip': 'false' });
  assert.equal(about().length, 2);
});

test('values that mean nothing, and misspelt keys, are told once with what was wanted', async (t) => {
  const told: string[] = [];
  const { configure } = await startTestServer(t, {
    log: (level, message) => void (level === 'warn' && told.push(message)),
  });
  const about = () => told.filter((message) => message.includes('is ignored'));
  await configure('argocd-cm', {
    'users.session.duration': 'forever',
    'users.anonymus.enabled': 'true',
    'exec.enabled': 'yes',
    'accounts.ci': 'apiKey, fly',
    'accounts.dev': 'login',
    passwordPattern: '([',
    url: 'cd.example.com',
    'some.key.of.others': 'x',
  });
  const wanted = [
    /^users\.session\.duration of argocd-cm is ignored: found "forever", wanted a duration/,
    /^users\.anonymus\.enabled of argocd-cm is ignored: there is no such key; users\.anonymous\.enabled is one/,
    /^exec\.enabled of argocd-cm is ignored: found "yes", wanted true or false/,
    /^accounts\.ci of argocd-cm is ignored: found "apiKey, fly", wanted login, apiKey/,
    /^passwordPattern of argocd-cm is ignored: found "\(\[", wanted a regular expression/,
    /^url of argocd-cm is ignored: found "cd\.example\.com", wanted an address/,
  ];
  for (const pattern of wanted)
    assert.ok(
      about().some((message) => pattern.test(message)),
      `${pattern}: ${about()}`,
    );
  assert.equal(about().length, wanted.length, about().join('\n'));
  await configure('argocd-cm', { 'exec.enabled': 'yes' });
  assert.equal(about().length, wanted.length);
});

test('what keeps single sign-on from working, and lines of the policy without effect, are told when they are set', async (t) => {
  const told: string[] = [];
  const { configure } = await startTestServer(t, {
    log: (level, message) => void (level === 'warn' && told.push(message)),
  });
  const about = (pattern: RegExp) => told.filter((message) => pattern.test(message)).length;
  await configure('argocd-cm', { 'oidc.config': 'issuer: sso.example.com\nclientID: argo' });
  assert.equal(about(/oidc\.config\.issuer of argocd-cm is not an http\(s\) URL/), 1);
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, role:dev, aplications, get, */*, allow' });
  assert.equal(about(/line 1 of policy\.csv .* there is no resource "aplications"/), 1);
  await configure('argocd-cm', { 'oidc.config': 'issuer: https://sso.example.com\nclientID: argo' });
  assert.equal(about(/oidc\.config/), 1);
});
