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
  ['http', { name: 'HTTP', load: async () => (await import('./http.ts')).act }],
  ['log', { name: 'Log', load: async () => (await import('./log.ts')).act }],
]);

/** The type of a trigger; undefined if the template has none that we know. */
export function triggerTypeOf(template: TriggerTemplate): TriggerType | undefined {
  for (const [kind, type] of triggerTypes) if (template[kind] !== undefined && template[kind] !== null) return type;
  return undefined;
}
