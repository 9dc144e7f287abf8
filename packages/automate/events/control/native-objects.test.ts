import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import type { EventBus } from '../spec/event-bus.ts';
import { busVersions } from './bus-versions.ts';
import { jetStreamObjects } from './jetstream-objects.ts';
import { namedKeys } from './named-keys.ts';
import { stanObjects } from './stan-objects.ts';

const versions = busVersions(`
eventBus:
  nats:
    versions: [{version: 0.22.1, natsStreamingImage: "nats-streaming:0.22.1", metricsExporterImage: exporter}]
  jetstream:
    settings: "max_memory_store: -1"
    streamConfig: |
      maxMsgs: 1000
      replicas: 3
    versions: [{version: latest, natsImage: "nats:2.10", configReloaderImage: reloader, metricsExporterImage: exporter, startCommand: /nats-server}]
`);
const bus = (spec: object) =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'EventBus',
    metadata: { name: 'default', namespace: 'ns' },
    spec,
  }) as EventBus;

describe('the servers of native buses', () => {
  it('are three with TLS and passwords for JetStream', () => {
    const made = jetStreamObjects(bus({ jetstream: { version: 'latest', streamConfig: 'maxMsgs: 5' } }), versions);
    assert.ok(typeof made !== 'string');
    assert.deepEqual(
      made.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      ['ConfigMap eventbus-default-js-config', 'Service eventbus-default-js-svc', 'StatefulSet eventbus-default-js'],
    );
    assert.deepEqual(made.config.jetstream, {
      url: 'nats://eventbus-default-js-svc.ns.svc:4222',
      accessSecret: { name: 'eventbus-default-js-client-auth', key: 'client-auth' },
      streamConfig: 'maxmsgs: 5\nreplicas: 3\n',
    });
    const data = made.drawSecrets()[0]?.data as Record<string, string>;
    const pem = (key: string) => Buffer.from(data[key] ?? '', 'base64');
    const certificate = new X509Certificate(pem('cert'));
    assert.ok(certificate.verify(new X509Certificate(pem('ca-cert')).publicKey));
    assert.equal(certificate.checkHost('eventbus-default-js-svc.ns.svc'), 'eventbus-default-js-svc.ns.svc');
    assert.equal(
      new X509Certificate(pem('cluster-cert')).checkHost('pod-0.eventbus-default-js-svc.ns.svc') === undefined,
      false,
    );
  });
  it('have a token for NATS Streaming where it is asked for', () => {
    const made = stanObjects(bus({ nats: { native: { auth: 'token' } } }), versions);
    assert.ok(typeof made !== 'string');
    assert.equal(made.drawSecrets().length, 2);
    assert.deepEqual(made.config.nats?.accessSecret, { name: 'eventbus-default-client', key: 'client-auth' });
    assert.equal(
      stanObjects(bus({ nats: { native: {} } }), {})
        ?.toString()
        .includes('0.22.1'),
      true,
    );
  });
  it('tell of a version that is not known', () => {
    assert.match(
      String(jetStreamObjects(bus({ jetstream: { version: '1' } }), versions)),
      /version 1 is not in controller-config\.yaml/,
    );
  });
});

it('finds the Secrets and ConfigMaps that specs name', () => {
  const spec = {
    triggers: [
      { template: { http: { basicAuth: { username: { name: 's1', key: 'u' } } } } },
      { template: { k8s: { source: { resource: { spec: { x: { name: 'not', key: 'this' } } } } } } },
      { template: { k8s: { source: { configmap: { name: 'c1', key: 'k' } } } } },
    ],
    template: { container: { env: [{ valueFrom: { secretKeyRef: { name: 'nor', key: 'this' } } }] } },
  };
  assert.deepEqual(namedKeys(spec), { secrets: ['s1'], configMaps: ['c1'] });
});
