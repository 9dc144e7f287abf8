import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Clock, KubeObject } from '@tiphys/kubernetes';
import { systemClock } from '@tiphys/kubernetes';
import type { Backend } from '../ports/backend.ts';
import { idleBackend, startTestServer, type TestServer } from '../testing/start-test-server.ts';

const head = 'c'.repeat(40);

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, string>;
  readonly authorization: string;
}

interface Comment {
  readonly id: number;
  body: string;
  /** As GitHub and Gitea name who wrote it, and as GitLab does. */
  readonly user?: { readonly id: number };
  readonly author?: { readonly id: number };
}

/** Of whom the token is. */
const self = { id: 5 };

/** The part of a Git host's API that previews use, as GitHub, GitLab and Gitea have it. */
async function startHost(t: TestContext) {
  const asked: Asked[] = [];
  const comments: Comment[] = [];
  const statuses: { readonly status: string }[] = [];
  const refusals: number[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', headers, url = '' } = request;
      const body = text ? (JSON.parse(text) as Record<string, string>) : {};
      const authorization = String(headers.authorization ?? headers['private-token'] ?? '');
      const answer = (status: number, value: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
        if (method === 'GET') return;
        asked.push({ method, path: url, body, authorization });
        for (const each of waiting) if (asked.length >= each.count) each.resolve();
      };
      const refused = method === 'GET' ? undefined : refusals.shift();
      if (refused) return answer(refused, { message: 'no' });
      const id = Number(/(\d+)$/.exec(url)?.[1]);
      if (method === 'GET' && url.endsWith('/user')) return answer(200, self);
      if (method === 'GET') return answer(200, /\/statuses\?/.test(url) ? statuses : comments);
      if (method === 'POST' && /(comments|notes)$/.test(url)) {
        comments.push({
          id: 71 + comments.length,
          body: body.body ?? '',
          ...(/notes$/.test(url) ? { author: self } : { user: self }),
        });
        return answer(201, comments.at(-1));
      }
      const comment = comments.find((each) => each.id === id);
      if ((method === 'PATCH' || method === 'PUT') && comment) comment.body = body.body ?? '';
      answer(200, {});
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    comments,
    statuses,
    refusals,
    /** Resolves when so many requests that change something were answered. */
    changes(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (asked.length >= count) resolve();
      else waiting.push({ count, resolve });
      return promise;
    },
  };
}

const configMap = (value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'shop' },
  data: { value },
});
const secret = (value: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key', namespace: 'shop' },
  stringData: { password: value },
});

/** Renders the head differently from everything else; counts the renders of the head. */
function backendOf(broken = () => false) {
  const rendered: string[] = [];
  const backend: Backend = {
    ...idleBackend,
    repositoryCredentials: async () => ({ password: 'token-of-host' }),
    mergeBase: async () => undefined,
    render: async (_app, { revisions = [] }) => {
      const revision = revisions[0] || 'main';
      rendered.push(revision);
      const isHead = /^[0-9a-f]{40}$/.test(revision);
      if (isHead && broken()) throw new Error('the chart has no values');
      const word = isHead ? 'new' : 'old';
      return {
        objects: [{ object: configMap(word) }, { object: secret(`hunter-${word}`) }],
        revisions: [revision],
        sourceType: 'Directory',
        warnings: [],
      };
    },
  };
  return { backend, rendered };
}

async function startAt(t: TestContext, url: string, backend: Backend, clock?: Clock): Promise<TestServer> {
  const server = await startTestServer(t, { backend, ...(clock ? { clock } : {}) });
  await server.client.patch({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-secret' }, 'merge', {
    stringData: {
      'webhook.github.secret': 'hush',
      'webhook.gitlab.secret': 'hush',
      'webhook.gogs.secret': 'hush',
    },
  });
  await server.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'web', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: `${url}/team/shop.git`, path: '.', targetRevision: 'main' },
      destination: { namespace: 'shop', name: 'in-cluster' },
    },
  });
  return server;
}

const pull = (url: string, from: string, action = 'opened') => ({
  action,
  repository: {
    name: 'shop',
    full_name: 'team/shop',
    html_url: `${url}/team/shop`,
    url: `${url}/api`,
    owner: { login: 'team' },
  },
  pull_request: {
    number: 12,
    head: { sha: head, ref: 'feature', repo: { full_name: from } },
    base: { ref: 'main', repo: { full_name: 'team/shop' } },
  },
});
const merge = (url: string, from: string, action = 'open') => ({
  object_kind: 'merge_request',
  project: { web_url: `${url}/team/shop`, path_with_namespace: 'team/shop' },
  object_attributes: {
    iid: 12,
    action,
    ...(action === 'update' ? { oldrev: 'd'.repeat(40) } : {}),
    source_project_id: from === 'team/shop' ? 5 : 6,
    target_project_id: 5,
    target_branch: 'main',
    last_commit: { id: head },
  },
});
const signed = (body: unknown) => createHmac('sha256', 'hush').update(JSON.stringify(body)).digest('hex');

