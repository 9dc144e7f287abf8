import { Buffer } from 'node:buffer';
import { contextJson, mediaType } from '../event/cloud-event.ts';
import { withoutSecrets } from '../event/hidden-values.ts';
import type { Act } from './trigger.ts';

const lastLogged = new WeakMap<object, Map<string, number>>();

/** Writes each event of the action to the log: JSON without what is secret by its name, text as it is, everything else in base64. */
export const act: Act = async ({ template, events }, { log, clock, connections }) => {
  const interval = (template.log?.intervalSeconds ?? 0) * 1000;
  const times = lastLogged.get(connections) ?? new Map<string, number>();
  lastLogged.set(connections, times);
  const last = times.get(template.name);
  if (interval > 0 && last !== undefined && clock.now() - last < interval)
    return `logged nothing: intervalSeconds is ${interval / 1000}`;
  times.set(template.name, clock.now());
  for (const [dependencyName, event] of events) {
    const { data = '', datacontenttype } = event;
    const isText = ['application/json', 'text/plain'].includes(mediaType(datacontenttype));
    const eventContext = JSON.parse(contextJson(event)) as unknown;
    log('info', isText ? withoutSecrets(data, [data]) : Buffer.from(data).toString('base64'), {
      dependencyName,
      eventContext,
    });
  }
  return `logged ${events.size} event${events.size === 1 ? '' : 's'}`;
};
