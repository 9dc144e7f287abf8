import type { EventBus } from '../spec/event-bus.ts';

const implementations = ['embedded', 'nats', 'jetstream', 'jetstreamExotic', 'kafka'] as const;

/** What must not change in an EventBus, since what is on it would be lost; undefined if nothing did. */
export function eventBusChangeProblem({ spec: before }: EventBus, { spec: after }: EventBus): string | undefined {
  const kind = implementations.find((name) => after[name]);
  if (!kind || !before[kind]) return 'Can not change event bus implementation';
  if (kind === 'jetstream' && before.jetstream?.streamConfig !== after.jetstream?.streamConfig)
    return '"spec.jetstream.streamConfig" is immutable, can not be updated';
  if (kind !== 'nats') return undefined;
  for (const way of ['native', 'exotic'] as const) {
    const [old, now] = [before.nats?.[way], after.nats?.[way]];
    if (!now) continue;
    if (!old) return `Can not change NATS event bus implementation to ${way}`;
    if ((old.auth ?? 'none') !== (now.auth ?? 'none'))
      return `"spec.nats.${way}.auth" is immutable, can not be updated`;
  }
  return undefined;
}