const hosts = [
  {
    name: 'GitHub',
    open: pull,
    again: 'synchronize',
    headers: (body: unknown) => ({ 'x-github-event': 'pull_request', 'x-hub-signature-256': `sha256=${signed(body)}` }),
    comments: '/api/v3/repos/team/shop/issues/12/comments',
    change: 'PATCH /api/v3/repos/team/shop/issues/comments/71',
    status: `/api/v3/repos/team/shop/statuses/${head}`,
    failure: 'failure',
    authorization: 'Bearer token-of-host',
  },
  {
    name: 'GitLab',
    open: merge,
    again: 'update',
    headers: () => ({ 'x-gitlab-event': 'Merge Request Hook', 'x-gitlab-token': 'hush' }),
    comments: '/api/v4/projects/team%2Fshop/merge_requests/12/notes',
    change: 'PUT /api/v4/projects/team%2Fshop/merge_requests/12/notes/71',
    status: `/api/v4/projects/team%2Fshop/statuses/${head}`,
    failure: 'failed',
    authorization: 'token-of-host',
  },
  {
    name: 'Gitea',
    open: pull,
    again: 'synchronized',
    headers: (body: unknown) => ({
      'x-gogs-event': 'pull_request',
      'x-github-event': 'pull_request',
      'x-gogs-signature': signed(body),
    }),
    comments: '/api/v1/repos/team/shop/issues/12/comments',
    change: 'PATCH /api/v1/repos/team/shop/issues/comments/71',
    status: `/api/v1/repos/team/shop/statuses/${head}`,
    failure: 'failure',
    authorization: 'token token-of-host',
  },
];

for (const { name, open, again, headers, comments, change, status, failure, authorization } of hosts)
  test(`${name}: a pull request gets one comment, which later commits change, and a status`, async (t) => {
    const host = await startHost(t);
    let broken = false;
    const { backend, rendered } = backendOf(() => broken);
    const { call, configure } = await startAt(t, host.url, backend);
    const announce = (body: unknown) => call('/api/webhook', { body, headers: headers(body) });

    assert.equal((await announce(open(host.url, 'team/shop'))).status, 200);
    await configure('argocd-cm', { 'tiphys.preview.pullRequests': 'comment, status', installationID: 'one' });
    assert.equal((await announce(open(host.url, 'someone/fork'))).status, 200);
    assert.deepEqual(rendered, [], 'neither without the setting nor for a fork is anything rendered');

    await announce(open(host.url, 'team/shop'));
    await host.changes(2);
    assert.deepEqual(
      host.asked.map((each) => [each.method, each.path, each.authorization]),
      [
        ['POST', comments, authorization],
        ['POST', status, authorization],
      ],
    );
    const text = host.comments[0]?.body ?? '';
    assert.match(text, /^<!-- tiphys\/one preview -->\nc{40}: 1 of 1 application would change\n/);
    assert.match(text, /\n- {2}value: "?old"?\n\+ {2}value: "?new"?\n/);
    assert.match(text, /change \/Secret shop\/key/);
    assert.doesNotMatch(text, /hunter|aHVudGVy/);
    assert.equal(host.asked[1]?.body.state, 'success');

    broken = true;
    await announce(open(host.url, 'team/shop', again));
    await host.changes(4);
    assert.equal(`${host.asked[2]?.method} ${host.asked[2]?.path}`, change);
    assert.equal(host.comments.length, 1);
    assert.match(host.comments[0]?.body ?? '', /1 cannot be rendered[\s\S]*the chart has no values/);
    assert.equal(host.asked[3]?.body.state, failure);
  });

test('without a secret, or for a repository that is not chosen, nothing is written', async (t) => {
  const host = await startHost(t);
  const { backend, rendered } = backendOf();
  const { call, client, configure } = await startAt(t, host.url, backend);
  const body = pull(host.url, 'team/shop');
  const wrong = { 'x-github-event': 'pull_request', 'x-hub-signature-256': 'sha256=00' };
  await configure('argocd-cm', {
    'tiphys.preview.pullRequests': 'comment',
    'tiphys.preview.repositories': 'https://other.example/*',
  });
  assert.equal((await call('/api/webhook', { body, headers: wrong })).status, 400);
  const proven = { 'x-github-event': 'pull_request', 'x-hub-signature-256': `sha256=${signed(body)}` };
  assert.equal((await call('/api/webhook', { body, headers: proven })).status, 200);
  await configure('argocd-cm', { 'tiphys.preview.repositories': `${host.url}/*` });
  const secretRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-secret' };
  await client.patch(secretRef, 'merge', { data: { 'webhook.github.secret': null } });
  // anyone who sends without a secret is taken for anybody
  for (let turn = 0; (await call('/api/webhook', { body, headers: wrong })).status !== 200; turn += 1)
    assert.ok(turn < 200, 'the secret is gone');
  assert.deepEqual([rendered, host.asked], [[], []]);
});

