import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import type { Backend } from '../ports/backend.ts';
import { idleBackend, startTestServer } from '../testing/start-test-server.ts';

const head = 'c'.repeat(40);
type Json = Readonly<Record<string, unknown>>;
interface Asked {
  readonly request: string;
  readonly authorization: string;
  readonly body: Json;
}

/** Answers as a host's documentation says; what changes something is kept. */
async function startHost(t: TestContext, answer: (request: string, body: Json) => unknown, headers: Json = {}) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body = text ? (JSON.parse(text) as Json) : {};
      const told = `${request.method} ${request.url}`;
      if (request.method !== 'GET') {
        const { authorization = '' } = request.headers;
        asked.push({ request: told, authorization, body });
      }
      const value = answer(told, body);
      response.writeHead(value === undefined ? 404 : 200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(value ?? { message: `no ${told}` }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function start(t: TestContext, repoURL: string, username = '') {
  const rendered: string[] = [];
  const backend: Backend = {
    ...idleBackend,
    repositoryCredentials: async () => ({ username, password: 'token-of-host' }),
    mergeBase: async () => undefined,
    render: async (_app, { revisions = [] }) => {
      const revision = revisions[0] || 'main';
      rendered.push(revision);
      const value = revision === head ? 'new' : 'old';
      const metadata = { name: 'settings', namespace: 'shop' };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
      return { objects: [{ object }], revisions: [revision], sourceType: 'Directory', warnings: [] };
    },
  };
  const server = await startTestServer(t, { backend });
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-secret' };
  await server.client.patch(secret, 'merge', {
    stringData: {
      'webhook.bitbucket.uuid': '{hush}',
      'webhook.bitbucketserver.secret': 'hush',
      'webhook.azuredevops.username': 'sailor',
      'webhook.azuredevops.password': 'hush',
    },
  });
  await server.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'web', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL, path: '.', targetRevision: 'main' },
      destination: { namespace: 'shop', name: 'in-cluster' },
    },
  });
  await server.configure('argocd-cm', { 'tiphys.preview.pullRequests': 'comment, status', installationID: 'one' });
  return { ...server, rendered };
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (const limit = AbortSignal.timeout(60_000); !holds(); await systemClock.sleep(10))
    assert.ok(!limit.aborted, what);
}

const shownText = /^\*\*tiphys\/one preview\*\*\n\nc{40}: 1 of 1 application would change\n/;

