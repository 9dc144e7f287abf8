import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { diagnosisOf } from '@tiphys/diagnosis';
import { AzureDouble } from '../../wire/testing/azure-double.ts';
import { startSource } from '../testing/started-source.ts';

const key = (name: string) => ({ name: 's', key: name });
const queue = { queueName: 'q', connectionString: key('connection') };

const open = new WeakMap<AzureDouble, (() => Promise<void>)[]>();

async function namespace(context: TestContext): Promise<AzureDouble> {
  const azure = new AzureDouble();
  await azure.start();
  context.after(async () => {
    await Promise.all((open.get(azure) ?? []).map((close) => close()));
    await azure.stop();
  });
  azure.addQueue('q');
  azure.addQueue('t/Subscriptions/s');
  azure.addHub('hub');
  return azure;
}

/** Starts an event of a namespace, until the end of the test. */
async function started(azure: AzureDouble, spec: object, refusals = 0) {
  const kind = 'hubName' in spec ? 'azureEventsHub' : 'azureServiceBus';
  const secrets = { connection: `${azure.connectionString}\n`, name: azure.keyName, key: azure.key };
  const source = await startSource(kind, spec, secrets, refusals);
  open.set(azure, [...(open.get(azure) ?? []), () => source.close()]);
  return source;
}

const hubOf = (azure: AzureDouble, hubName = 'hub') => ({
  fqdn: azure.address,
  hubName,
  sharedAccessKeyName: key('name'),
  sharedAccessKey: key('key'),
});

async function diagnosed(run: Promise<unknown>) {
  return diagnosisOf(
    await run.then(
      () => assert.fail('it listens'),
      (error: unknown) => error,
    ),
  );
}

describe('Service Bus, by a double that speaks AMQP 1.0', () => {
  it('a message that is deferred is settled when it is on the bus, with its bytes as they came', async (context) => {
    const azure = await namespace(context);
    const source = await started(azure, { ...queue, deferDelete: true, jsonBody: true, metadata: { of: 'q' } });
    azure.put('q', { body: '{"a":1.50}', id: 'm1', properties: { by: 'me' } });
    const [event] = await source.inbox.until(1);
    const about = '"contentType":null,"correlationID":null,"enqueuedTime":"2026-01-02T03:04:05.12Z","messageID":"m1"';
    assert.equal(
      event,
      `{"applicationProperties":{"by":"me"},"body":{"a":1.50},${about},"replyTo":null,"sequenceNumber":1,"subject":null,"metadata":{"of":"q"}}`,
    );
    await azure.until(() => azure.settled.length === 1);
    assert.deepEqual(azure.settled, ['accepted q 1']);
  });

  it('a message that the bus does not take is given back, and comes again', async (context) => {
    const azure = await namespace(context);
    const source = await started(azure, { ...queue, deferDelete: true }, 1);
    azure.put('q', { body: 'one', id: 'm1' });
    await source.inbox.until(1);
    await azure.until(() => azure.settled.length === 2);
    assert.deepEqual(azure.settled, ['modified q 1', 'accepted q 1']);
    assert.deepEqual(source.failures.map(String), ['Error: the bus is away']);
  });

  it('one of which no event can be made is counted and given back, until the queue gives up', async (context) => {
    const azure = await namespace(context);
    const source = await started(azure, { ...queue, deferDelete: true, jsonBody: true });
    azure.put('q', { body: 'no JSON' });
    await azure.until(() => azure.settled.length === 4);
    assert.deepEqual(azure.settled, ['modified q 1', 'modified q 1', 'modified q 1', 'dead-lettered q 1']);
    assert.equal(source.failures.length, 3);
    assert.deepEqual(source.inbox.bodies, []);
  });

  it('a subscription of a topic is read, and goes on when the server is back', async (context) => {
    const azure = await namespace(context);
    const spec = { topicName: 't', subscriptionName: 's', connectionString: key('connection') };
    const source = await started(azure, spec);
    azure.put('t/Subscriptions/s', { body: 'one' });
    await source.inbox.until(1);
    azure.drop();
    azure.put('t/Subscriptions/s', { body: 'two' });
    const bodies = (await source.inbox.until(2)).map((text) => (JSON.parse(text) as { body: string }).body);
    assert.deepEqual(
      bodies,
      ['one', 'two'].map((text) => Buffer.from(text).toString('base64')),
    );
    assert.deepEqual(azure.settled, [], 'the server deletes what it sends');
  });

  it('ends though the server is away', async (context) => {
    const azure = await namespace(context);
    const source = await started(azure, { ...queue, deferDelete: true });
    await azure.stop();
    await source.close();
    assert.deepEqual(source.inbox.bodies, []);
  });

  it('a key that is wrong, and a queue that is not there, are told before it listens', async (context) => {
    const azure = await namespace(context);
    const wrong = azure.connectionString.replace(azure.key, 'c2VzYW1l');
    const refused = await diagnosed(startSource('azureServiceBus', queue, { connection: wrong }));
    assert.equal(refused.code, 'BrokerAccessRefused');
    assert.match(refused.message, /^Service Bus at localhost:\d+ refuses access to queue q: InvalidSignature/);
    assert.match(String(refused.remedies[0]?.text), /claim Listen on queue q/);
    assert.doesNotMatch(JSON.stringify(refused), /c2VzYW1l/);
    const connection = azure.connectionString;
    const missing = await diagnosed(startSource('azureServiceBus', { ...queue, queueName: 'no' }, { connection }));
    assert.equal(missing.code, 'BrokerTargetMissing');
    const text = 'SharedAccessKeyName=a;SharedAccessKey=c2VzYW1l';
    const { message } = await diagnosed(startSource('azureServiceBus', queue, { connection: text }));
    assert.doesNotMatch(message, /c2VzYW1l/);
  });
});