test('GitLab refuses a status that it has: that is no refusal; any other is told', async (t) => {
  const host = await startHost(t);
  const { backend } = backendOf();
  const clock: Clock = {
    now: () => systemClock.now(),
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds <= 4_000 ? 5 : milliseconds, signal),
  };
  const { call, client, configure } = await startAt(t, host.url, backend, clock);
  await configure('argocd-cm', { 'tiphys.preview.pullRequests': 'status' });
  const body = merge(host.url, 'team/shop');
  const headers = { 'x-gitlab-event': 'Merge Request Hook', 'x-gitlab-token': 'hush' };
  const events = { apiVersion: 'v1', kind: 'Event', namespace: 'argocd' };
  const told = async () =>
    (await client.list<KubeObject & { reason?: string; message?: string }>(events)).items.filter(
      ({ reason }) => reason === 'PullRequestNotPreviewed',
    );
  host.statuses.push({ status: 'success' });
  host.refusals.push(400);
  await call('/api/webhook', { body, headers });
  await host.changes(1);
  host.statuses.length = 0;
  host.refusals.push(400, 400);
  await call('/api/webhook', { body, headers });
  await host.changes(3);
  for (const limit = AbortSignal.timeout(60_000); (await told()).length === 0; await systemClock.sleep(20))
    assert.ok(!limit.aborted, 'the refusal is told');
  assert.equal((await told()).length, 1);
  assert.match((await told())[0]?.message ?? '', /Pull request 12 of team\/shop has no preview/);
});

test('a host that fails for a moment is asked again; what it refuses for good is told as an event', async (t) => {
  const host = await startHost(t);
  const { backend } = backendOf();
  const clock: Clock = {
    now: () => systemClock.now(),
    // the pauses between attempts; time-outs are longer
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds <= 4_000 ? 5 : milliseconds, signal),
  };
  const { call, client, configure } = await startAt(t, host.url, backend, clock);
  await configure('argocd-cm', { 'tiphys.preview.pullRequests': 'comment' });
  const body = pull(host.url, 'team/shop');
  const headers = { 'x-github-event': 'pull_request', 'x-hub-signature-256': `sha256=${signed(body)}` };
  host.refusals.push(502);
  await call('/api/webhook', { body, headers });
  await host.changes(2);
  assert.equal(host.comments.length, 1);
  host.comments.length = 0;
  host.refusals.push(403);
  await call('/api/webhook', { body, headers });
  const events = { apiVersion: 'v1', kind: 'Event', namespace: 'argocd' };
  for await (const { object } of client.watch(events, { resourceVersion: '0', signal: AbortSignal.timeout(120_000) })) {
    const { reason, message } = object as unknown as { reason?: string; message?: string };
    if (reason !== 'PullRequestNotPreviewed') continue;
    assert.match(message ?? '', /Pull request 12 of team\/shop has no preview: The host does not permit this/);
    assert.doesNotMatch(message ?? '', /token-of-host/);
    break;
  }
});

test('only own comments are written anew, and a comment that is refused does not keep the status from being written', async (t) => {
  const host = await startHost(t);
  const { backend } = backendOf();
  const { call, configure } = await startAt(t, host.url, backend);
  await configure('argocd-cm', { 'tiphys.preview.pullRequests': 'comment, status', installationID: 'one' });
  const body = pull(host.url, 'team/shop');
  const headers = { 'x-github-event': 'pull_request', 'x-hub-signature-256': `sha256=${signed(body)}` };
  host.comments.push({ id: 70, body: '<!-- tiphys/one preview -->\nas somebody quotes it', user: { id: 6 } });
  host.refusals.push(422);
  await call('/api/webhook', { body, headers });
  await host.changes(2);
  assert.deepEqual(
    host.asked.map(({ method, path }) => `${method} ${path.split('/').at(-2)}`),
    ['POST 12', 'POST statuses'],
  );
  await call('/api/webhook', { body, headers });
  await host.changes(4);
  assert.match(host.comments[0]?.body ?? '', /as somebody quotes it/);
  assert.equal(host.comments.length, 2);
});
