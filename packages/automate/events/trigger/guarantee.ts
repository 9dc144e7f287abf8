import type { KubeObject } from '@tiphys/kubernetes';
import type { Trigger, TriggerTemplate } from '../spec/sensor.ts';
import { onceAnnotation } from './once.ts';

/** How often the action of a trigger is done for its events, whatever process dies in between. */
export interface Guarantee {
  readonly delivery: 'at most once' | 'at least once' | 'exactly once';
  /** What makes it so, and how to have more, as a sentence without its end. */
  readonly because: string;
}

interface Repeating {
  /** What becomes of an action that is done again. */
  readonly says: string;
  /** True where that needs the annotation. */
  readonly asked: boolean;
}

/** The guarantee of one trigger of a Sensor. */
export function guaranteeOf(trigger: Trigger, sensor: Pick<KubeObject, 'metadata'>): Guarantee {
  if (!trigger.atLeastOnce)
    return {
      delivery: 'at most once',
      because: 'the event is acknowledged before the action ends, as upstream does by default; set atLeastOnce: true',
    };
  const template = trigger.template ?? {};
  const repeating = repeatingOf(template as TriggerTemplate);
  if (!repeating)
    return { delivery: 'at least once', because: 'the other side cannot tell an action that is done again' };
  const isOnce =
    sensor.metadata.annotations?.[onceAnnotation] === 'true' || annotationOf(template as TriggerTemplate) === 'true';
  if (!repeating.asked || isOnce) return { delivery: 'exactly once', because: repeating.says };
  return {
    delivery: 'at least once',
    because: `annotate the Sensor with ${onceAnnotation}: "true" to have it exactly once: ${repeating.says}`,
  };
}

const idempotent: ReadonlySet<string> = new Set(['update', 'patch', 'delete', 'suspend', 'stop', 'terminate']);

function repeatingOf({ k8s, argoWorkflow, http, nats, azureServiceBus }: TriggerTemplate): Repeating | undefined {
  const operation = k8s ? k8s.operation || 'create' : argoWorkflow?.operation || 'submit';
  if (k8s?.patchStrategy === 'application/json-patch+json' && operation === 'patch') return undefined;
  if (k8s || argoWorkflow) {
    if (idempotent.has(operation)) return { says: `${operation} done again changes nothing`, asked: false };
    const isNew = ['create', 'submit', 'submit-from', 'resubmit'].includes(operation);
    const memoized = argoWorkflow?.args?.includes('--memoized');
    return isNew && !memoized ? { says: 'the name of what is created comes of the events', asked: true } : undefined;
  }
  if (http) return { says: 'the server gets an Idempotency-Key, which it must heed', asked: true };
  if (nats) return { says: 'JetStream drops a Nats-Msg-Id that its stream has seen', asked: true };
  return azureServiceBus
    ? { says: 'Service Bus drops a messageId that it has seen, where duplicate detection is on', asked: true }
    : undefined;
}

function annotationOf({ k8s, argoWorkflow }: TriggerTemplate): string | undefined {
  const { resource } = (k8s?.source ?? argoWorkflow?.source ?? {}) as { resource?: KubeObject };
  return resource?.metadata?.annotations?.[onceAnnotation];
}
