import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, it, type TestContext } from 'node:test';
import { diagnosisOf } from '@tiphys/diagnosis';
import { PubSubDouble } from '../../wire/testing/pub-sub-double.ts';
import { startSource } from '../testing/started-source.ts';

const google = new PubSubDouble({ isEmulator: false });
const emulator = new PubSubDouble({ isEmulator: true });
const credentialSecret = { name: 's', key: 'google' };

before(async () => {
  await google.start();
  await emulator.start();
});
after(() => {
  delete process.env.PUBSUB_EMULATOR_HOST;
  google.stop();
  emulator.stop();
});

/** Runs an event, until the end of the test if it listens. */
async function started(
  context: TestContext,
  where: PubSubDouble,
  spec: object,
  refusals = 0,
  key: object = google.key,
) {
  process.env.PUBSUB_EMULATOR_HOST = where.address;
  const source = await startSource('pubSub', spec, { google: JSON.stringify(key) }, refusals);
  context.after(() => source.close());
  return source;
}

async function diagnosed(context: TestContext, spec: object, key: object = google.key) {
  const run = started(context, google, spec, 0, key);
  const error = await run.then(
    () => assert.fail('it listens'),
    (thrown: unknown) => thrown,
  );
  const { code, message, remedies } = diagnosisOf(error);
  const text = code === 'InternalError' ? (error as Error).message : message;
  return `${code}: ${text.replace(google.address, 'HOST')}${remedies[0] && code !== 'InternalError' ? ` → ${remedies[0].text}` : ''}`;
}

