import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventName, EventsAccess, FlowCount, JournalEntry } from '@tiphys/events';
import { startTestServer } from '../../testing/start-test-server.ts';

const own = '/api/tiphys/v1/events';
const way: JournalEntry = {
  id: 'abc123',
  namespace: 'shop',
  eventSource: 'hooks',
  event: 'push',
  type: 'webhook',
  steps: [{ at: 1, kind: 'refused', sensor: 'acts', text: 'filter data: body.n is 1, wanted number = "2"' }],
};
const count: FlowCount = {
  ...{ namespace: 'shop', eventSource: 'hooks', event: 'push', sensor: 'acts', kind: 'refused', count: 1 },
  last: { at: 1, id: 'abc123', text: 'filter data' },
};
const push = { namespace: 'shop', source: 'hooks', event: 'push' };

test('the ways of events are served, and events sent, to who has the right over clusters', async (t) => {
  const sent: [EventName, string | number][] = [];
  const eventWays: EventsAccess = {
    ways: ({ sensor }) => (sensor === 'other' ? [] : [way]),
    way: (namespace, id) => (namespace === 'shop' && way.id.startsWith(id) ? way : undefined),
    flow: () => [count],
    onFlow: (listener) => {
      listener({ ...count, count: 2 });
      return () => undefined;
    },
    send: async (name, data) => {
      sent.push([name, data]);
      return 'new';
    },
    replay: async (name, last) => {
      sent.push([name, last]);
      return ['again'];
    },
  };
  const { call, login, configure, server } = await startTestServer(t, { eventWays });
  const token = await login();
  const stop = new AbortController();
  const { body } = await fetch(`${server.url}${own}/flow`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  let flow = '';
  for await (const chunk of body ?? assert.fail()) {
    flow += Buffer.from(chunk).toString();
    // first all counts, then those that have changed
    if (flow.includes('"count":2')) break;
  }
  stop.abort();
  assert.match(flow, /data: \{"result":\{"counts":\[\{.*"count":1,.*\n\ndata: \{"result":\{"counts":\[\{.*"count":2,/);
  assert.deepEqual((await call(`${own}/ways`, { token })).body.items, [way]);
  assert.deepEqual((await call(`${own}/ways?sensor=other`, { token })).body.items, []);
  assert.equal((await call(`${own}/ways/shop/abc`, { token })).body.id, 'abc123');
  assert.equal((await call(`${own}/ways/shop/zzz`, { token })).status, 404);
  for (const kind of ['sources', 'sensors'])
    assert.match(String((await call(`${own}/${kind}`, { token })).body.note), /not installed/);
  assert.equal((await call(`${own}/send`, { token, body: { ...push, data: { body: 1 } } })).body.id, 'new');
  assert.deepEqual((await call(`${own}/replay`, { token, body: { ...push, last: 3 } })).body.ids, ['again']);
  assert.deepEqual(sent, [
    [push, '{"body":1}'],
    [push, 3],
  ]);
  assert.equal((await call(`${own}/send`, { token, body: { namespace: 'shop' } })).status, 400);
  assert.equal((await call(`${own}/send`, { token })).status, 405);
  assert.equal((await call(`${own}/ways`)).status, 401);
  assert.equal((await call(`${own}/flow`)).status, 401);
  await configure('argocd-cm', { 'accounts.eve': 'apiKey' });
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, eve, clusters, get, *, allow' });
  const eve = String((await call('/api/v1/account/eve/token', { token, body: {} })).body.token);
  assert.equal((await call(`${own}/ways`, { token: eve })).status, 200);
  assert.equal((await call(`${own}/send`, { token: eve, body: push })).status, 403);
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, eve, applications, get, *, allow' });
  assert.equal((await call(`${own}/flow`, { token: eve })).status, 403);
  assert.equal(sent.length, 2);
});

test('a server without the events says where they are', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  assert.match(String((await call(`${own}/ways`, { token })).body.note), /another process/);
  assert.equal((await call(`${own}/send`, { token, body: push })).status, 400);
});
