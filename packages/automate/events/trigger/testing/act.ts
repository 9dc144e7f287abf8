import assert from 'node:assert/strict';
import { systemClock } from '@tiphys/kubernetes';
import type { CloudEvent } from '../../event/cloud-event.ts';
import type { Trigger } from '../../spec/sensor.ts';
import { Connections, type TriggerContext } from '../trigger.ts';
import { triggerTypeOf } from '../triggers.ts';

const event: CloudEvent = {
  id: 'e1',
  source: 'hooks',
  type: 'webhook',
  subject: 'push',
  time: '2026-01-02T03:04:05Z',
  datacontenttype: 'application/json',
  data: '{"body":{"name":"web","to":"a@example.com"}}',
};

/** A payload of the event that triggers get. */
export const payload = [{ src: { dependencyName: 'dep', dataKey: 'body.name' }, dest: 'name' }];
/** What the triggers of a test keep open; the test closes it. */
export const connections = new Connections();

/** Runs one trigger on the event; gives what it says that it did. Every key of a Secret is `sesame`. `of` is what it has besides. */
export async function act(
  template: object,
  policy?: Trigger['policy'],
  of: Partial<TriggerContext> = {},
): Promise<string> {
  const full = { name: 'under-test', ...template };
  const type = triggerTypeOf(full as never);
  assert.ok(type, 'the trigger has a type');
  const context = {
    namespace: 'ns',
    sensorName: 'sensor',
    keys: { secret: async () => 'sesame', configMap: async () => 'x' },
    clock: systemClock,
    random: () => 0,
    log: () => undefined,
    connections,
    scratch: '/nonexistent',
    ...of,
  } as unknown as TriggerContext;
  const action = {
    template: full as never,
    policy,
    events: new Map([['dep', event]]),
    signal: new AbortController().signal,
  };
  return (await type.load())(action, context);
}