describe('Pub/Sub, by a double that speaks its gRPC', () => {
  it('makes topic and subscription, and acknowledges a message when it is on the bus', async (context) => {
    const spec = { projectID: 'a', topic: 't', credentialSecret, jsonBody: true, metadata: { of: 'q' } };
    const source = await started(context, google, spec);
    assert.deepEqual([...google.topics], ['projects/a/topics/t']);
    google.publish('projects/a/topics/t', { data: '{"n":1.50}', attributes: { b: '<', a: '1' } });
    assert.deepEqual(await source.inbox.until(1), [
      '{"id":"1","body":{"n":1.50},"attributes":{"a":"1","b":"\\u003c"},"publishTime":"2026-01-02 03:04:05.1205 +0000 UTC","metadata":{"of":"q"}}',
    ]);
    await google.until(() => google.done.includes('ack 1'));
    await source.close();
    assert.equal(google.subscriptions.size, 1);
    assert.ok(!google.done.some((text) => text.startsWith('Delete')));
  });

  it('its subscription has the name that Argo Events gives it', async (context) => {
    const spec = {
      projectID: 'b',
      topic: 't',
      credentialSecret,
      deleteSubscriptionOnFinish: true,
      jsonBody: true,
      metadata: { z: '1', a: '<' },
      filter: { expression: 'true' },
    };
    const source = await started(context, google, spec);
    const name = 'projects/b/subscriptions/event-3182471732';
    assert.deepEqual(
      [...google.subscriptions.keys()].filter((each) => each.startsWith('projects/b/')),
      [name],
    );
    await source.close();
    assert.ok(google.done.includes(`DeleteSubscription ${name}`));
  });

  it('what the bus does not take comes again, and messages of a key keep their order', async (context) => {
    google.topics.add('projects/c/topics/t');
    const spec = { projectID: 'c', topic: 't', subscriptionID: 's', credentialSecret };
    const source = await started(context, google, spec, 1);
    google.publish('projects/c/topics/t', { data: 'again' });
    await source.inbox.until(1);
    assert.deepEqual(source.failures.map(String), ['Error: the bus is away']);
    const texts = Array.from({ length: 50 }, (_, i) => String(i));
    google.publish('projects/c/topics/t', ...texts.map((data) => ({ data, orderingKey: 'k' })));
    const events = (await source.inbox.until(51)).map((text) => JSON.parse(text) as { body: string; attributes: null });
    const bodies = events.map(({ body }) => Buffer.from(body, 'base64').toString());
    assert.deepEqual(bodies, ['again', ...texts]);
    assert.equal(events[0]?.attributes, null);
  });

  it('goes on when the server is back, with what it had not acknowledged', async (context) => {
    emulator.addSubscription('projects/d/subscriptions/s', 'projects/d/topics/t');
    const source = await started(context, emulator, { projectID: 'd', subscriptionID: 's', jsonBody: true });
    emulator.publish('projects/d/topics/t', { data: 'no JSON' });
    await emulator.until(() => emulator.done.includes('nack 1'));
    emulator.stop();
    await emulator.start();
    emulator.publish('projects/d/topics/t', { data: '2' });
    const [event] = await source.inbox.until(1);
    assert.match(String(event), /"body":2,/);
  });

  it('ends though the server is away', async (context) => {
    const away = new PubSubDouble({ isEmulator: true });
    await away.start();
    away.addSubscription('projects/e/subscriptions/s', 't');
    const source = await started(context, away, { projectID: 'e', subscriptionID: 's' });
    away.stop();
    await source.close();
    assert.deepEqual(source.inbox.bodies, []);
  });

  it('says what is missing before it listens', async (context) => {
    google.addSubscription('projects/f/subscriptions/s', 'projects/f/topics/t');
    google.addSubscription('projects/f/subscriptions/old', '_deleted-topic_');
    const of = (subscriptionID: string, topic?: string) => ({
      projectID: 'f',
      subscriptionID,
      topic,
      credentialSecret,
    });
    assert.equal(
      await diagnosed(context, of('none')),
      'BrokerTargetMissing: Pub/Sub at HOST has no subscription projects/f/subscriptions/none: no topic is given from which it could be made → Create the subscription projects/f/subscriptions/none, or correct its name',
    );
    assert.match(
      await diagnosed(context, of('s', 'other')),
      /belongs to topic projects\/f\/topics\/t, wanted projects\/f\/topics\/other/,
    );
    assert.match(await diagnosed(context, of('old', 't')), /the topic of subscription .* has been deleted/);
  });

  it('names the permission that is missing, and a key that is refused', async (context) => {
    google.addSubscription('projects/g/subscriptions/s', 'projects/g/topics/t');
    const spec = { projectID: 'g', subscriptionID: 's', topic: 't', credentialSecret };
    const withheld = async (permission: string, asked: object) => {
      google.withheld.add(permission);
      try {
        return await diagnosed(context, asked);
      } finally {
        google.withheld.delete(permission);
      }
    };
    for (const permission of ['pubsub.subscriptions.consume', 'pubsub.subscriptions.get'])
      assert.match(
        await withheld(permission, spec),
        new RegExp(`^BrokerAccessRefused: .* the permission ${permission} on`),
      );
    for (const permission of ['pubsub.topics.create', 'pubsub.subscriptions.create'])
      assert.match(
        await withheld(permission, { ...spec, subscriptionID: 'new', topic: 'new' }),
        new RegExp(`^BrokerAccessRefused: .* the permission ${permission} on`),
      );
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const refused = await diagnosed(context, spec, { ...google.key, private_key: pem });
    assert.match(
      refused,
      /^BrokerAccessRefused: Pub\/Sub at HOST refuses access to subscription projects\/g\/subscriptions\/s/,
    );
  });

  it('takes keys of service accounts alone, and tells nothing of what is in them', async (context) => {
    const spec = { projectID: 'h', subscriptionID: 's', credentialSecret };
    const external = {
      type: 'external_account',
      credential_source: { file: '/etc/passwd' },
      token_url: 'http://127.0.0.1/',
    };
    assert.match(await diagnosed(context, spec, external), /its type is "external_account", wanted "service_account"/);
    const broken = await diagnosed(context, spec, { ...google.key, private_key: 'c2VzYW1l' });
    assert.match(broken, /^GoogleCredentialsInvalid: .* private_key is no private key in PEM/);
    process.env.PUBSUB_EMULATOR_HOST = google.address;
    const noJson = await startSource('pubSub', spec, { google: 'c2VzYW1l' }).catch((error: unknown) =>
      diagnosisOf(error),
    );
    assert.doesNotMatch(JSON.stringify(noJson), /c2VzYW1l/);
    assert.doesNotMatch(broken, /c2VzYW1l/);
  });
});
