import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { diagnosisOf } from '@tiphys/diagnosis';
import { AzureDouble } from '../wire/testing/azure-double.ts';
import { act, connections, payload } from './testing/act.ts';

const key = (name: string) => ({ name: 's', key: name });

describe('triggers of Azure, by a double that speaks AMQP 1.0', () => {
  const azure = new AzureDouble();
  /** What the trigger gets for the keys of its Secret. */
  const context = () => ({
    keys: {
      secret: async ({ key: name }: { key: string }) =>
        name === 'connection' ? azure.connectionString : name === 'name' ? azure.keyName : `${azure.key}\n`,
      configMap: async () => '',
    },
  });
  const hub = () => ({
    fqdn: azure.address,
    hubName: 'hub',
    sharedAccessKeyName: key('name'),
    sharedAccessKey: key('key'),
    payload,
  });
  const queue = { connectionString: key('connection'), queueName: 'q', payload };

  before(async () => {
    await azure.start();
    azure.addQueue('q');
    azure.addQueue('t/Subscriptions/s');
    azure.addHub('hub');
  });
  after(async () => {
    await connections.close();
    await azure.stop();
  });

  it('azureServiceBus puts a message into a queue or a topic, with an id where it is to be done once', async () => {
    azure.sent.length = 0;
    assert.equal(await act({ azureServiceBus: queue }, undefined, context()), 'sent a message to q');
    const { queueName: _, ...rest } = queue;
    await act({ azureServiceBus: { ...rest, topicName: 't' } }, undefined, { ...context(), isOnce: true });
    await azure.until(() => azure.sent.length === 2);
    assert.equal(azure.sent[0], 'q: {"name":"web"}');
    assert.match(azure.sent[1] ?? '', /^t: \{"name":"web"\} \([0-9a-f]{32}\)$/);
  });

  it('azureEventHubs puts an event into a hub, and again when the server is back', async () => {
    azure.sent.length = 0;
    assert.equal(await act({ azureEventHubs: hub() }, undefined, context()), 'sent 14 bytes to hub');
    azure.drop();
    await act({ azureEventHubs: hub() }, undefined, context());
    await azure.until(() => azure.sent.length === 2);
    assert.deepEqual(azure.sent, ['hub: {"name":"web"}', 'hub: {"name":"web"}']);
  });

  it('a key that is wrong, and a target that is not there, are told with what to do', async () => {
    const wrong = { keys: { secret: async () => 'sesame', configMap: async () => '' } };
    const refused = await act({ azureEventHubs: hub() }, undefined, wrong).catch(diagnosisOf);
    assert.ok(typeof refused === 'object');
    assert.equal(refused.code, 'BrokerAccessRefused');
    assert.match(String(refused.remedies[0]?.text), /claim Send on hub hub/);
    assert.doesNotMatch(JSON.stringify(refused), /sesame/);
    const none = { ...queue, queueName: 'no' };
    const missing = await act({ azureServiceBus: none }, undefined, context()).catch(diagnosisOf);
    assert.ok(typeof missing === 'object');
    assert.equal(missing.code, 'BrokerTargetMissing');
    await assert.rejects(act({ azureServiceBus: queue }, undefined, wrong), /has no Endpoint=sb:/);
  });
});
