import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { validateDependencies, validateTriggers } from '../rules/validate-sensor.ts';
import { sourceTypes } from '../source/source-types.ts';
import { validateEventSource } from '../source/validate-event-source.ts';
import type { EventBus } from '../spec/event-bus.ts';
import type { EventSource } from '../spec/event-source.ts';
import type { Sensor } from '../spec/sensor.ts';
import { SpecError } from '../spec/spec-problem.ts';
import { eventBusProblem } from '../spec/validate-event-bus.ts';
import { triggerTypes } from '../trigger/triggers.ts';
import { specFailure, specFailures } from './spec-invalid.ts';

const made = (kind: string, spec: object) =>
  ({ kind, metadata: { namespace: 'ns', name: 'x' }, spec }) as unknown as KubeObject;

/** What is told of a wrong spec. */
async function told(kind: 'EventBus' | 'EventSource' | 'Sensor', spec: object): Promise<Diagnosis> {
  const object = made(kind, spec);
  if (kind === 'EventBus') {
    const problem = eventBusProblem(object as EventBus);
    return problem ? specFailure(object, problem) : assert.fail('it is not refused');
  }
  try {
    if (kind === 'EventSource') await validateEventSource(object as EventSource);
    else {
      validateDependencies(object as Sensor, { isStan: false });
      validateTriggers(object as Sensor);
    }
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return specFailures(object, error)[0] ?? assert.fail('nothing is told');
  }
  return assert.fail('it is not refused');
}

const dependency = { name: 'd', eventSourceName: 's', eventName: 'e' };
const sensor = (trigger: object, more: object = {}) => ({
  dependencies: [{ ...dependency, ...more }],
  triggers: [trigger],
});
const log = { template: { name: 't', log: {} } };

