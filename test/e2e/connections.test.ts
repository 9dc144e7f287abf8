import assert from 'node:assert/strict';
import { test } from 'node:test';
import tls from 'node:tls';
import { connect, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';

test('all connections to an API server share certificates that are read once', async (t) => {
  const sandbox = await startSandbox();
  t.after(() => sandbox.close());
  const client = connect(loadKubeconfig(sandbox.kubeconfig), {
    caller: { component: 'test', purpose: 'connections' },
    clock: systemClock,
  });
  t.after(() => client.close());
  const [read, opened] = [t.mock.method(tls, 'createSecureContext'), t.mock.method(tls, 'connect')];
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name: 'default' };
  const asked = Array.from({ length: 20 }, () => client.get(namespace));
  for (const { metadata } of await Promise.all(asked)) assert.equal(metadata.name, 'default');
  const ours = opened.mock.calls.filter(({ arguments: [options] }) => typeof options === 'object');
  assert.ok(ours.length > 2, `${ours.length} connections`);
  // of the requests, and of the streams of the same pool
  assert.ok(read.mock.callCount() <= 2, `read ${read.mock.callCount()} times for ${ours.length} connections`);
});
