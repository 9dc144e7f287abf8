import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { startSource } from '../../packages/automate/events/source/testing/started-source.ts';
import { HttpDouble } from '../../packages/automate/events/wire/testing/http-double.ts';
import { freePort } from '../../scripts/testing/free-ports.ts';

const key = (name: string) => ({ name: 's', key: name });

/** What each event source with a port of its own needs to listen. */
const sources: Readonly<Record<string, (api: string) => object>> = {
  webhook: () => ({}),
  github: () => ({ repositories: [{ owner: 'o', names: ['a'] }], events: ['*'] }),
  gitlab: (api) => ({ projects: ['a'], events: ['PushEvents'], gitlabBaseURL: api }),
  gerrit: (api) => ({ projects: ['a'], events: ['x'], gerritBaseURL: api, hookName: 'h' }),
  bitbucket: () => ({ repositories: [{ owner: 'o', repositorySlug: 'a' }] }),
  bitbucketserver: (api) => ({
    bitbucketserverBaseURL: api,
    ...{ repositories: [{ projectKey: 'P', repositorySlug: 'r' }], accessToken: key('token'), events: ['x'] },
    ...{ oneEventPerChange: true, skipBranchRefsChangedOnOpenPR: true },
  }),
  slack: () => ({ token: key('token'), signingSecret: key('secret') }),
  sns: (api) => ({
    topicArn: 'arn:aws:sns:t',
    region: 'eu-west-1',
    endpoint: api,
    accessKey: key('token'),
    secretKey: key('secret'),
    validateSignature: true,
  }),
  storageGrid: (api) => ({ topicArn: 't', apiURL: api, bucket: 'b', events: ['x'], authToken: key('token') }),
  stripe: () => ({ eventFilter: ['charge.succeeded'] }),
};

async function listening(context: TestContext, kind: string) {
  const api = new HttpDouble(({ method }) => ({ body: method === 'GET' ? { values: [], data: [] } : { id: 1 } }));
  const base = await api.start();
  context.after(() => api.stop());
  const port = await freePort();
  const url = kind === 'bitbucketserver' ? { url: 'https://me.example.com' } : {};
  const spec = { ...sources[kind]?.(base), endpoint: '/hook', port: String(port) };
  const webhook = { endpoint: '/hook', port: String(port), ...url };
  const source = await startSource(kind, kind === 'webhook' ? spec : { ...spec, webhook }, {
    token: 'sesame',
    secret: 'shared',
  });
  context.after(() => source.close());
  const stamp = String(Math.floor(Date.now() / 1000));
  const post = async (body: string, type: string) => {
    const signature = `v0=${createHmac('sha256', 'shared').update(`v0:${stamp}:${body}`).digest('hex')}`;
    const headers = {
      ...{ 'content-type': type, 'x-event-key': 'repo:refs_changed' },
      ...{ 'x-slack-request-timestamp': stamp, 'x-slack-signature': signature },
    };
    const answer = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body, headers });
    return { status: answer.status, text: await answer.text() };
  };
  return { api, source, post, port };
}

const form = 'application/x-www-form-urlencoded';
const oddJson = [
  ...[
    '',
    'null',
    '5',
    '"text"',
    '[]',
    '[null]',
    '{}',
    '{',
    '{"a":1}{}',
    '\u0000',
    '[1,]',
    '{"__proto__":{"polluted":1}}',
  ],
  ...[`${'['.repeat(200_000)}${']'.repeat(200_000)}`, `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ...['{"type":5}', '{"type":{},"token":[],"event":null}', '{"type":"event_callback","token":{},"event":5}'],
  ...['{"Type":"__proto__"}', '{"Type":"constructor","SigningCertURL":5}', '{"Type":{},"SigningCertURL":"x"}'],
  ...['{"changes":5}', '{"changes":{}}', '{"changes":[null,5,{"ref":{"type":"BRANCH"},"type":"UPDATE"}]}'],
];
const oddForms = [
  ...[
    '=',
    '&&&',
    '[',
    ']',
    '[]=1',
    'a[=1',
    'a]=1',
    '%',
    '%zz=%ff',
    'payload=',
    'payload=null',
    'command=/x&__proto__=1',
  ],
  ...['a[__proto__][polluted]=1', 'a[0]=x&a[__proto__][polluted]=1', 'a[0]=x&a[__proto__][__proto__][polluted]=1'],
  ...['__proto__[polluted]=1', 'constructor[prototype][polluted]=1', 'Message={}&Message[__proto__][polluted]=1'],
  ...['Message[4294967294]=x', 'Message[0]=x&Message[length]=4294967295', 'a=x&a[b]=1', 'a[b]=1&a=x', 'Message={'],
  ...['Message=null', 'Message={"Records":5}', 'Message={"Records":[{"s3":{"object":{"key":5}}}]}', 'Message=[1'],
  `${'a['.repeat(100_000)}=1`,
];

// What is not linear does not end: these tests fail by the limit of the runner.
describe('the port of an event source', () => {
  for (const kind of Object.keys(sources))
    test(`of ${kind} answers bodies of any shape, none by a mistake of ours`, async (context) => {
      const { api, source, post } = await listening(context, kind);
      for (const [bodies, type] of [
        [oddJson, 'application/json'],
        [oddForms, form],
      ] as const)
        for (const body of bodies) {
          const { status, text: told } = await post(body, type);
          assert.ok(
            [200, 400, 401].includes(status),
            `${status} ${told} to ${body.slice(0, 80)}: ${source.failures.at(-1)}`,
          );
        }
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      assert.equal(([] as { polluted?: unknown }).polluted, undefined);
      for (const call of api.calls) assert.doesNotMatch(call, /\.\.|%2e/i);
    });

  test('reads a form of many fields in one pass', async (context) => {
    const { post } = await listening(context, 'webhook');
    const body = Array.from({ length: 180_000 }, (_, i) => i.toString(36)).join('&');
    assert.equal((await post(body, form)).status, 200);
  });

  test('leads an account of the host nowhere else by what a hook says', async (context) => {
    const { api, post } = await listening(context, 'bitbucketserver');
    const began = api.calls.length;
    const change = { ref: { type: 'BRANCH' }, type: 'UPDATE' };
    for (const [slug, project, commit] of [
      ['r', '../../admin', 'a'.repeat(40)],
      ['..', 'P', 'a'.repeat(40)],
      ['r', 'P', '../../../other'],
      ['r?x=', 'P', 'a'.repeat(40)],
    ]) {
      const repository = { slug, project: { key: project } };
      const body = JSON.stringify({ repository, changes: [{ ...change, toHash: commit }] });
      assert.equal((await post(body, 'application/json')).status, 400, body);
    }
    assert.deepEqual(api.calls.slice(began), []);
  });

  test('ends what is no HTTP, and goes on', async (context) => {
    const { port, post } = await listening(context, 'webhook');
    for (const bytes of [
      'nonsense\r\n\r\n',
      'POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
      'POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'POST /hook HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'POST /hook HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n',
      `POST /hook HTTP/1.1\r\n${'a: b\r\n'.repeat(20_000)}\r\n`,
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
      '\u0016\u0003\u0001\u0002\u0000',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ]) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => undefined).end(bytes);
      assert.doesNotMatch(await text(socket).catch(() => ''), /^HTTP\/1\.1 (2|500)/, bytes.slice(0, 60));
    }
    assert.equal((await post('{}', 'application/json')).status, 200);
  });
});
