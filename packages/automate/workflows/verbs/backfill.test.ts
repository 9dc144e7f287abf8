import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CronWorkflow } from '../model/types.ts';
import { backfilled, timeAs } from './backfill.ts';

const cron = (spec: object) =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'CronWorkflow',
    metadata: { name: 'nightly', namespace: 'n', uid: 'u' },
    spec: {
      schedules: ['0 2 * * *'],
      workflowSpec: {
        entrypoint: 'main',
        arguments: { parameters: [{ name: 'when' }, { name: 'size', value: '3' }] },
        synchronization: { mutexes: [{ name: 'disk' }] },
        templates: [{ name: 'main', container: { image: 'busybox', command: ['echo', '{{inputs.parameters.x}}'] } }],
      },
      ...spec,
    },
  }) as unknown as CronWorkflow;

const span = { start: Date.parse('2026-03-27T12:00:00Z'), end: Date.parse('2026-03-30T12:00:00Z') };
const options = { ...span, argument: 'when', most: 1000 };

test('a backfill has one workflow for each time, under the name that the CronWorkflow would have given it', () => {
  const workflows = backfilled(cron({}), options);
  assert.deepEqual(
    workflows.map(({ spec }) => spec.arguments?.parameters),
    ['2026-03-28', '2026-03-29', '2026-03-30'].map((day) => [
      { name: 'size', value: '3' },
      { name: 'when', value: `${day}T02:00:00Z` },
    ]),
  );
  const [first] = workflows;
  assert.equal(first?.metadata.name, `nightly-${Date.parse('2026-03-28T02:00:00Z') / 1000}`);
  assert.equal(first?.metadata.generateName, undefined);
  assert.equal(first?.metadata.labels?.['workflows.argoproj.io/backfill'], 'nightly');
  assert.equal(first?.metadata.annotations?.['workflows.argoproj.io/scheduled-time'], '2026-03-28T02:00:00Z');
});

test('they run one after the other, the earliest first, unless all are wanted at once', () => {
  const workflows = backfilled(cron({}), options);
  assert.deepEqual(
    workflows.map(({ spec }) => spec.priority),
    [0, -1, -2],
  );
  assert.deepEqual(workflows[0]?.spec.synchronization?.mutexes, [{ name: 'disk' }, { name: 'backfill-nightly' }]);
  const [parallel] = backfilled(cron({}), { ...options, parallel: true });
  assert.deepEqual(parallel?.spec.synchronization?.mutexes, [{ name: 'disk' }]);
  assert.equal(parallel?.spec.priority, undefined);
});

test('times of several schedules come once, and a time that the clocks jump over not at all', () => {
  const times = (spec: object) =>
    backfilled(cron(spec), options).map(({ metadata }) =>
      new Date(Number(metadata.name?.split('-')[1]) * 1000).toISOString(),
    );
  assert.equal(times({ schedules: ['0 2 * * *', '0 2,3 * * *'] }).length, 6);
  assert.deepEqual(times({ schedules: ['30 2 * * *'], timezone: 'Europe/Berlin' }), [
    '2026-03-28T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

test('what is no span, no schedule or too much is refused with a remedy', () => {
  assert.throws(() => backfilled(cron({}), { ...options, start: span.end }), /the start is not before the end/);
  assert.throws(() => backfilled(cron({}), { ...options, start: Number.NaN }), /the start is not before the end/);
  assert.throws(() => backfilled(cron({ schedules: ['* * * * *'] }), options), /more than 1000 times in the 3 days/);
  assert.throws(() => backfilled(cron({}), { ...options, most: Number.NaN }), /more than NaN times/);
  assert.throws(() => backfilled(cron({ timezone: 'Moon/Sea' }), options), /CronWorkflow nightly: .*no time zone/);
});

test('a backfill with a name of its own runs again what has run, apart from others', () => {
  const [first] = backfilled(cron({}), { ...options, name: 'Again' });
  assert.equal(first?.metadata.name, `nightly-backfill-again-${Date.parse('2026-03-28T02:00:00Z') / 1000}`);
  assert.deepEqual(first?.spec.synchronization?.mutexes, [{ name: 'disk' }, { name: 'backfill-Again' }]);
  const [long] = backfilled(cron({}), { ...options, name: 'x'.repeat(80) });
  assert.equal(long?.metadata.name?.length, 63);
  assert.throws(() => backfilled(cron({}), { ...options, name: 'a b' }), /"a b" of the backfill is to be of letters/);
});

test('times are read as a layout of Go says, else as RFC 3339 or RFC 1123', () => {
  const at = Date.parse('2026-03-27T12:30:00Z');
  assert.equal(timeAs('2026-03-27T13:30:00+01:00'), at);
  assert.equal(timeAs('Fri, 27 Mar 2026 12:30:00 GMT'), at);
  assert.equal(timeAs('27.03.2026 12:30', '02.01.2006 15:04'), at);
  assert.throws(() => timeAs('27.03.2026', '2006-01-02'), /"27.03.2026" is not written as --format says/);
  assert.throws(() => timeAs('yesterday'), /"yesterday" is no time: give it as/);
});
