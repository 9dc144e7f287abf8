import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CronWorkflow, Workflow } from '../model/types.ts';
import { decideCron } from './cron-decision.ts';
import { parseSchedule } from './schedule.ts';

const at = (text: string) => Date.parse(text);

function cronWorkflow(spec: Partial<CronWorkflow['spec']>, status?: Partial<CronWorkflow['status']>): CronWorkflow {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'CronWorkflow',
    metadata: { name: 'c', namespace: 'n', uid: 'u' },
    spec: { schedules: ['* * * * *'], workflowSpec: { entrypoint: 'main' }, ...spec },
    ...(status
      ? {
          status: {
            active: [],
            lastScheduledTime: null,
            conditions: [],
            succeeded: 0,
            failed: 0,
            phase: 'Active',
            ...status,
          },
        }
      : {}),
  };
}

const facts = { now: at('2026-01-01T00:01:02Z'), since: at('2026-01-01T00:00:30Z'), workflows: [] };

function child(
  name: string,
  phase?: 'Succeeded' | 'Failed' | 'Running',
  finishedAt = '2026-01-01T00:00:10Z',
): Workflow {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name, namespace: 'n', uid: `uid-${name}` },
    spec: {},
    status: { startedAt: null, finishedAt, ...(phase ? { phase } : {}) },
  };
}

test('a due time makes a workflow that is named by it', () => {
  const { create, status, requeueAt } = decideCron(cronWorkflow({}), facts);
  assert.equal(create?.metadata.name, `c-${at('2026-01-01T00:01:00Z') / 1000}`);
  assert.equal(create?.metadata.annotations?.['workflows.argoproj.io/scheduled-time'], '2026-01-01T00:01:00Z');
  assert.equal(create?.metadata.labels?.['workflows.argoproj.io/cron-workflow'], 'c');
  assert.equal(status.lastScheduledTime, '2026-01-01T00:01:00Z');
  assert.equal(requeueAt, at('2026-01-01T00:02:00Z'));
});

test('what was scheduled is not scheduled again', () => {
  const { create } = decideCron(cronWorkflow({}, { lastScheduledTime: '2026-01-01T00:01:00Z' }), facts);
  assert.equal(create, undefined);
});

test('a missed time is made up for once, within startingDeadlineSeconds', () => {
  const late = { ...facts, now: at('2026-01-01T05:00:50Z') };
  const status = { lastScheduledTime: '2026-01-01T00:01:00Z' };
  const hourly = { schedules: ['0 * * * *'] };
  assert.equal(decideCron(cronWorkflow(hourly, status), late).create, undefined);
  const { create } = decideCron(cronWorkflow({ ...hourly, startingDeadlineSeconds: 60 }, status), late);
  assert.equal(create?.metadata.name, `c-${at('2026-01-01T05:00:00Z') / 1000}`);
});

