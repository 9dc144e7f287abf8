import type { TriggerTemplate } from '../spec/sensor.ts';
import type { Act } from './trigger.ts';

export type TriggerKind = Exclude<keyof TriggerTemplate, 'name' | 'conditions' | 'conditionsReset'>;

interface TriggerType {
  /** As upstream's logs name it. */
  readonly name: string;
  /** Loads what the trigger needs, only now. */
  readonly load: () => Promise<Act>;
}

/** Every type of trigger, in the order in which upstream looks for them. */
export const triggerTypes: ReadonlyMap<TriggerKind, TriggerType> = new Map<TriggerKind, TriggerType>([
  ['k8s', { name: 'Kubernetes', load: async () => (await import('./kubernetes.ts')).act }],
  ['argoWorkflow', { name: 'ArgoWorkflow', load: async () => (await import('./argo-workflow.ts')).act }],
  ['http', { name: 'HTTP', load: async () => (await import('./http.ts')).act }],
  ['awsLambda', { name: 'Lambda', load: async () => (await import('./aws-lambda.ts')).act }],
  ['azureEventHubs', { name: 'AzureEventHubs', load: async () => (await import('./azure-event-hubs.ts')).act }],
  ['azureServiceBus', { name: 'AzureServiceBus', load: async () => (await import('./azure-service-bus.ts')).act }],
  ['kafka', { name: 'Kafka', load: async () => (await import('./kafka.ts')).act }],
  ['pulsar', { name: 'Pulsar', load: async () => (await import('./pulsar.ts')).act }],
  ['nats', { name: 'NATS', load: async () => (await import('./nats.ts')).act }],
  ['slack', { name: 'Slack', load: async () => (await import('./slack.ts')).act }],
  ['openWhisk', { name: 'OpenWhisk', load: async () => (await import('./open-whisk.ts')).act }],
  ['custom', { name: 'Custom', load: async () => (await import('./custom.ts')).act }],
  ['log', { name: 'Log', load: async () => (await import('./log.ts')).act }],
  ['email', { name: 'Email', load: async () => (await import('./email.ts')).act }],
]);

/** The key of a trigger's type in its template; undefined if the template has none that we know. */
export function triggerKindOf(template: TriggerTemplate): TriggerKind | undefined {
  return [...triggerTypes.keys()].find((kind) => template[kind] !== undefined && template[kind] !== null);
}

/** The type of a trigger; undefined if the template has none that we know. */
export function triggerTypeOf(template: TriggerTemplate): TriggerType | undefined {
  const kind = triggerKindOf(template);
  return kind && triggerTypes.get(kind);
}
