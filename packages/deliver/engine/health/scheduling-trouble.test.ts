import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unschedulablePod } from './scheduling-trouble.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' }, spec: {} };
const remediesOf = (message: string) =>
  unschedulablePod(pod, `0/3 nodes are available: ${message}.`)
    .remedies.map(({ text }) => text)
    .join(' | ');

const rows: readonly [message: string, remedy: RegExp, never: RegExp][] = [
  ['3 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }', /Free the disk/, /toleration/],
  ['3 node(s) had untolerated taint {node.kubernetes.io/not-ready: }', /not ready/, /toleration/],
  ['3 node(s) had untolerated taint {node.kubernetes.io/unschedulable: }', /uncordon/, /toleration/],
  ['3 node(s) had untolerated taint {shop.example/gpu: }', /toleration/, /not ready/],
  ['3 node(s) had volume node affinity conflict', /zone of the volume/, /nodeSelector/],
  ["3 node(s) didn't match Pod's node affinity/selector", /Correct nodeSelector/, /zone/],
  ["3 node(s) didn't match pod topology spread constraints (missing required label)", /the label/, /Add nodes/],
  ["3 node(s) didn't match pod topology spread constraints", /Add nodes in the domains/, /the label/],
  ['1 Insufficient cpu, 2 node(s) had untolerated taint {a: b}', /lower the resource.*toleration/, /zone/],
];

test('each reason of the scheduler gets its own remedy', () => {
  for (const [message, remedy, never] of rows) {
    assert.match(remediesOf(message), remedy, message);
    assert.doesNotMatch(remediesOf(message), never, message);
  }
});