test('a time that is let go is told with its reason, until the next one that is not', () => {
  const told = ({ status }: { status: { conditions?: readonly { type: string; message?: string }[] | null } }) =>
    (status.conditions ?? []).filter(({ type }) => type === 'Skipped').map(({ message }) => message);
  const late = { ...facts, since: at('2026-01-01T04:59:00Z'), now: at('2026-01-01T05:00:50Z') };
  const hourly = { schedules: ['0 * * * *'] };
  const status = { lastScheduledTime: '2026-01-01T00:00:00Z' };
  assert.deepEqual(told(decideCron(cronWorkflow(hourly, status), late)), [
    'The run of 2026-01-01T05:00:00Z was skipped: the controller came to it too late; without startingDeadlineSeconds it is not made up for. To run it now: argo submit -n n --from cronwf/c',
  ]);
  const down = { ...late, since: at('2026-01-01T05:10:00Z'), now: at('2026-01-01T05:10:01Z') };
  assert.match(
    told(decideCron(cronWorkflow({ ...hourly, startingDeadlineSeconds: 60 }, status), down))[0] ?? '',
    /no controller acted on it, and the one that runs has seen the CronWorkflow since 2026-01-01T05:10:00Z; startingDeadlineSeconds lets it begin 60 s later/,
  );
  const suspended = decideCron(cronWorkflow({ ...hourly, suspend: true }, status), late);
  assert.match(told(suspended)[0] ?? '', /05:00:00Z was skipped: spec\.suspend is true/);
  assert.equal(suspended.requeueAt, at('2026-01-01T06:00:00Z'));
  // what was said while it was suspended holds once it is not
  const resumed = decideCron(cronWorkflow(hourly, suspended.status), { ...late, handled: suspended.due });
  assert.match(told(resumed)[0] ?? '', /spec\.suspend is true/);
  const active = [{ name: 'old', uid: 'uid-old' }];
  const forbid = decideCron(cronWorkflow({ concurrencyPolicy: 'Forbid' }, { active }), {
    ...facts,
    workflows: [child('old', 'Running')],
  });
  assert.match(told(forbid)[0] ?? '', /00:01:00Z was skipped: concurrencyPolicy is Forbid, and old has not ended/);
  const next = decideCron(cronWorkflow({ concurrencyPolicy: 'Forbid' }, { ...forbid.status, active: [] }), {
    ...facts,
    now: at('2026-01-01T00:02:01Z'),
  });
  assert.ok(next.create);
  assert.deepEqual(told(next), []);
});

test('concurrency: Forbid skips, Replace ends the others', () => {
  const active = [{ name: 'old', uid: 'uid-old' }];
  const workflows = [child('old', 'Running')];
  const forbid = decideCron(cronWorkflow({ concurrencyPolicy: 'Forbid' }, { active }), { ...facts, workflows });
  assert.equal(forbid.create, undefined);
  assert.equal(forbid.status.lastScheduledTime, null);
  // when the other one ends a moment later, the time that was let go is not made up for
  const ended = { ...facts, workflows: [], handled: forbid.due };
  assert.equal(decideCron(cronWorkflow({ concurrencyPolicy: 'Forbid' }), ended).create, undefined);
  const replace = decideCron(cronWorkflow({ concurrencyPolicy: 'Replace' }, { active }), { ...facts, workflows });
  assert.deepEqual(replace.terminate, ['old']);
  assert.ok(replace.create);
});

test('ended workflows are counted once, and those beyond the history are deleted', () => {
  const workflows = [1, 2, 3, 4].map((n) => child(`w${n}`, 'Succeeded', `2026-01-01T00:00:0${n}Z`));
  const active = workflows.map(({ metadata }) => ({ name: metadata.name ?? '', uid: metadata.uid ?? '' }));
  const decision = decideCron(cronWorkflow({ suspend: true }, { active }), { ...facts, workflows });
  assert.equal(decision.status.succeeded, 4);
  assert.deepEqual(decision.status.active, []);
  assert.deepEqual(decision.remove, ['w1']);
});

test('a stop strategy ends it for good', () => {
  const stopStrategy = { expression: 'cronworkflow.failed >= 2' };
  assert.ok(decideCron(cronWorkflow({ stopStrategy }, { failed: 1 }), facts).create);
  const { create, status, labels } = decideCron(cronWorkflow({ stopStrategy }, { failed: 2 }), facts);
  assert.equal(create, undefined);
  assert.equal(status.phase, 'Stopped');
  assert.equal(labels['cronworkflows.argoproj.io/completed'], 'true');
});

test('a schedule that cannot be read is a condition, not a crash', () => {
  const { status } = decideCron(cronWorkflow({ schedules: ['61 * * * *'] }), facts);
  assert.equal(status.conditions?.[0]?.type, 'SpecError');
});

