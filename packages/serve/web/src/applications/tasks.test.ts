import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '../api/model.ts';
import { tasksOf } from './tasks.ts';

const application = (phase: string) =>
  ({
    status: {
      operationState: {
        phase,
        operation: { sync: { prune: false } },
        syncResult: {
          resources: [
            {
              group: '',
              kind: 'ConfigMap',
              namespace: 'shop',
              name: 'a',
              status: 'Synced',
              hookPhase: 'Succeeded',
              syncPhase: 'Sync',
            },
            {
              group: 'apps',
              kind: 'Deployment',
              namespace: 'shop',
              name: 'web',
              status: 'Synced',
              hookPhase: 'Running',
              syncPhase: 'Sync',
              message: 'configured',
            },
            {
              group: 'batch',
              kind: 'Job',
              namespace: 'shop',
              name: 'seed',
              hookPhase: 'Failed',
              hookType: 'PreSync',
              syncPhase: 'PreSync',
            },
          ],
        },
      },
      resources: [
        { group: '', kind: 'Service', namespace: 'shop', name: 'late', status: 'OutOfSync', syncWave: 2 },
        { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', status: 'OutOfSync' },
        { group: '', kind: 'Secret', namespace: 'shop', name: 'old', status: 'OutOfSync', requiresPruning: true },
      ],
    },
  }) as unknown as Application;

const tree = [
  {
    group: 'apps',
    kind: 'Deployment',
    namespace: 'shop',
    name: 'web',
    health: { status: 'Progressing', message: '1 of 3 updated' },
  },
];

const told = (phase: string) =>
  tasksOf(application(phase), tree).map(({ name, state, phase: of, message }) => [name, state, of, message]);

test('tasksOf() tells what a running sync waits for and what has not had its turn', () => {
  assert.deepEqual(told('Running'), [
    ['seed', 'failed', 'PreSync', ''],
    ['web', 'running', 'Sync', 'Progressing: 1 of 3 updated · configured'],
    ['late', 'waiting', 'Sync, wave 2', ''],
    ['a', 'done', 'Sync', ''],
  ]);
});

test('tasksOf() of a sync that has ended tells its results alone', () => {
  assert.deepEqual(
    told('Failed').map(([name, state]) => [name, state]),
    [
      ['seed', 'failed'],
      ['a', 'done'],
      ['web', 'done'],
    ],
  );
});

test('what was applied is not told to run when the operation has ended', () => {
  const resource = { kind: 'ConfigMap', name: 'a', status: 'Synced', hookPhase: 'Running', syncPhase: 'Sync' };
  const of = (phase: string, more: object = {}) =>
    tasksOf({ status: { operationState: { phase, syncResult: { resources: [{ ...resource, ...more }] } } } }, []);
  assert.deepEqual([of('Running')[0]?.state, of('Running')[0]?.result], ['running', 'Running']);
  assert.deepEqual([of('Succeeded')[0]?.state, of('Succeeded')[0]?.result], ['done', 'Synced']);
  assert.equal(of('Failed', { hookType: 'Sync' })[0]?.result, 'Running');
});
