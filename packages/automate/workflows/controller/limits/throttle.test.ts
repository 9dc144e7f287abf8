import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow, WorkflowPhase } from '../../model/types.ts';
import { Throttle } from './throttle.ts';

const workflow = (namespace: string, phase?: WorkflowPhase, priority = 0, second = 0) =>
  ({
    metadata: { name: 'w', namespace, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    spec: { priority },
    ...(phase ? { status: { phase } } : {}),
  }) as Workflow;

test('so many run at once in all and in a namespace, by priority and age, and who waits learns which limit it is', () => {
  const limits = { parallelism: 3, namespaceLimit: (namespace: string) => (namespace === 'small' ? 1 : 0) };
  const woken: string[] = [];
  const throttle = new Throttle(
    () => limits,
    (key) => woken.push(key),
  );
  throttle.note('small/a', workflow('small', 'Running'));
  throttle.note('small/b', workflow('small'));
  assert.equal(throttle.admits('small/b'), false);
  assert.equal(throttle.reason('small'), '1 run in namespace small, whose limit is 1');

  throttle.note('big/a', workflow('big', 'Running'));
  throttle.note('big/b', workflow('big', 'Running'));
  throttle.note('big/young', workflow('big', undefined, 0, 2));
  throttle.note('big/old', workflow('big', undefined, 0, 1));
  throttle.note('big/first', workflow('big', undefined, 5, 3));
  assert.equal(throttle.admits('big/old'), false);
  assert.equal(throttle.reason('big'), '3 run, parallelism of workflow-controller-configmap is 3');

  throttle.note('big/a', workflow('big', 'Succeeded'));
  throttle.note('small/a', workflow('small', 'Failed'));
  assert.deepEqual(woken, ['big/first', 'small/b'], 'the highest priority first, then the oldest');
  assert.deepEqual([throttle.admits('big/old'), throttle.admits('small/b')], [false, true]);
});
