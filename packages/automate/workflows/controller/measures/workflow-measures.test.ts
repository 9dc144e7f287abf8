import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkQueue } from '@tiphys/kubernetes';
import { Registry } from 'prom-client';
import { LockTable } from '../../locks/lock-table.ts';
import type { LockRequest } from '../../locks/locks.ts';
import { WorkflowMeasures } from './workflow-measures.ts';

const nothing = {
  phases: () => [],
  pods: () => [],
  conditions: () => [],
  locks: () => [],
  queues: () => [],
  isLeader: () => true,
};

test('queues, locks and the version are measured by the names of upstream', async () => {
  const registry = new Registry();
  const measures = new WorkflowMeasures(registry, nothing, { now: () => 0, version: '1.2.3' });
  const queue = new WorkQueue();
  measures.followQueue('workflow_queue', queue);
  const stop = new AbortController();
  queue.add('a/b');
  const running = queue.run({
    workers: 1,
    signal: stop.signal,
    reconcile: async () => stop.abort(new Error('over')),
    onError: (_key, error) => assert.fail(String(error)),
  });
  await running;
  const locks = new LockTable(undefined, (name) => measures.lockTaken(name));
  const lock = { name: 'builds/Mutex/deploy', kind: 'mutex' };
  const request = { locks: [lock], holder: 'builds/w/n', priority: 0, since: 0, limitOf: () => 1 };
  for (let round = 0; round < 2; round += 1) locks.acquire(request as unknown as LockRequest);
  const text = await registry.metrics();
  for (const line of [
    'argo_workflows_queue_adds_count{queue_name="workflow_queue"} 1',
    'argo_workflows_queue_depth_gauge{queue_name="workflow_queue"} 0',
    'argo_workflows_queue_latency_count{queue_name="workflow_queue"} 1',
    'argo_workflows_queue_duration_count{queue_name="workflow_queue"} 1',
    'argo_workflows_queue_retries{queue_name="workflow_queue"} 0',
    'argo_workflows_queue_unfinished_work{queue_name="workflow_queue"} 0',
    'argo_workflows_queue_longest_running{queue_name="workflow_queue"} 0',
    'argo_workflows_locks_taken_total{lock_name="deploy",namespace="builds",storage="configmap",type="mutex"} 1',
    `argo_workflows_version{platform="${process.platform}/${process.arch}",version="1.2.3"} 1`,
  ])
    assert.ok(
      text.includes(line),
      `${line}\n\n${text
        .split('\n')
        .filter((each) => /queue|locks/.test(each))
        .join('\n')}`,
    );
});
