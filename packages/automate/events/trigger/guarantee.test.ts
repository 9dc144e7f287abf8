import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { HttpDouble } from '../wire/testing/http-double.ts';
import { guaranteeOf } from './guarantee.ts';
import { act, connections, payload } from './testing/act.ts';

describe('what a trigger guarantees', () => {
  after(() => connections.close());

  const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'a-' } };
  const delivery = (template: object, { once = false, least = true } = {}) =>
    guaranteeOf({ template: { name: 't', ...template }, atLeastOnce: least } as never, {
      metadata: { name: 's', ...(once ? { annotations: { 'events.tiphys.dev/once': 'true' } } : {}) },
    }).delivery;

  it('is at most once as upstream, unless the trigger asks for more', () => {
    const k8s = { operation: 'create', source: { resource } };
    assert.equal(delivery({ k8s }, { least: false, once: true }), 'at most once');
    assert.equal(delivery({ k8s }), 'at least once');
    assert.equal(delivery({ k8s }, { once: true }), 'exactly once');
    const annotated = {
      ...resource,
      metadata: { ...resource.metadata, annotations: { 'events.tiphys.dev/once': 'true' } },
    };
    assert.equal(delivery({ k8s: { operation: 'create', source: { resource: annotated } } }), 'exactly once');
  });

  it('is exactly once where doing it again changes nothing, and never where nobody can tell', () => {
    for (const [template, plain, once] of [
      [{ k8s: { operation: 'delete' } }, 'exactly once', 'exactly once'],
      [{ k8s: { operation: 'patch' } }, 'exactly once', 'exactly once'],
      [{ k8s: { operation: 'patch', patchStrategy: 'application/json-patch+json' } }, 'at least once', 'at least once'],
      [{ argoWorkflow: { operation: 'stop' } }, 'exactly once', 'exactly once'],
      [{ argoWorkflow: { operation: 'submit' } }, 'at least once', 'exactly once'],
      [{ argoWorkflow: { operation: 'retry' } }, 'at least once', 'at least once'],
      [{ argoWorkflow: { operation: 'resubmit', args: ['--memoized'] } }, 'at least once', 'at least once'],
      [{ http: { url: 'http://a' } }, 'at least once', 'exactly once'],
      [{ kafka: {} }, 'at least once', 'at least once'],
    ] as const)
      assert.deepEqual(
        [delivery(template), delivery(template, { once: true })],
        [plain, once],
        JSON.stringify(template),
      );
  });

  it('gives an HTTP server the same key for the same events, and leaves one that is written', async (context) => {
    const api = new HttpDouble(() => ({ body: {} }));
    const url = await api.start();
    context.after(() => api.stop());
    const http = { url, payload };
    await act({ http });
    for (let turn = 0; turn < 2; turn++) await act({ http }, undefined, { isOnce: true });
    await act({ http: { ...http, headers: { 'idempotency-key': 'mine' } } }, undefined, { isOnce: true });
    const keys = api.asked.map(({ headers }) => headers['idempotency-key']);
    assert.equal(keys[0], undefined);
    assert.match(String(keys[1]), /^[0-9a-f]{32}$/);
    assert.equal(keys[2], keys[1]);
    assert.equal(keys[3], 'mine');
  });
});
