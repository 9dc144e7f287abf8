import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Sensor } from '../spec/sensor.ts';
import type { JournalEntry } from './journal.ts';
import { withUnheard } from './unheard.ts';

const at = Date.parse('2026-01-01T00:00:00Z');
const way = (more: Partial<JournalEntry> = {}): JournalEntry => ({
  id: '1',
  namespace: 'ns',
  eventSource: 'hooks',
  event: 'push',
  type: 'webhook',
  steps: [{ at, kind: 'published', text: 'stored by the bus' }],
  ...more,
});
const sensor = (spec: object = {}, more: object = {}) =>
  ({
    metadata: { namespace: 'ns', name: 's', creationTimestamp: '2025-12-31T00:00:00Z' },
    spec: {
      dependencies: [{ name: 'a-b', eventSourceName: 'hooks', eventName: 'push' }],
      triggers: [{ template: { name: 't', log: {} } }],
      ...spec,
    },
    ...more,
  }) as unknown as Sensor;
const lastOf = (entry: JournalEntry, sensors: readonly Sensor[], inPods = false) => {
  const known = { sources: { get: () => undefined }, sensors: { list: () => sensors }, inPods };
  const step = withUnheard([entry], known)[0]?.steps.at(-1);
  return [step?.sensor, step?.text];
};

it('an event that nobody took is told why', () => {
  assert.deepEqual(lastOf(way(), []), [undefined, 'no Sensor of namespace ns waits for it']);
  assert.deepEqual(lastOf(way(), [sensor({ dependencies: [] })]), [
    undefined,
    'no Sensor of namespace ns waits for it',
  ]);
  const other = sensor({ eventBusName: 'second' });
  assert.deepEqual(lastOf(way(), [other]), ['s', 'it listens on EventBus second, and the event is on default']);
  const conditions = [{ type: 'TriggersProvided', status: 'False', reason: 'InvalidTriggers', message: 'no' }];
  assert.deepEqual(lastOf(way(), [sensor({}, { status: { conditions } })]), [
    's',
    'it does not run: InvalidTriggers: no',
  ]);
  const metadata = { namespace: 'ns', name: 's', creationTimestamp: '2026-01-01T00:00:01Z' };
  assert.match(lastOf(way(), [sensor({}, { metadata })])[1] ?? '', /^it is newer than the event/);
  const unused = sensor({ triggers: [{ template: { name: 't', conditions: 'c || d', log: {} } }] });
  assert.deepEqual(lastOf(way(), [unused]), ['s', 'no trigger has a-b in its conditions']);
  const place = { field: 'spec.triggers[name=t].template.conditions' };
  const diagnoses = [{ code: 'TriggerConditionInvalid', message: 'Trigger t never runs: because', place }];
  const never = sensor(
    { triggers: [{ template: { name: 't', conditions: 'a_b && nobody', log: {} } }] },
    { status: { diagnoses } },
  );
  assert.deepEqual(lastOf(way(), [never]), ['s', 'Trigger t never runs: because']);
  assert.deepEqual(lastOf(way(), [sensor()]), ['s', 'it has not taken it yet']);
  assert.match(lastOf(way(), [sensor()], true)[1] ?? '', /see its log/);
});

it('a way that goes on is left as it is', () => {
  const steps = [{ at, kind: 'triggered' as const, sensor: 's', trigger: 't', text: 'logged 1 event' }];
  assert.deepEqual(lastOf(way({ steps }), []), ['s', 'logged 1 event']);
});
