import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryCluster } from '@tiphys/controller';
import type { Workflow } from '../model/types.ts';
import { baselineOf, noteEnd } from './baseline.ts';
import type { Surroundings } from './surroundings.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const labels = { 'workflows.argoproj.io/cron-workflow': 'nightly' };

function workflow(name: string, status?: Workflow['status']): Workflow {
  const metadata = {
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    creationTimestamp: `2026-01-0${name.at(-1)}T00:00:00Z`,
    labels,
  };
  return { apiVersion, kind: 'Workflow', metadata, spec: {}, ...(status ? { status } : {}) } as Workflow;
}

function ended(name: string): Workflow {
  const times = { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:01:00Z' };
  const node = { id: name, name, type: 'Pod', phase: 'Succeeded', outputs: { result: 'large' }, ...times };
  return workflow(name, { phase: 'Succeeded', ...times, nodes: { [name]: node } } as unknown as Workflow['status']);
}

test('estimates rest on the newest workflow of the same origin; one that was seen to end is not read', async () => {
  const cluster = new MemoryCluster();
  const workflows = cluster.view<never>('Workflow');
  const settings = () => ({});
  const surroundings = { client: cluster.client, workflows, persistence: {}, settings } as unknown as Surroundings;
  const find = (each: Workflow) => baselineOf(surroundings, each, new AbortController().signal);
  const reads = () => cluster.requests.splice(0).length;

  assert.equal(await find(workflow('w-1')), undefined);
  cluster.put(ended('w-1') as never);
  const second = workflow('w-2');
  const read = await find(second);
  assert.deepEqual([read?.metadata.name, reads()], ['w-1', 1], 'it ended before this process began');
  assert.deepEqual(read?.status?.nodes, {
    'w-1': { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:01:00Z' },
  });
  assert.equal((await find(workflow('w-3')))?.metadata.name, 'w-1');
  cluster.put(ended('w-2') as never);
  noteEnd(surroundings, ended('w-2'));
  assert.equal((await find(workflow('w-4')))?.metadata.name, 'w-2');
  assert.equal((await find(workflow('w-3')))?.metadata.name, 'w-1', 'once begun, a workflow keeps its own');
  assert.equal(reads(), 0);
});
