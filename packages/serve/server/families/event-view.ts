import type { KubeObject } from '@tiphys/kubernetes';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

type Conditioned = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly conditions?: readonly Condition[] };
};

const general = new Set(['eventBusName', 'template', 'service', 'replicas', 'type']);

/** An EventSource as lists show it: its events by their types, and the first condition that is not met. */
export function eventSourceSummary(source: Conditioned) {
  const events = Object.entries(source.spec ?? {})
    .filter(([kind]) => !general.has(kind))
    .flatMap(([type, named]) => Object.keys((named ?? {}) as object).map((name) => ({ type, name })));
  return { ...head(source), events };
}

/** A Sensor as lists show it: what it hears of, what it does, and the first condition that is not met. */
export function sensorSummary(sensor: Conditioned) {
  const { dependencies = [], triggers = [] } = (sensor.spec ?? {}) as {
    dependencies?: readonly { name: string; eventSourceName: string; eventName: string }[];
    triggers?: readonly { template?: Readonly<Record<string, unknown>> & { name?: string; conditions?: string } }[];
  };
  return {
    ...head(sensor),
    dependencies: dependencies.map(({ name, eventSourceName, eventName }) => ({
      name,
      source: eventSourceName,
      event: eventName,
    })),
    triggers: triggers.map(({ template = {} }) => ({
      name: String(template['name'] ?? ''),
      type: Object.keys(template).find((key) => !['name', 'conditions', 'conditionsReset'].includes(key)) ?? '',
      conditions: String(template['conditions'] ?? ''),
    })),
  };
}

function head({ metadata, spec, status }: Conditioned) {
  const conditions = status?.conditions ?? [];
  const failed = conditions.find((condition) => condition.status === 'False');
  const waits = conditions.length === 0 || conditions.some((condition) => condition.status !== 'True');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    created: metadata.creationTimestamp ?? '',
    bus: String(spec?.['eventBusName'] ?? 'default'),
    phase: failed ? 'Failed' : waits ? 'Pending' : 'Running',
    message: failed ? [failed.reason, failed.message].filter(Boolean).join(': ') : '',
    conditions,
  };
}
