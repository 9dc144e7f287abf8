import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ScriptedClock } from '../../../foundation/kubernetes/scripted-clock.ts';
import type { Job } from '../job/job-model.ts';
import { type ControlledCluster, startControlledCluster } from '../testing/controlled-cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { eventuallyAll } from '../testing/eventually-all.ts';
import type { CronJob } from './cron-job-controller.ts';
import { cronSchedule, zonedTime } from './cron-schedule.ts';
import { missedTimes } from './cron-times.ts';

const at = (text: string) => Date.parse(text);

describe('cron job controller', () => {
  const clock = new ScriptedClock(at('2026-01-01T11:59:30Z'));
  let cluster: ControlledCluster;
  before(async () => {
    cluster = await startControlledCluster(clock);
  });
  after(() => cluster.close());

  const create = (name: string, spec: Record<string, unknown>) =>
    cluster.create({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name },
      spec: {
        schedule: '0 * * * *',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } } },
        },
        ...spec,
      },
    });
  const settled = (name: string, wanted: (cronJob: CronJob) => boolean) =>
    eventually<CronJob>(
      cluster.client,
      'batch/v1',
      'CronJob',
      name,
      (object) => object !== undefined && wanted(object),
    );

  it('starts a job when it is due, and obeys its concurrency policy', async () => {
    await create('hourly', { timeZone: 'Europe/Berlin' });
    await create('careful', { concurrencyPolicy: 'Forbid' });
    await create('impatient', { concurrencyPolicy: 'Replace' });
    await create('asleep', { suspend: true });
    await clock.sleeping();
    await clock.advance(31_000);
    const jobs = await eventuallyAll<Job>(cluster.client, 'batch/v1', 'Job', (all) => all.length === 3);
    const minutes = at('2026-01-01T12:00:00Z') / 60_000;
    assert.deepEqual(
      jobs.map(({ metadata }) => metadata.name),
      [`careful-${minutes}`, `hourly-${minutes}`, `impatient-${minutes}`],
    );
    assert.equal(
      jobs[1]?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'],
      '2026-01-01T13:00:00+01:00',
    );
    for (const name of ['hourly', 'careful', 'impatient']) {
      const { status } = await settled(name, (cronJob) => cronJob.status?.active?.length === 1);
      assert.equal(status?.lastScheduleTime, '2026-01-01T12:00:00Z');
    }
    await clock.advance(3_600_000);
    await settled('hourly', (cronJob) => cronJob.status?.active?.length === 2);
    await settled('impatient', ({ status }) => status?.active?.[0]?.name === `impatient-${minutes + 60}`);
    await cluster.event(
      'CronJob',
      'Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
    );
  });
});

describe('cron times', () => {
  it('finds the latest of the missed times and tells when there are too many', () => {
    const schedule = cronSchedule('*/10 * * * *');
    const from = at('2026-01-01T00:05:00Z');
    assert.equal(missedTimes(schedule, from, at('2026-01-01T00:09:59Z')).due, undefined);
    assert.equal(missedTimes(schedule, from, at('2026-01-01T00:10:00Z')).due, at('2026-01-01T00:10:00Z'));
    assert.deepEqual(missedTimes(schedule, from, at('2026-01-02T00:01:00Z')), {
      earliest: from,
      missed: 'many',
      due: at('2026-01-02T00:00:00Z'),
    });
  });

  it('reads intervals and descriptors', () => {
    assert.equal(cronSchedule('@every 1h30m').after(at('2026-01-01T00:00:00Z')), at('2026-01-01T01:30:00Z'));
    assert.equal(cronSchedule('@daily').after(at('2026-01-01T00:00:00Z')), at('2026-01-02T00:00:00Z'));
    assert.equal(cronSchedule('0 0 31 2 *').after(at('2026-01-01T00:00:00Z')), undefined);
    assert.equal(zonedTime(at('2026-01-01T12:00:00Z')), '2026-01-01T12:00:00Z');
  });
});
