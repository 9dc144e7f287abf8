import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { freePort } from '../../../../../scripts/testing/free-ports.ts';
import { type Asked, HttpDouble } from '../../wire/testing/http-double.ts';
import { startSource } from '../testing/started-source.ts';

type Answers = (asked: Asked) => { status?: number; body?: unknown } | undefined;

/** An API that hooks are registered in, and a source whose hook it gets. */
async function hooked(context: TestContext, kind: string, answers: Answers, spec: (base: string) => object) {
  const api = new HttpDouble(answers);
  const base = await api.start();
  context.after(() => api.stop());
  const port = await freePort();
  const webhook = { endpoint: '/hook', port: String(port), method: 'POST', url: 'https://me.example.com/' };
  const source = await startSource(
    kind,
    { webhook, ...spec(base) },
    { token: 'sesame\n', secret: 'shared', user: 'me' },
  );
  context.after(() => source.close());
  const post = async (body: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body, headers });
    return [answer.status, await answer.text()] as const;
  };
  return { api, source, post };
}

const key = (name: string) => ({ name: 's', key: name });
const url = 'https://me.example.com/hook';
const signed = (body: string) => `sha256=${createHmac('sha256', 'shared').update(body).digest('hex')}`;
const bodyOf = (asked: Asked | undefined) => JSON.parse(asked?.body ?? '') as Record<string, unknown>;
const dataOf = (text: string | undefined) =>
  JSON.parse(text ?? '') as { headers: Record<string, string[]>; body: unknown };

