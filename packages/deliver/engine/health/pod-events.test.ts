import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { heldBackPull } from './pod-events.ts';
import { podTrouble } from './pod-trouble.ts';

const image = 'registry.example/shop:nope';
const waiting = (message: string) => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { containers: [{ name: 'main', image }] },
    status: {
      containerStatuses: [{ name: 'main', image, state: { waiting: { reason: 'ImagePullBackOff', message } } }],
    },
  } as unknown as KubeObject;
  const trouble = podTrouble(pod);
  assert.ok(trouble);
  return trouble;
};
const event = (lastTimestamp: string, message: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: lastTimestamp },
  reason: 'Failed',
  message,
  lastTimestamp,
});
const backOff = `Back-off pulling image "${image}"`;

test('a pull that a kubelet only says to hold back is told by its last attempt', () => {
  const told = heldBackPull(waiting(backOff), [
    event(
      '2026-01-01T00:00:01Z',
      `Failed to pull image "${image}": dial tcp 10.0.0.1:443: connect: connection refused`,
    ),
    event('2026-01-01T00:00:02Z', `Failed to pull image "${image}": failed to authorize: 401 Unauthorized`),
    event('2026-01-01T00:00:03Z', 'Error: ImagePullBackOff'),
    event('2026-01-01T00:00:04Z', 'Failed to pull image "another:1": not found'),
  ]);
  assert.equal(told.code, 'ImagePullFailed');
  assert.match(told.message, /container main cannot be pulled: the registry refuses the credential/);
  assert.match(JSON.stringify(told.remedies), /imagePullSecrets/);
  assert.match(JSON.stringify(told.evidence), /event Failed.*401 Unauthorized/);
});

test('a status that says it, and events that do not, change nothing', () => {
  const newer = waiting(`${backOff}: ErrImagePull: rpc error: code = NotFound desc = ${image}: not found`);
  assert.match(newer.message, /no such image or tag/);
  assert.equal(heldBackPull(newer, [event('2026-01-01T00:00:01Z', `Failed to pull image "${image}": 401`)]), newer);
  const older = waiting(backOff);
  assert.equal(heldBackPull(older, []), older);
});
