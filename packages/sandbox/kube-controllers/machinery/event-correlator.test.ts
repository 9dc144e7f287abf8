import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { EventCorrelator } from './event-correlator.ts';

const event = (reason: string, message: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'default', name: 'web', uid: '1' },
  type: 'Normal',
  reason,
  message,
  reportingComponent: 'replicaset-controller',
});

function started() {
  let now = 1_000_000;
  const correlator = new EventCorrelator({ now: () => now, sleep: async () => undefined });
  const pass = (ms: number) => {
    now += ms;
  };
  return { correlator, pass };
}

test('combines the tenth different message of a reason and those after it', () => {
  const { correlator, pass } = started();
  const told = Array.from({ length: 12 }, (_, index) => correlator.correlate(event('Created', `pod ${index}`)));
  assert.equal(told[8]?.event.message, 'pod 8');
  assert.equal(told[9]?.event.message, '(combined from similar events): pod 9');
  assert.equal(told[9]?.event.reportingComponent, undefined);
  assert.equal(told[9]?.key, told[11]?.key);
  assert.equal(correlator.correlate(event('Deleted', 'pod 0')).event.message, 'pod 0');
  pass(600_001);
  assert.equal(correlator.correlate(event('Created', 'pod 12')).event.message, 'pod 12');
});

test('drops what is more than 25 about one object, and lets another one through every five minutes', () => {
  const { correlator, pass } = started();
  const dropped = () => correlator.correlate(event('Failed', 'again')).dropped;
  assert.equal(Array.from({ length: 25 }, dropped).includes(true), false);
  assert.equal(dropped(), true);
  pass(300_000);
  assert.equal(dropped(), false);
  assert.equal(dropped(), true);
});
