import type { guaranteeOf, triggerKindOf } from '@tiphys/events';
import type { KubeObject } from '@tiphys/kubernetes';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Told {
  readonly message: string;
}

type Conditioned = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly conditions?: readonly Condition[]; readonly diagnoses?: readonly Told[] };
};

interface TriggerSpec {
  readonly template?: Readonly<Record<string, unknown>>;
}

/** What the package of events, which is loaded late, knows of triggers. */
interface SensorReaders {
  readonly guaranteeOf: typeof guaranteeOf;
  readonly triggerKindOf: typeof triggerKindOf;
}

const general = new Set(['eventBusName', 'template', 'service', 'replicas', 'type']);

/** An EventSource as lists show it: its events by their types, and the first condition that is not met. */
export function eventSourceSummary(source: Conditioned) {
  const events = Object.entries(source.spec ?? {})
    .filter(([kind]) => !general.has(kind))
    .flatMap(([type, named]) => Object.keys((named ?? {}) as object).map((name) => ({ type, name })));
  return { ...head(source), events };
}

/** A Sensor as lists show it: what it hears of, what it does and how often for the same events, and the first condition that is not met. */
export function sensorSummary(sensor: Conditioned, { guaranteeOf, triggerKindOf }: SensorReaders) {
  const { dependencies = [], triggers = [] } = (sensor.spec ?? {}) as {
    dependencies?: readonly { name: string; eventSourceName: string; eventName: string }[];
    triggers?: readonly TriggerSpec[];
  };
  return {
    ...head(sensor),
    dependencies: dependencies.map(({ name, eventSourceName, eventName }) => ({
      name,
      source: eventSourceName,
      event: eventName,
    })),
    triggers: triggers.map((trigger) => ({
      name: String(trigger.template?.['name'] ?? ''),
      type: triggerKindOf((trigger.template ?? {}) as never) ?? '',
      conditions: String(trigger.template?.['conditions'] ?? ''),
      guarantee: guaranteeOf(trigger as never, sensor),
    })),
  };
}

/** An EventBus as lists show it: its kind of server, and the first condition that is not met. */
export function eventBusSummary(bus: Conditioned) {
  const { metadata, spec = {} } = bus;
  const type = ['embedded', 'jetstream', 'jetstreamExotic', 'nats', 'kafka'].find((key) => spec[key] !== undefined);
  const shown = head(bus);
  if (!metadata.deletionTimestamp) return { ...shown, bus: shown.name, type: type ?? '' };
  const message = `Is being deleted since ${metadata.deletionTimestamp}; it goes once no EventSource and no Sensor of its namespace uses it`;
  return { ...shown, bus: shown.name, type: type ?? '', phase: 'Deleting', message };
}

function head({ metadata, spec, status }: Conditioned) {
  const { conditions = [], diagnoses = [] } = status ?? {};
  const failed = conditions.find((condition) => condition.status === 'False');
  const waits = conditions.length === 0 || conditions.some((condition) => condition.status !== 'True');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    created: metadata.creationTimestamp ?? '',
    bus: String(spec?.['eventBusName'] ?? 'default'),
    phase: failed ? 'Failed' : waits ? 'Pending' : 'Running',
    message: failed ? [failed.reason, failed.message].filter(Boolean).join(': ') : (diagnoses[0]?.message ?? ''),
    conditions,
    diagnoses,
  };
}
