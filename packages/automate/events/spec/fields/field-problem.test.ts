import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateDependencies, validateTriggers } from '../../rules/validate-sensor.ts';
import { validateEventSource } from '../../source/validate-event-source.ts';
import { ignoredFields } from '../../trouble/ignored-fields.ts';
import type { Sensor } from '../sensor.ts';
import { eventBusProblem } from '../validate-event-bus.ts';
import { fieldProblems, refusedField } from './field-problem.ts';

const dependency = { name: 'd', eventSourceName: 's', eventName: 'e' };
const trigger = { template: { name: 't', http: { url: 'http://to' } } };
const sensor = (spec: object) =>
  ({ kind: 'Sensor', metadata: { namespace: 'ns', name: 'x' }, spec }) as unknown as Sensor;
const validate = (spec: object) => {
  validateDependencies(sensor(spec), { isStan: false });
  validateTriggers(sensor(spec));
};

describe('fields that a spec does not have', () => {
  it('are refused where another one is meant, with that', () => {
    validate({ dependencies: [dependency], triggers: [trigger] });
    const filters = { data: [{ path: 'body.a', typ: 'string', value: ['x'] }] };
    const slips: readonly [object, RegExp][] = [
      [{ dependancies: [dependency], triggers: [trigger] }, /^spec\.dependancies .*did you mean dependencies\?$/],
      [{ dependencies: [{ ...dependency, filter: {} }], triggers: [trigger] }, /\[0\]\.filter .*filters\?$/],
      [{ dependencies: [{ ...dependency, filters }], triggers: [trigger] }, /data\[0\]\.typ .*did you mean type\?$/],
      [{ dependencies: [dependency], trigers: [trigger] }, /^spec\.trigers .*did you mean triggers\?$/],
      [{ dependencies: [dependency], triggers: [{ ...trigger, atleastonce: true }] }, /mean atLeastOnce\?$/],
      [
        { dependencies: [dependency], triggers: [{ ...trigger, dlqTrigger: { ...trigger, retrystrategy: {} } }] },
        /triggers\[0\]\.dlqTrigger\.retrystrategy .*retryStrategy\?$/,
      ],
    ];
    for (const [spec, message] of slips) assert.throws(() => validate(spec), { message });
  });

  it('are refused in event sources and buses too', async () => {
    const source = (spec: object) => validateEventSource({ metadata: { name: 'x' }, spec } as never);
    const webhook = { port: '12000', endpoint: '/x', method: 'POST' };
    await source({ webhook: { a: webhook } });
    await assert.rejects(
      source({ webhook: { a: { ...webhook, authsecret: {} } } }),
      /webhook\.a\.authsecret .*authSecret\?$/,
    );
    await assert.rejects(source({ webhok: { a: webhook } }), /"webhok" is no type .*did you mean webhook\?/);
    const bus = (spec: object) => eventBusProblem({ metadata: {}, spec } as never);
    assert.match(bus({ embedded: { maxage: '1h' } })?.text ?? '', /spec\.embedded\.maxage .*did you mean maxAge\?$/);
  });

  it('are refused where they hold another type, which no client of upstream could read', () => {
    const refusal = (value: object, part: string) => refusedField(value, part, 'x')?.text;
    assert.equal(refusal({ port: 12_000 }, 'WebhookSource'), 'x.port is the number 12000, it must be a text; quote it');
    assert.equal(refusal({ timeout: '5' }, 'HttpTrigger'), 'x.timeout is a text, it must be a number; write a number');
    assert.equal(refusal({ value: 'a' }, 'DataFilter'), 'x.value is a text, it must be a list; write a list');
    assert.equal(
      refusal({ headers: { a: true } }, 'HttpTrigger'),
      'x.headers.a is the boolean true, it must be a text; quote it',
    );
    assert.equal(refusal({ duration: 5, factor: '1.5' }, 'Backoff'), undefined);
  });

  it('are told where they stand in the wrong place, or are unknown', () => {
    const misplaced = { template: { ...trigger.template, policy: {}, serverURL: 'x' } };
    const spec = { dependencies: [dependency], triggers: [misplaced] };
    validate(spec);
    const [first, second, ...more] = ignoredFields(sensor(spec));
    assert.deepEqual(more, []);
    assert.equal(
      first?.message,
      'spec.triggers[0].template.policy is no field and has no effect: it belongs to spec.triggers[0]',
    );
    assert.deepEqual(first?.remedies, [{ text: 'Move it to spec.triggers[0]' }]);
    assert.match(second?.message ?? '', /template\.serverURL is no field and has no effect: there are argoWorkflow, /);
    const [unused] = fieldProblems({ topicName: 't', subscriptionName: 's' }, 'AzureServiceBusTrigger', 'x');
    assert.equal(
      unused?.text,
      'x.subscriptionName has no effect: a topic gives a message to each of its subscriptions',
    );
  });

  it('of pods, of objects that are created, and of names that users give are not judged', () => {
    const spec = {
      template: { container: { anything: 1 }, volumes: [{ odd: 1 }], nodeSelector: { a: 'b' } },
      dependencies: [dependency],
      triggers: [{ template: { name: 't', k8s: { source: { resource: { spec: { any: [1] } } } } } }],
    };
    assert.deepEqual(fieldProblems(spec, 'Sensor', 'spec'), []);
  });
});