describe('Event Hubs, by a double that speaks AMQP 1.0', () => {
  it('hears of what comes from now on, in order', async (context) => {
    const azure = await namespace(context);
    azure.put('hub', { body: 'before' });
    const source = await started(azure, hubOf(azure));
    azure.put('hub', { body: '{"a":1.50}', id: 'm1', partitionKey: 'p' });
    azure.put('hub', { body: 'no JSON' });
    assert.deepEqual(await source.inbox.until(2), [
      '{"id":"m1","partitionKey":"p","body":"eyJhIjoxLjUwfQ=="}',
      '{"id":"","partitionKey":"","body":"bm8gSlNPTg=="}',
    ]);
    assert.deepEqual(azure.positions, ["hub/Partitions/0 amqp.annotation.x-opt-offset > '1'"]);
  });

  it('goes on behind the last event when the server is back', async (context) => {
    const azure = await namespace(context);
    const source = await started(azure, hubOf(azure));
    azure.put('hub', { body: 'one', id: 'm1' });
    await source.inbox.until(1);
    azure.drop();
    azure.put('hub', { body: 'two', id: 'm2' });
    const ids = (await source.inbox.until(2)).map((text) => (JSON.parse(text) as { id: string }).id);
    assert.deepEqual(ids, ['m1', 'm2']);
  });

  it('a key that is wrong, and a hub that is not there, are told before it listens', async (context) => {
    const azure = await namespace(context);
    const secrets = { name: azure.keyName, key: 'c2VzYW1l' };
    const refused = await diagnosed(startSource('azureEventsHub', hubOf(azure), secrets));
    assert.equal(refused.code, 'BrokerAccessRefused');
    assert.match(refused.message, /^Event Hubs at localhost:\d+ refuses access to hub hub: InvalidSignature/);
    const right = { name: azure.keyName, key: azure.key };
    const missing = await diagnosed(startSource('azureEventsHub', hubOf(azure, 'no'), right));
    assert.equal(missing.code, 'BrokerTargetMissing');
  });
});
