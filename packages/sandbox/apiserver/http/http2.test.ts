import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { loadKubeconfig } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';

let sandbox: Sandbox;
let session: ClientHttp2Session;
before(async () => {
  sandbox = await startSandbox({ controllers: false, nodes: 0 });
  session = open();
});
after(async () => {
  session.destroy();
  await sandbox.close();
});

function open(): ClientHttp2Session {
  const { server, tls } = loadKubeconfig(sandbox.kubeconfig);
  return connect(server, { ca: tls?.ca ?? '' });
}

function send(headers: OutgoingHttpHeaders, body?: string, on = session): ClientHttp2Stream {
  const { bearerToken } = sandbox.config;
  const stream = on.request({ authorization: `Bearer ${bearerToken}`, 'content-type': 'application/json', ...headers });
  stream.end(body);
  return stream;
}

async function call(headers: OutgoingHttpHeaders, body?: string): Promise<{ status: number; text: string }> {
  const stream = send(headers, body);
  const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return { status: Number(answer[':status']), text };
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

describe('HTTP/2', () => {
  it('is what a client that offers it speaks, many requests at once', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `many-${index}`);
    const created = await Promise.all(
      names.map((name) => call({ ':method': 'POST', ':path': configMaps }, configMap(name))),
    );
    assert.equal(session.alpnProtocol, 'h2');
    assert.deepEqual(new Set(created.map(({ status }) => status)), new Set([201]));
    const read = await Promise.all(names.map((name) => call({ ':path': `${configMaps}/${name}` })));
    assert.deepEqual(
      read.map(({ text }) => JSON.parse(text).metadata.name),
      names,
    );
  });

  it('tells the authority as the host', async () => {
    const { text } = await call({ ':path': '/api' });
    assert.equal(JSON.parse(text).serverAddressByClientCIDRs[0].serverAddress, new URL(sandbox.url).host);
  });

  it('carries watches beside other requests, and ends them by themselves', async () => {
    const watch = send({ ':path': `${configMaps}?watch=true&fieldSelector=metadata.name=seen` });
    const [answer] = (await once(watch, 'response')) as [Record<string, unknown>];
    assert.equal(answer[':status'], 200);
    const lines = watch.setEncoding('utf8')[Symbol.asyncIterator]();
    await call({ ':method': 'POST', ':path': configMaps }, configMap('seen'));
    assert.equal(JSON.parse((await lines.next()).value).type, 'ADDED');
    await call({ ':method': 'DELETE', ':path': `${configMaps}/seen` });
    assert.equal(JSON.parse((await lines.next()).value).type, 'DELETED');
    watch.close();
    assert.equal((await call({ ':path': '/readyz' })).text, 'ok');
  });

  it('waits for a client that does not read, and goes on with it', async () => {
    const data = { text: 'x'.repeat(500_000) };
    for (let index = 0; index < 20; index++)
      await call({ ':method': 'POST', ':path': configMaps }, configMap(`large-${index}`, data));
    const list = send({ ':path': configMaps });
    await once(list, 'response');
    list.pause();
    // another answer comes through meanwhile
    assert.equal((await call({ ':path': `${configMaps}/large-0` })).status, 200);
    let text = '';
    for await (const chunk of list.setEncoding('utf8')) text += chunk;
    assert.equal(JSON.parse(text).items.filter(({ data: { text = '' } = {} }) => text === data.text).length, 20);
  });

  it('refuses a body that is too large, and goes on', async () => {
    const { status, text } = await call(
      { ':method': 'POST', ':path': configMaps },
      configMap('huge', { text: 'x'.repeat(4 * 1024 * 1024) }),
    );
    assert.equal(status, 413);
    assert.equal(JSON.parse(text).reason, 'RequestEntityTooLarge');
    assert.equal((await call({ ':path': '/readyz' })).text, 'ok');
  });

  it('knows who repeated headers impersonate', async () => {
    const { text } = await call(
      {
        ':method': 'POST',
        ':path': '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        'impersonate-user': 'jane',
        'impersonate-group': ['cn=developers,ou=people', 'operators'],
      },
      JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
    );
    assert.deepEqual(JSON.parse(text).status.userInfo, {
      username: 'jane',
      groups: ['cn=developers,ou=people', 'operators', 'system:authenticated'],
    });
  });

  for (const disconnect of ['before', 'after'] as const)
    it(`loses a connection that it is told to lose ${disconnect} a request`, async () => {
      const other = open();
      const gone = once(other, 'close');
      other.on('error', () => undefined);
      sandbox.faults.inject({ method: 'POST', path: '/configmaps', disconnect, times: 1 });
      const stream = send({ ':method': 'POST', ':path': configMaps }, configMap(`lost-${disconnect}`), other);
      stream.on('error', () => undefined).on('response', () => assert.fail('nothing was to be heard'));
      await gone;
      const { status } = await call({ ':path': `${configMaps}/lost-${disconnect}` });
      assert.equal(status, disconnect === 'before' ? 404 : 200);
    });
});
