import assert from 'node:assert/strict';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { certificatesFor } from '../control/certificates.ts';
import type { EventBus } from '../spec/event-bus.ts';
import { refusalOf } from './review.ts';
import { admissionServer } from './serve-admission.ts';

const made = (kind: string, spec: object, generation = 1) =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind,
    metadata: { namespace: 'ns', name: 'x', generation },
    spec,
  }) as KubeObject;
const streaming = made('EventBus', { nats: { native: {} } }) as EventBus;
const refused = (object: KubeObject, oldObject?: KubeObject, bus?: EventBus) => {
  const operation = oldObject ? 'UPDATE' : 'CREATE';
  const review = { uid: 'u', kind: object, operation, object, ...(oldObject ? { oldObject } : {}) };
  return refusalOf(review, async () => bus);
};

describe('the webhook of events', () => {
  const log = { template: { name: 't', log: {} } };
  const a = { name: 'a', eventSourceName: 's', eventName: 'e' };
  const sensor = (spec: object, generation = 1) =>
    made('Sensor', { dependencies: [a], triggers: [log], ...spec }, generation);

  it('refuses what the controllers would not run', async () => {
    assert.equal(await refused(sensor({})), undefined);
    assert.equal(
      await refused(sensor({ triggers: [] })),
      'invalid Sensor: no triggers found. Add a trigger with template.name and its type.',
    );
    assert.match(
      (await refused(sensor({ dependencies: [] }))) ?? '',
      /^invalid Sensor: no event dependencies found\. Add one with name/,
    );
    assert.match((await refused(made('EventSource', {}))) ?? '', /^invalid EventSource: no event sources found/);
    assert.match((await refused(made('EventBus', {}))) ?? '', /^invalid EventBus: invalid spec/);
    const twice = sensor({ dependencies: [a, { ...a, name: 'b' }] });
    assert.equal(await refused(twice), undefined);
    assert.match((await refused(twice, undefined, streaming)) ?? '', /more than one dependency/);
  });
  it('lets be what did not change, and what is deleted', async () => {
    const wrong = sensor({ triggers: [] });
    assert.equal(await refused(wrong, wrong), undefined);
    assert.notEqual(await refused(sensor({ triggers: [] }, 2), wrong), undefined);
    const gone = { uid: 'u', kind: wrong, operation: 'DELETE', oldObject: wrong };
    assert.equal(await refusalOf(gone, async () => undefined), undefined);
  });
  it('refuses changes by which events would be lost', async () => {
    const bus = (spec: object, generation = 2) => made('EventBus', spec, generation);
    const kafka = bus({ kafka: { url: 'k' } });
    assert.match((await refused(kafka, streaming)) ?? '', /Can not change event bus implementation/);
    assert.match((await refused(bus({ nats: { native: { auth: 'token' } } }), streaming)) ?? '', /auth" is immutable/);
    assert.match(
      (await refused(bus({ nats: { exotic: { clusterID: 'c', url: 'u' } } }), streaming)) ?? '',
      /to exotic/,
    );
    const stream = (streamConfig: string, generation: number) =>
      bus({ jetstream: { version: '1', streamConfig } }, generation);
    assert.match((await refused(stream('b', 2), stream('a', 1))) ?? '', /streamConfig" is immutable/);
    assert.equal(await refused(bus({ nats: { native: { auth: 'none', replicas: 5 } } }), streaming), undefined);
  });

  describe('over TLS', () => {
    const certificates = certificatesFor(['events-webhook.ns.svc'], Date.now());
    const server = admissionServer({ ...certificates, findBus: async () => undefined, log: () => undefined });
    before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
    after(() => {
      server.close();
      server.closeAllConnections();
    });
    const ask = (body: string, type = 'application/json') =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const { port } = server.address() as AddressInfo;
        const sent = request(
          {
            host: '127.0.0.1',
            port,
            method: 'POST',
            servername: 'events-webhook.ns.svc',
            ca: certificates.ca,
            headers: { 'content-type': type },
          },
          async (response) => {
            const chunks: Buffer[] = [];
            for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
          },
        );
        sent.on('error', reject).end(body);
      });

    it('answers reviews', async () => {
      const object = sensor({ triggers: [] });
      const review = { request: { uid: 'u1', kind: { kind: 'Sensor' }, operation: 'CREATE', object } };
      const { status, text } = await ask(JSON.stringify(review));
      assert.equal(status, 200);
      const { response } = JSON.parse(text) as { response: { uid: string; allowed: boolean; status: object } };
      assert.equal(response.uid, 'u1');
      assert.equal(response.allowed, false);
      assert.deepEqual(response.status, {
        code: 400,
        reason: 'BadRequest',
        message: 'invalid Sensor: no triggers found. Add a trigger with template.name and its type.',
      });
    });
    it('warns of fields without effect', async () => {
      const object = sensor({ triggers: [{ template: { ...log.template, atLeastOnce: true } }] });
      const review = { request: { uid: 'u1', kind: { kind: 'Sensor' }, operation: 'CREATE', object } };
      const { response } = JSON.parse((await ask(JSON.stringify(review))).text) as {
        response: { allowed: boolean; warnings: string[] };
      };
      assert.equal(response.allowed, true);
      assert.deepEqual(response.warnings, [
        'spec.triggers[0].template.atLeastOnce is no field and has no effect: it belongs to spec.triggers[0]',
      ]);
    });
    it('refuses what is no review', async () => {
      assert.equal((await ask('{}', 'text/plain')).status, 415);
      assert.equal((await ask('{')).status, 400);
      assert.equal((await ask('{}')).status, 400);
      assert.equal((await ask(`"${'x'.repeat(9 * 1024 * 1024)}"`)).status, 413);
    });
  });
});
