import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { environmentOptions } from '../environment.ts';
import { startTestServer } from '../testing/start-test-server.ts';
import { servedAs } from './served-as.ts';

test('style sheets of ui.cssurl come from a folder or another server, and nothing else does', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-styles-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [webDir, stylesDir] = [join(folder, 'page'), join(folder, 'custom')];
  for (const dir of [webDir, stylesDir]) mkdirSync(dir);
  writeFileSync(join(webDir, 'index.html'), '<html><head></head><body>page</body></html>');
  writeFileSync(join(folder, 'secret.css'), 'secret');
  writeFileSync(join(stylesDir, 'mine.css'), 'body { color: red }');
  writeFileSync(join(stylesDir, 'page.html'), '<script>1</script>');
  symlinkSync(join(folder, 'secret.css'), join(stylesDir, 'link.css'));
  // as a ConfigMap is mounted
  mkdirSync(join(stylesDir, '..data'));
  writeFileSync(join(stylesDir, '..data', 'mounted.css'), 'b {}');
  symlinkSync(join('..data', 'mounted.css'), join(stylesDir, 'mounted.css'));
  const { call, configure } = await startTestServer(t, { webDir, stylesDir });
  const styles = await call('/custom/mine.css');
  assert.deepEqual([styles.status, styles.headers.get('content-type')], [200, 'text/css; charset=utf-8']);
  assert.match(String(styles.body.text), /color: red/);
  assert.equal((await call('/custom/mounted.css')).status, 200);
  for (const path of ['page.html', 'link.css', 'absent.css', '..%2fsecret.css', ''])
    assert.equal((await call(`/custom/${path}`)).status, 404, path);
  const policy = async () => (await call('/applications')).headers.get('content-security-policy') ?? '';
  await configure('argocd-cm', { 'ui.cssurl': 'https://styles.example.com/a/b.css' });
  assert.match(await policy(), /style-src 'self' 'unsafe-inline' https:\/\/styles\.example\.com;/);
  for (const address of [
    'http://styles.example.com/a.css',
    "https://x'; script-src *",
    'https://x;script-src.example.com/a.css',
    './custom/mine.css',
  ]) {
    await configure('argocd-cm', { 'ui.cssurl': address });
    assert.match(await policy(), /style-src 'self' 'unsafe-inline';/, address);
  }
});

test('argocd-cmd-params-cm says live under which path and with which headers the page is served', async (t) => {
  const webDir = mkdtempSync(join(tmpdir(), 'tiphys-page-'));
  t.after(() => rmSync(webDir, { recursive: true, force: true }));
  writeFileSync(join(webDir, 'index.html'), '<html><head></head><body>page</body></html>');
  const { call, configure } = await startTestServer(t, { webDir });
  const page = async (path = '/applications') => {
    const { headers, body } = await call(path);
    const policy = headers.get('content-security-policy') ?? '';
    return {
      base: /<base href="([^"]*)">/.exec(String(body.text))?.[1],
      frames: headers.get('x-frame-options'),
      policy,
    };
  };
  const before = await page();
  assert.deepEqual([before.base, before.frames], ['/', 'sameorigin']);
  await configure('argocd-cmd-params-cm', {
    'server.basehref': '/cd',
    'server.x.frame.options': 'deny',
    'server.content.security.policy': 'frame-ancestors https://portal.example; img-src *;',
  });
  const after = await page();
  assert.deepEqual([after.base, after.frames], ['/cd/', 'deny']);
  assert.match(after.policy, /frame-ancestors https:\/\/portal\.example/);
  assert.doesNotMatch(after.policy, /frame-ancestors 'self'/);
  assert.match(after.policy, /default-src 'self'/);
  await configure('argocd-cmd-params-cm', { 'server.rootpath': '/root/' });
  assert.equal((await page('/root/applications')).base, '/root/');
  assert.equal((await call('/root/api/version')).status, 200);
});

test('with server.disable.auth nobody logs in, and everybody may do everything', async (t) => {
  const { call, configure } = await startTestServer(t);
  const create = () => call('/api/v1/projects', { body: { project: { metadata: { name: 'open' }, spec: {} } } });
  assert.equal((await create()).status, 401);
  await configure('argocd-cmd-params-cm', { 'server.disable.auth': 'true' });
  assert.equal((await create()).status, 200);
  await configure('argocd-cmd-params-cm', { 'server.disable.auth': 'false' });
  assert.equal((await call('/api/v1/projects')).status, 401);
});

test('server.api.content.types permits other types of requests', async (t) => {
  const { call, configure, login } = await startTestServer(t);
  const token = await login();
  const send = () =>
    call('/api/v1/projects', {
      token,
      body: { project: { metadata: { name: 'typed' }, spec: {} }, upsert: true },
      headers: { 'content-type': 'application/vnd.example' },
    });
  assert.equal((await send()).status, 415);
  await configure('argocd-cmd-params-cm', { 'server.api.content.types': 'application/json;application/vnd.example' });
  assert.equal((await send()).status, 200);
});

test('a list without any content type locks nobody out', async (t) => {
  const { call, configure, login } = await startTestServer(t);
  const token = await login();
  for (const text of [';', 'json']) {
    await configure('argocd-cmd-params-cm', { 'server.api.content.types': text });
    const project = { project: { metadata: { name: 'typed' }, spec: {} }, upsert: true };
    assert.equal((await call('/api/v1/projects', { token, body: project })).status, 200, text);
  }
});

test('the variables of the manifests come before the keys', () => {
  const { fixed = {} } = environmentOptions({ ARGOCD_SERVER_ROOTPATH: '/env', ARGOCD_SERVER_INSECURE: 'true' });
  const { rootPath, baseHref, insecure, frameOptions } = servedAs(fixed, {
    'server.rootpath': '/key',
    'server.x.frame.options': 'deny',
  });
  assert.deepEqual([rootPath, baseHref, insecure, frameOptions], ['env', '/env/', true, 'deny']);
});