test('Bitbucket Cloud: an own comment is written anew, and the build status of the whole commit; forks are left', async (t) => {
  const comments: { id: number; content: { raw: string }; user: Json }[] = [
    { id: 3, content: { raw: '**tiphys/one preview**\n\nas somebody quotes it' }, user: { uuid: '{other}' } },
  ];
  let source = 'team/shop';
  let looks = 0;
  const base = '/2.0/repositories/team/shop';
  const host = await startHost(t, (request, body) => {
    const [method, path = ''] = request.split(' ');
    if (path === '/2.0/user') return { uuid: '{self}' };
    if (path === `${base}/pullrequests/12`) {
      looks += 1;
      return { source: { commit: { hash: head.slice(0, 12) }, repository: { full_name: source } } };
    }
    if (path === `${base}/commit/${head.slice(0, 12)}`) return { hash: head };
    if (path.startsWith(`${base}/pullrequests/12/comments?`) && method === 'GET')
      return path.includes('page=2')
        ? { values: comments.slice(1) }
        : { values: comments.slice(0, 1), next: `${host.url}${base}/pullrequests/12/comments?pagelen=100&page=2` };
    const { raw = '' } = (body.content ?? {}) as { raw?: string };
    if (path === `${base}/pullrequests/12/comments`)
      comments.push({ id: 4, content: { raw }, user: { uuid: '{self}' } });
    return {};
  });
  const { call, rendered } = await start(t, `${host.url}/team/shop.git`, 'x-token-auth');
  const announce = (from: string, event = 'pullrequest:updated') =>
    call('/api/webhook', {
      body: {
        repository: { full_name: 'team/shop', links: { html: { href: `${host.url}/team/shop` } } },
        pullrequest: {
          id: 12,
          source: { commit: { hash: head.slice(0, 12) }, repository: { full_name: from } },
          destination: { branch: { name: 'main' }, repository: { full_name: 'team/shop' } },
        },
      },
      headers: { 'x-hook-uuid': '{hush}', 'x-event-key': event },
    });
  assert.equal((await announce('somebody/shop')).status, 200);
  assert.equal((await announce('team/shop', 'pullrequest:comment_created')).status, 200);
  assert.equal((await announce('team/shop')).status, 200);
  await until(() => host.asked.length === 2, 'comment and status');
  assert.deepEqual(
    host.asked.map(({ request, authorization }) => [request, authorization]),
    [
      [`POST ${base}/pullrequests/12/comments`, 'Bearer token-of-host'],
      [`POST ${base}/commit/${head}/statuses/build`, 'Bearer token-of-host'],
    ],
  );
  const text = comments[1]?.content.raw ?? '';
  assert.match(text, shownText);
  assert.doesNotMatch(text, /<details>/);
  assert.match(text, /\n- {2}value: old\n\+ {2}value: new\n/);
  assert.deepEqual(host.asked[1]?.body, {
    key: 'tiphys/one',
    name: 'tiphys/one',
    state: 'SUCCESSFUL',
    description: '1 of 1 application would change',
    url: `${host.url}/team/shop/pull-requests/12`,
  });
  await announce('team/shop');
  await until(() => host.asked.length === 4, 'comment and status again');
  assert.equal(host.asked[2]?.request, `PUT ${base}/pullrequests/12/comments/4`);
  // the host knows better than the announcement
  source = 'somebody/shop';
  const [before, looked] = [rendered.length, looks];
  await announce('team/shop');
  await until(() => looks > looked, 'the host is asked');
  assert.equal(rendered.length, before);
  source = 'team/shop';
  await announce('team/shop');
  await until(() => host.asked.length >= 6, 'the next is previewed');
});

test('Bitbucket Server: an own comment is written anew by its version, and the build status', async (t) => {
  const comments: { id: number; version: number; text: string; author: Json }[] = [];
  const pulls = '/rest/api/1.0/projects/TEAM/repos/shop/pull-requests/12';
  const host = await startHost(
    t,
    (request, body) => {
      const [method, path = ''] = request.split(' ');
      if (path.startsWith(`${pulls}/activities?`)) {
        const told = comments.map((comment) => ({ action: 'COMMENTED', comment }));
        return { values: [{ action: 'APPROVED' }, ...told], isLastPage: true };
      }
      if (request === `POST ${pulls}/comments`)
        comments.push({ id: 5, version: 0, text: String(body.text), author: { name: 'robot+1' } });
      if (method === 'PUT' && body.version !== comments[0]?.version) return undefined;
      return {};
    },
    { 'x-ausername': 'robot%2B1' },
  );
  const { call } = await start(t, `${host.url}/scm/TEAM/shop.git`, 'robot+1');
  const body = {
    pullRequest: {
      id: 12,
      fromRef: {
        displayId: 'feature',
        latestCommit: head,
        repository: { id: 9, slug: 'shop', project: { key: 'TEAM' } },
      },
      toRef: { displayId: 'main', repository: { id: 9, slug: 'shop', project: { key: 'TEAM' } } },
      links: { self: [{ href: `${host.url}/projects/TEAM/repos/shop/pull-requests/12` }] },
    },
  };
  const announce = (event: string) => {
    const signature = createHmac('sha256', 'hush').update(JSON.stringify(body)).digest('hex');
    return call('/api/webhook', {
      body,
      headers: { 'x-event-key': event, 'x-hub-signature': `sha256=${signature}` },
    });
  };
  assert.equal((await announce('pr:opened')).status, 200);
  await until(() => host.asked.length === 2, 'comment and status');
  const basic = `Basic ${Buffer.from('robot+1:token-of-host').toString('base64')}`;
  assert.deepEqual(
    host.asked.map(({ request, authorization }) => [request, authorization]),
    [
      [`POST ${pulls}/comments`, basic],
      [`POST /rest/build-status/1.0/commits/${head}`, basic],
    ],
  );
  assert.match(comments[0]?.text ?? '', shownText);
  assert.equal(host.asked[1]?.body.state, 'SUCCESSFUL');
  assert.equal(host.asked[1]?.body.url, `${host.url}/projects/TEAM/repos/shop/pull-requests/12`);
  await announce('pr:from_ref_updated');
  await until(() => host.asked.length === 4, 'comment and status again');
  assert.equal(host.asked[2]?.request, `PUT ${pulls}/comments/5`);
  assert.equal(host.asked[2]?.body.version, 0);
});

