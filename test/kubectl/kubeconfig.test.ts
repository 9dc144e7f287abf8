import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findKubectl, type KubectlSession, skip, startSession } from './kubectl.ts';

describe('A kubeconfig that kubectl changes', { skip }, () => {
  let session: KubectlSession;
  before(async () => {
    session = await startSession('kubeconfig');
  });
  after(() => session?.close());
  const lines = async (command: string) => (await session.kubectl(command)).trim().split('\n');

  test('is shown without its secrets', async () => {
    const shown = await session.kubectl('config view --minify');
    assert.match(shown, /certificate-authority-data: DATA\+OMITTED/);
    assert.match(shown, /token: REDACTED/);
    const raw = JSON.parse(await session.kubectl('config view --raw -o json'));
    assert.match(raw.users[0].user.token, /^\S{16,}$/);
    assert.equal(raw.contexts[0].name, (await session.kubectl('config current-context')).trim());
  });

  test('gets another user, cluster and context, and is used by them', async () => {
    const raw = JSON.parse(await session.kubectl('config view --raw -o json'));
    const [{ cluster }] = raw.clusters;
    const [{ user }] = raw.users;
    await session.kubectl(`create serviceaccount robot`);
    const token = (await session.kubectl('create token robot')).trim();
    await session.kubectl(`config set-cluster other --server=${cluster.server} --insecure-skip-tls-verify=true`);
    await session.kubectl(`config set-credentials robot --token=${token}`);
    await session.kubectl(`config set-context robot --cluster=other --user=robot --namespace=${session.namespace}`);
    assert.ok((await lines('config get-contexts -o name')).includes('robot'));
    assert.deepEqual((await lines('config get-clusters')).slice(1).includes('other'), true);
    assert.deepEqual((await lines('config get-users')).slice(1).includes('robot'), true);
    assert.match(
      await session.kubectl('auth whoami --context=robot'),
      new RegExp(`Username +system:serviceaccount:${session.namespace}:robot`),
    );
    await session.kubectl('config use-context robot');
    assert.equal((await session.kubectl('config current-context')).trim(), 'robot');
    const { code, stderr } = await session.attempt(['get', 'nodes']);
    assert.equal(code, 1);
    assert.match(stderr, /nodes is forbidden: User "system:serviceaccount:\S+:robot" cannot list/);
    await session.kubectl('config rename-context robot machine');
    await session.kubectl(`config set users.robot.token ${user.token}`);
    assert.match(await session.kubectl('get nodes'), /NAME/);
    await session.kubectl('config unset users.robot.token');
    const denied = await session.attempt(['get', 'nodes']);
    assert.equal(denied.code, 1, denied.stdout);
    await session.kubectl(`config use-context ${raw.contexts[0].name}`);
    for (const kind of ['context machine', 'cluster other', 'user robot'])
      await session.kubectl(`config delete-${kind}`);
    assert.deepEqual(JSON.parse(await session.kubectl('config view --raw -o json')), raw);
  });

  test('is refused with a token that nobody gave', async () => {
    const wrong = await session.attempt(['--token=nobody', 'get', 'nodes']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /You must be logged in to the server \(Unauthorized\)/);
  });
});

describe('kubectl proxy', { skip }, () => {
  let session: KubectlSession;
  let proxy: ChildProcessWithoutNullStreams;
  let url: string;
  before(async () => {
    session = await startSession('proxy');
    proxy = spawn(findKubectl() ?? 'kubectl', [
      `--kubeconfig=${join(session.folder, 'kubeconfig')}`,
      'proxy',
      '--port=0',
      '--reject-methods=DELETE',
    ]);
    let printed = '';
    for await (const chunk of proxy.stdout) {
      printed += chunk;
      const [, found] = /127\.0\.0\.1:(\d+)/.exec(printed) ?? [];
      url = `http://127.0.0.1:${found}`;
      if (found) break;
    }
  });
  after(async () => {
    const ended = once(proxy, 'exit');
    proxy.kill();
    await ended;
    await session.close();
  });
  const ask = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);

  test('lets plain HTTP read and write', async () => {
    const maps = `/api/v1/namespaces/${session.namespace}/configmaps`;
    const made = await ask(maps, {
      method: 'POST',
      headers: { 'content-type': 'application/yaml' },
      body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: b}\n',
    });
    assert.equal(made.status, 201);
    const patched = await ask(`${maps}/one`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"data":{"a":"c"}}',
    });
    assert.equal(((await patched.json()) as { data: { a: string } }).data.a, 'c');
    assert.equal((await ask(`${maps}/none`)).status, 404);
    assert.equal((await ask(`${maps}/one`, { method: 'DELETE' })).status, 403);
  });

  test('streams a watch as it comes', async () => {
    const maps = `/api/v1/namespaces/${session.namespace}/configmaps`;
    const abort = new AbortController();
    const answer = await ask(`${maps}?watch=1&fieldSelector=metadata.name=seen`, { signal: abort.signal });
    await session.kubectl('create configmap seen');
    const { value } = (await answer.body?.getReader().read()) ?? {};
    assert.match(Buffer.from(value ?? []).toString(), /^\{"type":"ADDED".*"name":"seen"/);
    abort.abort();
  });
});