describe('a wrong spec', () => {
  it('is told with the field, what stands there, and what to do', async () => {
    const found = await told('EventSource', {
      webhook: { push: { endpoint: '/push', port: '120000', method: 'POST' } },
    });
    assert.equal(found.code, 'EventsSpecInvalid');
    assert.match(found.message, /failed to parse server port 120000$/);
    assert.deepEqual(found.place, { object: 'argoproj.io/EventSource ns/x', field: 'spec.webhook.push.port' });
    assert.deepEqual(found.evidence, [{ name: 'spec.webhook.push.port', value: '"120000"' }]);
    assert.deepEqual(found.remedies, [{ text: 'Write a port between 0 and 65535, such as "12000"' }]);
  });

  const cases: readonly [string, 'EventBus' | 'EventSource' | 'Sensor', object, string, RegExp][] = [
    ['no event', 'EventSource', {}, 'spec', /^Add an event/],
    ['a type that is none', 'EventSource', { webhok: {} }, 'spec.webhok', /^Rename it to webhook$/],
    [
      'types that cannot stand together',
      'EventSource',
      { calendar: { a: { interval: '1s' } }, webhook: { b: { port: '1', endpoint: '/x' } } },
      'spec',
      /^Put calendar into an EventSource of their own, without webhook$/,
    ],
    [
      'half of a certificate, without which upstream serves in the clear',
      'EventSource',
      { webhook: { a: { port: '1', endpoint: '/x', serverCertSecret: { name: 'n', key: 'k' } } } },
      'spec.webhook.a.serverKeySecret',
      /^Set serverKeySecret$/,
    ],
    ['no dependency', 'Sensor', { triggers: [log] }, 'spec.dependencies', /^Add one with name/],
    ['no trigger', 'Sensor', { dependencies: [dependency] }, 'spec.triggers', /^Add a trigger/],
    [
      'an operator that is none',
      'Sensor',
      sensor(log, { filters: { dataLogicalOperator: 'AND' } }),
      'spec.dependencies[0].filters.dataLogicalOperator',
      /lower case/,
    ],
    [
      'an empty value of a filter',
      'Sensor',
      sensor(log, { filters: { data: [{ path: 'a', type: 'string', value: ['x', ''] }] } }),
      'spec.dependencies[0].filters.data[0].value[1]',
      /^Set data/,
    ],
    [
      'a unit that upstream takes for seconds',
      'Sensor',
      sensor({ ...log, rateLimit: { unit: 'Day', requestsPerUnit: 1 } }),
      'spec.triggers[0].rateLimit.unit',
      /^Write one of Second, Minute, Hour$/,
    ],
    [
      'a strategy that is none',
      'Sensor',
      sensor({ ...log, retryStrategy: { duration: 'soon' } }),
      'spec.triggers[0].retryStrategy.duration',
      /^Write a duration/,
    ],
    [
      'a dead letter that may be lost',
      'Sensor',
      sensor({ ...log, atLeastOnce: true, dlqTrigger: log }),
      'spec.triggers[0].dlqTrigger.atLeastOnce',
      /^Set atLeastOnce: true on the dlqTrigger$/,
    ],
    [
      'a payload without a destination',
      'Sensor',
      sensor({
        template: { name: 't', nats: { url: 'u', subject: 's', payload: [{ src: { dependencyName: 'd' } }] } },
      }),
      'spec.triggers[0].template.nats.payload[0].dest',
      /^Set payload/,
    ],
    [
      'a slip',
      'Sensor',
      sensor({ ...log, atleastonce: true }),
      'spec.triggers[0].atleastonce',
      /^Rename it to atLeastOnce$/,
    ],
    ['no bus', 'EventBus', {}, 'spec', /^Set one of them/],
    ['two buses', 'EventBus', { embedded: {}, kafka: { url: 'k' } }, 'spec', /^Remove the others$/],
    [
      'two replicas',
      'EventBus',
      { jetstream: { version: '1', replicas: 2 } },
      'spec.jetstream.replicas',
      /^Write 3, or 1$/,
    ],
    [
      'a way of NATS that is none',
      'EventBus',
      { nats: { native: { auth: 'basic' } } },
      'spec.nats.native.auth',
      /^Write token/,
    ],
  ];
  for (const [what, kind, spec, field, remedy] of cases)
    it(`with ${what} is told where it is, and what to do`, async () => {
      const { place, remedies, evidence } = await told(kind, spec);
      assert.equal(place?.field, field);
      assert.match(remedies[0]?.text ?? '', remedy);
      assert.equal(evidence.length, 1);
    });

  it('of each type of event source is told with a field of it', async () => {
    for (const kind of sourceTypes.keys()) {
      const { place, remedies } = await told('EventSource', { [kind]: { event: {} } });
      assert.match(place?.field ?? '', new RegExp(`^spec\\.${kind}\\.event\\.[a-zA-Z]`), kind);
      assert.notEqual(remedies[0]?.text ?? '', '', kind);
    }
  });

  it('of each type of trigger is told with a field of it', async () => {
    for (const kind of triggerTypes.keys()) {
      if (kind === 'log') continue;
      const { place } = await told('Sensor', sensor({ template: { name: 't', [kind]: {} } }));
      assert.match(place?.field ?? '', new RegExp(`^spec\\.triggers\\[0\\]\\.template\\.${kind}\\.[a-zA-Z]`), kind);
    }
  });

  it('does not show what is secret by its name', async () => {
    const { evidence } = await told('EventSource', {
      kafka: { e: { url: 'k', topic: 't', partition: '0', sasl: { mechanism: 'NONE', passwordSecret: { key: 'k' } } } },
    });
    assert.deepEqual(evidence, [{ name: 'spec.kafka.e.sasl.mechanism', value: '"NONE"' }]);
    const token = specFailure(made('Sensor', { token: 'MARKER' }), { text: 'no', field: 'spec.token', remedy: 'do' });
    assert.doesNotMatch(JSON.stringify(token), /MARKER/);
  });
});
