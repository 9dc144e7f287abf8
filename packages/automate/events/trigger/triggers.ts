import { type TriggerKind, type TriggerTemplate, triggerKinds } from '../spec/sensor.ts';
import type { Act } from './trigger.ts';

interface TriggerType {
  /** As upstream's logs name it. */
  readonly name: string;
  /** Loads what the trigger needs, only now. */
  readonly load: () => Promise<Act>;
}

/** A module is asked for once: each look for one that is there takes longer than the action of a small trigger. */
function typeOf(name: string, load: () => Promise<Act>): TriggerType {
  let act: Promise<Act> | undefined;
  return {
    name,
    load: () => {
      act ??= load();
      // what could not be loaded is tried again
      act.catch(() => (act = undefined));
      return act;
    },
  };
}

/** Every type of trigger. */
export const triggerTypes: ReadonlyMap<TriggerKind, TriggerType> = new Map<TriggerKind, TriggerType>([
  ['k8s', typeOf('Kubernetes', async () => (await import('./kubernetes.ts')).act)],
  ['argoWorkflow', typeOf('ArgoWorkflow', async () => (await import('./argo-workflow.ts')).act)],
  ['http', typeOf('HTTP', async () => (await import('./http.ts')).act)],
  ['awsLambda', typeOf('Lambda', async () => (await import('./aws-lambda.ts')).act)],
  ['azureEventHubs', typeOf('AzureEventHubs', async () => (await import('./azure-event-hubs.ts')).act)],
  ['azureServiceBus', typeOf('AzureServiceBus', async () => (await import('./azure-service-bus.ts')).act)],
  ['kafka', typeOf('Kafka', async () => (await import('./kafka.ts')).act)],
  ['pulsar', typeOf('Pulsar', async () => (await import('./pulsar.ts')).act)],
  ['nats', typeOf('NATS', async () => (await import('./nats.ts')).act)],
  ['slack', typeOf('Slack', async () => (await import('./slack.ts')).act)],
  ['openWhisk', typeOf('OpenWhisk', async () => (await import('./open-whisk.ts')).act)],
  ['custom', typeOf('Custom', async () => (await import('./custom.ts')).act)],
  ['log', typeOf('Log', async () => (await import('./log.ts')).act)],
  ['email', typeOf('Email', async () => (await import('./email.ts')).act)],
]);

/** The key of a trigger's type in its template; undefined if the template has none that we know. */
export function triggerKindOf(template: TriggerTemplate): TriggerKind | undefined {
  return triggerKinds.find((kind) => template[kind] !== undefined && template[kind] !== null);
}

/** The type of a trigger; undefined if the template has none that we know. */
export function triggerTypeOf(template: TriggerTemplate): TriggerType | undefined {
  const kind = triggerKindOf(template);
  return kind && triggerTypes.get(kind);
}
