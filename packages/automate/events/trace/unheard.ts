import { busNameOf } from '../spec/event-bus.ts';
import type { EventSource } from '../spec/event-source.ts';
import type { Sensor } from '../spec/sensor.ts';
import type { JournalEntry, JournalStep } from './journal.ts';

interface Known {
  readonly sources: { get(key: string): EventSource | undefined };
  readonly sensors: { list(): Iterable<Sensor> };
  /** Sensors have pods of their own, and what they do is in the logs of those. */
  readonly inPods: boolean;
}

/**
 * Tells of events that are on their bus and that nobody has taken why that is so, as further steps of their ways: no Sensor waits for them, or
 * those that do cannot take them.
 */
export function withUnheard(entries: readonly JournalEntry[], known: Known): readonly JournalEntry[] {
  const untaken = entries.filter(({ steps }) => steps.at(-1)?.kind === 'published');
  if (untaken.length === 0) return entries;
  const waiting = new Map<string, Sensor[]>();
  for (const sensor of known.sensors.list())
    for (const { eventSourceName, eventName } of sensor.spec.dependencies ?? []) {
      const key = JSON.stringify([sensor.metadata.namespace, eventSourceName, eventName]);
      const before = waiting.get(key) ?? [];
      if (!before.includes(sensor)) waiting.set(key, [...before, sensor]);
    }
  return entries.map((entry) => (untaken.includes(entry) ? explained(entry, waiting, known) : entry));
}

function explained(entry: JournalEntry, waiting: ReadonlyMap<string, Sensor[]>, known: Known): JournalEntry {
  const { namespace, eventSource, event, steps } = entry;
  const { at } = steps.at(-1) as JournalStep;
  const sensors = waiting.get(JSON.stringify([namespace, eventSource, event])) ?? [];
  const bus = busNameOf(known.sources.get(`${namespace}/${eventSource}`)?.spec);
  const nobody = { at, kind: 'refused' as const, text: `no Sensor of namespace ${namespace} waits for it` };
  const reasons = sensors.map((sensor) => ({
    at,
    kind: 'refused' as const,
    sensor: sensor.metadata.name ?? '',
    text: reasonOf(sensor, { entry, at, bus, inPods: known.inPods }),
  }));
  return { ...entry, steps: [...steps, ...(reasons.length > 0 ? reasons : [nobody])] };
}

interface About {
  readonly entry: JournalEntry;
  readonly at: number;
  readonly bus: string;
  readonly inPods: boolean;
}

function reasonOf({ metadata, spec, status }: Sensor, { entry, at, bus, inPods }: About): string {
  const own = busNameOf(spec);
  if (own !== bus) return `it listens on EventBus ${own}, and the event is on ${bus}`;
  const broken = status?.conditions?.find((condition) => condition.status === 'False');
  if (broken) return `it does not run: ${[broken.reason, broken.message].filter(Boolean).join(': ')}`;
  if (Date.parse(metadata.creationTimestamp ?? '') > at)
    return 'it is newer than the event, and hears of what comes from then on';
  const names = (spec.dependencies ?? [])
    .filter(({ eventSourceName, eventName }) => eventSourceName === entry.eventSource && eventName === entry.event)
    .map(({ name }) => name);
  const triggers = (spec.triggers ?? []).filter(({ template }) => uses(template?.conditions ?? '', names));
  if (triggers.length === 0) return `no trigger has ${names.join(' or ')} in its conditions`;
  const never = status?.diagnoses?.find(
    ({ code, place }) =>
      code === 'TriggerConditionInvalid' &&
      triggers.every(({ template }) => place?.field?.includes(`[name=${template?.name}]`)),
  );
  if (never) return never.message;
  return inPods ? 'its pod has the event, or will get it: see its log' : 'it has not taken it yet';
}

function uses(conditions: string, names: readonly string[]): boolean {
  if (conditions.trim() === '') return true;
  const used = new Set(conditions.split(/[\s&|()]+/).map((name) => name.replaceAll('-', '_')));
  return names.some((name) => used.has(name.replaceAll('-', '_')));
}