test('Azure DevOps: a thread of its own, whose comment is written anew, and a status of the pull request; forks are left', async (t) => {
  const threads: { id: number; comments: { id: number; content: string; author: Json }[] }[] = [];
  let forkSource: Json | undefined = { repository: {} };
  let looks = 0;
  const base = '/org/My%20Team/_apis/git/repositories/shop/pullRequests/12';
  const host = await startHost(t, (request, body) => {
    if (request === `GET ${base}?api-version=7.1`) {
      looks += 1;
      return { lastMergeSourceCommit: { commitId: head }, forkSource };
    }
    if (request === 'GET /org/_apis/connectionData') return { authenticatedUser: { id: 'self' } };
    if (request === `GET ${base}/threads?api-version=7.1`) return { value: threads };
    if (request === `POST ${base}/threads?api-version=7.1`) {
      const [{ content = '' } = {}] = body.comments as { content?: string }[];
      threads.push({ id: 7, comments: [{ id: 1, content, author: { id: 'self' } }] });
    }
    return {};
  });
  const { call, rendered } = await start(t, `${host.url}/org/My%20Team/_git/shop`);
  const announce = (status = 'active') =>
    call('/api/webhook', {
      body: {
        eventType: 'git.pullrequest.updated',
        resource: {
          pullRequestId: 12,
          status,
          repository: {
            name: 'shop',
            project: { name: 'My Team' },
            remoteUrl: `${host.url}/org/My%20Team/_git/shop`,
          },
          targetRefName: 'refs/heads/main',
          lastMergeSourceCommit: { commitId: head },
        },
      },
      headers: {
        'x-vss-activityid': '1',
        authorization: `Basic ${Buffer.from('sailor:hush').toString('base64')}`,
      },
    });
  await announce('completed');
  await announce();
  // the announcement did not say so
  await until(() => looks === 1, 'the host is asked');
  forkSource = undefined;
  await announce();
  await until(() => host.asked.length >= 2, 'comment and status');
  assert.deepEqual(
    host.asked.slice(0, 2).map(({ request }) => request),
    [`POST ${base}/threads?api-version=7.1`, `POST ${base}/statuses?api-version=7.1`],
  );
  assert.equal(host.asked[0]?.authorization, `Basic ${Buffer.from(':token-of-host').toString('base64')}`);
  assert.match(threads[0]?.comments[0]?.content ?? '', /^<!-- tiphys\/one preview -->\nc{40}: 1 of 1/);
  assert.deepEqual(host.asked[1]?.body, {
    state: 'succeeded',
    description: '1 of 1 application would change',
    context: { genre: 'tiphys', name: 'one' },
  });
  assert.ok(rendered.includes(head));
  const count = host.asked.length;
  await announce();
  await until(() => host.asked.length >= count + 2, 'comment and status again');
  assert.equal(host.asked.at(-2)?.request, `PATCH ${base}/threads/7/comments/1?api-version=7.1`);
});