describe('hooks of hosts, which doubles send', () => {
  it('GitHub: one hook a repository, made or brought up to date, and deleted at the end', async (context) => {
    const answers: Answers = ({ method, path }) => {
      if (method === 'GET')
        return {
          body: path.startsWith('/repos/o/b')
            ? [
                { id: 7, config: { url } },
                { id: 8, config: {} },
              ]
            : [],
        };
      return method === 'DELETE' ? { status: 204 } : { status: 201, body: { id: method === 'POST' ? 1 : 7 } };
    };
    const { api, source, post } = await hooked(context, 'github', answers, (base) => ({
      repositories: [{ owner: 'o', names: ['a', 'b'] }],
      events: ['push'],
      apiToken: key('token'),
      webhookSecret: key('secret'),
      contentType: 'json',
      active: true,
      deleteHookOnFinish: true,
      githubBaseURL: `${base}/`,
      githubUploadURL: base,
    }));
    assert.deepEqual(api.calls, [
      'GET /repos/o/a/hooks?per_page=100&page=1',
      'POST /repos/o/a/hooks',
      'GET /repos/o/b/hooks?per_page=100&page=1',
      'PATCH /repos/o/b/hooks/7',
    ]);
    assert.equal(api.asked[0]?.headers.authorization, 'Bearer sesame');
    assert.deepEqual(bodyOf(api.asked[1]), {
      name: 'web',
      active: true,
      events: ['push'],
      config: { url, content_type: 'json', insecure_ssl: '0', secret: 'shared' },
    });
    const body = '{"ref": "main"}';
    const headers = { 'content-type': 'application/json', 'x-github-event': 'push' };
    assert.equal((await post(body, { ...headers, 'x-hub-signature-256': signed(`${body} `) }))[0], 400);
    assert.equal((await post(body, headers))[0], 400);
    assert.deepEqual(await post(body, { ...headers, 'x-hub-signature-256': signed(body) }), [200, 'success']);
    const form = `payload=${encodeURIComponent(body)}`;
    const asForm = { 'content-type': 'application/x-www-form-urlencoded', 'x-hub-signature-256': signed(form) };
    assert.equal((await post(form, asForm))[0], 200);
    const events = (await source.inbox.until(2)).map(dataOf);
    assert.deepEqual(
      events.map(({ body: data }) => data),
      [{ ref: 'main' }, { ref: 'main' }],
    );
    assert.deepEqual(events[0]?.headers['X-Github-Event'], ['push']);
    await source.close();
    assert.deepEqual(api.calls.slice(4), ['DELETE /repos/o/a/hooks/1', 'DELETE /repos/o/b/hooks/7']);
  });

  it('GitHub: hooks of organizations, and none without credentials', async (context) => {
    const answers: Answers = ({ method }) => ({ body: method === 'GET' ? [] : { id: 3 } });
    const made = await hooked(context, 'github', answers, (base) => ({
      organizations: ['acme'],
      events: ['*'],
      apiToken: key('token'),
      githubBaseURL: base,
      githubUploadURL: base,
    }));
    assert.deepEqual(made.api.calls, ['GET /orgs/acme/hooks?per_page=100&page=1', 'POST /orgs/acme/hooks']);
    const plain = await hooked(context, 'github', answers, (base) => ({
      owner: 'o',
      repository: 'a',
      githubBaseURL: base,
      githubUploadURL: base,
    }));
    assert.deepEqual(plain.api.calls, []);
    assert.equal((await plain.post('no JSON'))[0], 400);
    assert.equal((await plain.post('{}'))[0], 200);
  });

  it('GitLab: hooks of projects and groups, with the names of their events', async (context) => {
    const answers: Answers = ({ method }) => ({ body: method === 'GET' ? [] : { id: 5 } });
    const { api, source, post } = await hooked(context, 'gitlab', answers, (base) => ({
      projects: ['group/app'],
      groups: ['team'],
      events: ['PushEvents', 'TagPushEvents'],
      accessToken: key('token'),
      secretToken: key('secret'),
      enableSSLVerification: true,
      deleteHookOnFinish: true,
      gitlabBaseURL: base,
    }));
    assert.deepEqual(api.calls, [
      'GET /api/v4/projects/group%2Fapp/hooks?per_page=100&page=1',
      'POST /api/v4/projects/group%2Fapp/hooks',
      'GET /api/v4/groups/team/hooks?per_page=100&page=1',
      'POST /api/v4/groups/team/hooks',
    ]);
    assert.equal(api.asked[0]?.headers['private-token'], 'sesame');
    assert.deepEqual(bodyOf(api.asked[1]), {
      url,
      enable_ssl_verification: true,
      push_events: true,
      token: 'shared',
      tag_push_events: true,
    });
    assert.equal((await post('{"a":1}', { 'x-gitlab-token': 'wrong' }))[0], 400);
    assert.equal((await post('{"a":1}', { 'x-gitlab-token': 'shared' }))[0], 200);
    assert.deepEqual(dataOf((await source.inbox.until(1))[0]).body, { a: 1 });
    await source.close();
    assert.equal(api.calls.at(-1), 'DELETE /api/v4/groups/team/hooks/5');
  });

  it('Gerrit: a remote of each project', async (context) => {
    const { api, source, post } = await hooked(
      context,
      'gerrit',
      () => ({ status: 201, body: ")]}'\n{}" }),
      (base) => ({
        hookName: 'tiphys',
        projects: ['a/b'],
        events: ['patchset-created'],
        auth: { username: key('user'), password: key('token') },
        sslVerify: true,
        maxTries: 3,
        deleteHookOnFinish: true,
        gerritBaseURL: base,
      }),
    );
    const remote = '/a/config/server/webhooks~projects/a%2Fb/remotes/tiphys';
    assert.deepEqual(api.calls, [`PUT ${remote}`]);
    assert.equal(api.asked[0]?.headers.authorization, `Basic ${Buffer.from('me:sesame').toString('base64')}`);
    assert.deepEqual(bodyOf(api.asked[0]), { url, events: ['patchset-created'], sslVerify: true, maxTries: 3 });
    assert.equal((await post('{"type":"patchset-created"}'))[0], 200);
    assert.deepEqual(dataOf((await source.inbox.until(1))[0]).body, { type: 'patchset-created' });
    await source.close().catch(() => undefined);
    assert.equal(api.calls.at(-1), `DELETE ${remote}`);
  });

  it('Bitbucket: by an address that stands for its API', async (context) => {
    const answers: Answers = ({ method }) => ({
      body: method === 'GET' ? { values: [{ uuid: '{u}', url }] } : { uuid: '{u}' },
    });
    const { api, source, post } = await hooked(context, 'bitbucket', answers, (base) => {
      process.env.BITBUCKET_API_BASE_URL = base;
      return {
        repositories: [{ owner: 'o', repositorySlug: 'r' }],
        events: ['repo:push'],
        auth: { oauthToken: key('token') },
        deleteHookOnFinish: true,
      };
    });
    delete process.env.BITBUCKET_API_BASE_URL;
    assert.deepEqual(api.calls, ['GET /repositories/o/r/hooks?pagelen=100', 'PUT /repositories/o/r/hooks/%7Bu%7D']);
    assert.equal((await post('{"push":{}}'))[0], 200);
    assert.deepEqual(dataOf((await source.inbox.until(1))[0]).body, { push: {} });
    await source.close();
    assert.equal(api.calls.at(-1), 'DELETE /repositories/o/r/hooks/%7Bu%7D');
  });

  it('Bitbucket Server: one event for each change that is of no open pull request', async (context) => {
    const answers: Answers = ({ method, path }) => {
      if (path.includes('/commits/h1/')) return { body: { values: [{ state: 'OPEN' }] } };
      if (path.includes('/commits/')) return { body: { values: [{ state: 'MERGED' }] } };
      if (path.endsWith('/repos?limit=1000')) return { body: { values: [{ slug: 'r' }] } };
      return { body: method === 'GET' ? { values: [] } : { id: 9 } };
    };
    const { api, source, post } = await hooked(context, 'bitbucketserver', answers, (base) => ({
      projects: ['P'],
      events: ['repo:refs_changed'],
      accessToken: key('token'),
      webhookSecret: key('secret'),
      oneEventPerChange: true,
      skipBranchRefsChangedOnOpenPR: true,
      deleteHookOnFinish: true,
      bitbucketserverBaseURL: base,
    }));
    assert.equal(api.calls[2], 'POST /api/1.0/projects/P/repos/r/webhooks');
    assert.deepEqual(bodyOf(api.asked[2]).configuration, { secret: 'shared' });
    const change = (toHash: string) => ({ toHash, type: 'UPDATE', ref: { type: 'BRANCH' } });
    const repository = { slug: 'r', project: { key: 'P' } };
    const body = JSON.stringify({ repository, changes: [change('h1'), change('h2'), change('h3')] });
    const headers = { 'x-event-key': 'repo:refs_changed', 'x-hub-signature': signed(body) };
    assert.equal((await post(body, { ...headers, 'x-hub-signature': 'sha256=0' }))[0], 400);
    assert.equal((await post('{}', { 'x-event-key': 'diagnostics:ping' }))[0], 200);
    assert.equal((await post(body, headers))[0], 200);
    const events = (await source.inbox.until(2)).map((text) => dataOf(text).body as { changes: { toHash: string }[] });
    assert.deepEqual(
      events.map(({ changes }) => changes.map(({ toHash }) => toHash)),
      [['h2'], ['h3']],
    );
    await source.close();
    assert.equal(api.calls.at(-1), 'DELETE /api/1.0/projects/P/repos/r/webhooks/9');
  });

  it('Stripe: registers its hook, and refuses events that are not asked for', async (context) => {
    const { api, source, post } = await hooked(
      context,
      'stripe',
      () => ({ body: { id: 'we_1' } }),
      (base) => {
        process.env.STRIPE_API_BASE_URL = base;
        return { createWebhook: true, apiKey: key('token'), eventFilter: ['charge.succeeded'] };
      },
    );
    delete process.env.STRIPE_API_BASE_URL;
    assert.deepEqual(api.calls, ['POST /v1/webhook_endpoints']);
    assert.equal(
      api.asked[0]?.body,
      new URLSearchParams([
        ['url', url],
        ['enabled_events[]', 'charge.succeeded'],
      ]).toString(),
    );
    assert.equal((await post('{"type":"charge.failed"}'))[0], 400);
    assert.equal((await post('{"type":"charge.succeeded"}'))[0], 200);
    assert.deepEqual(await source.inbox.until(1), ['{"event":{"type":"charge.succeeded"}}']);
  });

  it('StorageGRID: makes endpoint and notification, and takes objects that are asked for', async (context) => {
    const answers: Answers = ({ path }) => ({ body: path === '/org/endpoints' ? { data: [] } : {} });
    const { api, source, post } = await hooked(context, 'storageGrid', answers, (base) => ({
      topicArn: 'arn:aws:sns:t',
      apiURL: base,
      bucket: 'b',
      events: ['s3:ObjectCreated:*'],
      authToken: key('token'),
      filter: { prefix: 'in/', suffix: '.csv' },
    }));
    assert.deepEqual(api.calls, ['GET /org/endpoints', 'POST /org/endpoints', 'PUT /org/containers/b/notification']);
    const note = (name: string) =>
      new URLSearchParams({
        Action: 'Publish',
        Message: JSON.stringify({ Records: [{ s3: { object: { key: name } } }] }),
      });
    await post(note('out/a.csv').toString());
    await post(note('in/a.csv').toString());
    const [event = ''] = await source.inbox.until(1);
    assert.match(event, /in\/a\.csv/);
    assert.equal(source.inbox.bodies.length, 1);
  });

  it('Slack: events, interactions and commands, signed; the challenge is answered', async (context) => {
    const { source, post } = await hooked(
      context,
      'slack',
      () => ({}),
      () => ({
        token: key('token'),
        signingSecret: key('secret'),
      }),
    );
    const send = (body: string, type = 'application/json', age = 0) => {
      const stamp = String(Math.floor(Date.now() / 1000) - age);
      const signature = `v0=${createHmac('sha256', 'shared').update(`v0:${stamp}:${body}`).digest('hex')}`;
      return post(body, { 'content-type': type, 'x-slack-request-timestamp': stamp, 'x-slack-signature': signature });
    };
    const form = 'application/x-www-form-urlencoded';
    assert.deepEqual(await send('{"type":"url_verification","challenge":"c1"}'), [200, 'c1']);
    assert.equal((await send('{"type":"url_verification","challenge":"c1"}', undefined, 600))[0], 401);
    assert.equal((await post('{}'))[0], 401);
    assert.deepEqual(
      source.refusedSenders.map(({ given, stale }) => [given, stale]),
      [
        [true, true],
        [false, undefined],
      ],
    );
    assert.equal((await send('{"type":"event_callback","token":"other","event":{}}'))[0], 400);
    const body = '{"type":"event_callback","token":"sesame","event":{"type":"app_mention","text":"hi"}}';
    assert.equal((await send(body))[0], 200);
    assert.deepEqual(source.refusedSenders, []);
    assert.equal((await send(`payload=${encodeURIComponent('{"type":"block_actions"}')}`, form))[0], 200);
    assert.equal((await send('command=%2Fgo&text=now', form))[0], 200);
    assert.deepEqual(await source.inbox.until(3), [
      '{"type":"app_mention","Data":{"type":"app_mention","text":"hi"}}',
      '{"type":"block_actions"}',
      '{"command":"/go","text":"now"}',
    ]);
  });
});
