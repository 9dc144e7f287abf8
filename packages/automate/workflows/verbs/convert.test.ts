import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateFile } from '../simulate/simulate-file.ts';
import { converted } from './convert.ts';

test('fields of older versions take their present form, and nothing else changes', () => {
  const lock = { semaphore: { configMapKeyRef: { name: 'c', key: 'k' } }, mutex: { name: 'm' } };
  const cron = {
    kind: 'CronWorkflow',
    metadata: { name: 'x' },
    spec: {
      schedule: '0 0 * * *',
      timezone: 'UTC',
      workflowSpec: { synchronization: lock, templates: [{ name: 'a', synchronization: lock }] },
    },
  };
  const now = { semaphores: [lock.semaphore], mutexes: [lock.mutex] };
  assert.deepEqual(converted(cron), {
    kind: 'CronWorkflow',
    metadata: { name: 'x' },
    spec: {
      timezone: 'UTC',
      schedules: ['0 0 * * *'],
      workflowSpec: { synchronization: now, templates: [{ name: 'a', synchronization: now }] },
    },
  });
  assert.deepEqual(converted(converted(cron)), converted(cron));
  const other = { kind: 'ConfigMap', data: { schedule: 'x' } };
  assert.equal(converted(other), other);
});

const workflow = `
kind: Workflow
metadata: {name: w}
spec:
  entrypoint: main
  templates:
  - {name: main, container: {image: x, command: [x]}}
`;

test('a fate with a field or value that is none is refused with its place', () => {
  const run = (fates: string) => simulateFile({ text: workflow, file: 'w.yaml', fates, seconds: 60 });
  assert.throws(() => run('w: {exitCode: 1}'), /fates:1: w has the field exitCode, which a fate does not have/);
  assert.throws(() => run('a: {run: 2}\nw: {loss: stolen}'), /fates:2: loss of w must be evicted, lost, never or init/);
  assert.throws(() => run('w: {exit: one}'), /fates:1: exit of w must be a number/);
  assert.throws(() => run('[1]'), /fates/);
  assert.equal(run('w: {exit: 1}').workflow.status?.phase, 'Failed');
});
