import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import { Journal } from '../trace/journal.ts';
import { HttpDouble } from '../wire/testing/http-double.ts';
import { SourceRunner, type SourceRunnerOptions } from './source-runner.ts';

it('an event that has failed for good tells why, and is started anew when it is asked to', async (context) => {
  let isOpen = false;
  const heard = Promise.withResolvers<void>();
  const api = new HttpDouble(({ path }) => {
    const headers = { 'content-type': 'application/xml', 'x-ms-request-id': '1', 'x-ms-version': '2020-10-02' };
    if (!isOpen) return { status: 403, headers: { ...headers, 'x-ms-error-code': 'AuthenticationFailed' } };
    if (!path.includes('comp=metadata')) heard.resolve();
    return { headers, body: '<?xml version="1.0"?><QueueMessagesList></QueueMessagesList>' };
  });
  context.after(() => api.stop());
  const connection = `DefaultEndpointsProtocol=http;AccountName=acc;AccountKey=c2VzYW1l;QueueEndpoint=${await api.start()}/acc;`;
  const event = { queueName: 'q', connectionString: { name: 's', key: 'connection' } };
  const runner = new SourceRunner({
    source: { metadata: { name: 'queues', namespace: 'ns' }, spec: { azureQueueStorage: { orders: event } } },
    keys: { secret: async () => connection, configMap: async () => '' },
    clock: { ...systemClock, sleep: async (_: number, signal?: AbortSignal) => signal?.throwIfAborted() },
    random: () => 0,
    log: () => undefined,
    journal: new Journal(systemClock),
    bus: { publish: async () => undefined },
  } as unknown as SourceRunnerOptions);
  await runner.start();
  await runner.ended();
  const [told] = runner.diagnoses;
  assert.match(told?.message ?? '', /^Event orders is not heard: Queue Storage at .* refuses access to queue q/);
  assert.match(String(told?.remedies[0]?.text), /Secret/);
  assert.equal(told?.causes?.[0]?.code, 'BrokerAccessRefused');
  assert.doesNotMatch(JSON.stringify(told), /c2VzYW1l/);
  assert.deepEqual([...runner.problems.keys()], ['orders']);
  const asked = api.asked.length;
  assert.ok(asked >= 10, `${asked} tries`);
  isOpen = true;
  runner.revive();
  await heard.promise;
  assert.deepEqual(runner.diagnoses, []);
  await runner.close();
});