test('times that clocks jump over are left out; times that come twice run twice', () => {
  const schedule = parseSchedule('30 2 * * *', 'America/Los_Angeles');
  const times = (from: string, count: number) => {
    const found: string[] = [];
    for (let time = schedule.after(at(from)); time !== undefined && found.length < count; time = schedule.after(time))
      found.push(new Date(time).toISOString());
    return found;
  };
  assert.deepEqual(times('2020-03-07T00:00:00Z', 2), ['2020-03-07T10:30:00.000Z', '2020-03-09T09:30:00.000Z']);
  const back = parseSchedule('30 1 * * *', 'America/Los_Angeles');
  const first = back.after(at('2020-11-01T00:00:00Z')) ?? 0;
  assert.equal(new Date(first).toISOString(), '2020-11-01T08:30:00.000Z');
  assert.equal(new Date(back.after(first) ?? 0).toISOString(), '2020-11-01T09:30:00.000Z');
});

test('@every and CRON_TZ', () => {
  assert.equal(parseSchedule('@every 1m30s').after(0), 90_000);
  assert.equal(parseSchedule('CRON_TZ=Asia/Tokyo 0 9 * * *').after(0), 86_400_000);
});

const long = '{{= cronworkflow.lastScheduledTime == nil || (now() - cronworkflow.lastScheduledTime).Seconds() > 360 }}';
const recent = { lastScheduledTime: '2026-01-01T00:00:30Z' };
const asked: readonly (readonly [
  string,
  Partial<CronWorkflow['spec']>,
  Partial<NonNullable<CronWorkflow['status']>>,
  string,
])[] = [
  ['a first time', { when: long }, {}, 'runs'],
  ['a time that is long ago', { when: long }, { lastScheduledTime: '2025-12-31T23:50:00Z' }, 'runs'],
  ['a time that is not', { when: long }, recent, ''],
  ['a number', { when: '{{=cronworkflow.failed < 2}}' }, { failed: 1 }, 'runs'],
  ['a number as text', { when: '{{cronworkflow.failed}} < 2' }, { failed: 2 }, ''],
  ['a label', { when: "{{=cronworkflow.labels.team == 'a'}}" }, {}, 'runs'],
  ['labels as JSON', { when: "{{=fromJSON(cronworkflow.labels.json).team == 'b'}}" }, {}, ''],
  ['no boolean', { when: '1 + 1' }, {}, 'SubmissionError: run policy error: Expected boolean evaluation'],
  [
    'a name that is none',
    { when: '{{cronworkflow.none}}' },
    {},
    'SubmissionError: run policy error: failed to resolve',
  ],
  [
    'a stop by time',
    { stopStrategy: { expression: '(now() - cronworkflow.lastScheduledTime).Hours() > 1' } },
    recent,
    'runs',
  ],
  ['a stop by a label', { stopStrategy: { expression: "cronworkflow.labels.team == 'a'" } }, {}, 'Stopped'],
  [
    'a stop that says neither',
    { stopStrategy: { expression: 'cronworkflow.failed' } },
    {},
    'SpecError: failed to check',
  ],
  [
    'a policy that is none',
    { concurrencyPolicy: 'Some' as 'Allow' },
    {},
    "SpecError: 'Some' is not a valid concurrencyPolicy",
  ],
  ['a deadline below 0', { startingDeadlineSeconds: -1 }, {}, 'SpecError: startingDeadlineSeconds must be positive'],
];
for (const [what, spec, status, said] of asked)
  test(`when and stopStrategy see ${what}`, () => {
    const cron = cronWorkflow(spec, status);
    cron.metadata.labels = { team: 'a' };
    const decision = decideCron(cron, facts);
    const [condition] = decision.status.conditions ?? [];
    const told = condition ? `${condition.type}: ${condition.message}` : decision.create ? 'runs' : '';
    assert.ok(said === 'Stopped' ? told === '' : said === '' ? told === '' : told.startsWith(said), told);
    assert.equal(decision.create !== undefined, said === 'runs');
    assert.equal(decision.status.phase === 'Stopped', said === 'Stopped');
    assert.equal(decision.status.failed - (status.failed ?? 0), said.startsWith('SubmissionError') ? 1 : 0);
  });
