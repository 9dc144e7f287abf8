import type { EventSourceSummary, FlowCount, SensorSummary } from '../api/events.ts';
import { t } from '../i18n/texts.ts';

/** How often events got through, were filtered out, failed, or wait for others. */
export interface Tally {
  readonly passed: number;
  readonly filtered: number;
  readonly failed: number;
  readonly waiting: number;
}

export interface FlowNode {
  readonly id: string;
  /** 0: event of a source, 1: bus, 2: sensor, 3: trigger. */
  readonly column: number;
  readonly row: number;
  readonly title: string;
  readonly subtitle: string;
  readonly tally: Tally;
  /** What the tally is made of, the last thing first. */
  readonly counts: readonly FlowCount[];
}

export interface FlowLink {
  readonly id: string;
  readonly from: FlowNode;
  readonly to: FlowNode;
}

export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly links: readonly FlowLink[];
  /** Nodes that a column has beyond those that are drawn. */
  readonly left: number;
}

const mostRows = 60;
const part: Readonly<Record<string, keyof Tally>> = {
  published: 'passed',
  triggered: 'passed',
  refused: 'filtered',
  dropped: 'filtered',
  reset: 'filtered',
  failed: 'failed',
  waiting: 'waiting',
};

/** The way of events from sources over buses and sensors to triggers, with what was counted on it. */
export function flowOf(
  sources: readonly EventSourceSummary[],
  sensors: readonly SensorSummary[],
  counts: readonly FlowCount[],
): Flow {
  const nodes = new Map<string, FlowNode>();
  const links: { id: string; from: string; to: string }[] = [];
  const rows = [0, 0, 0, 0];
  const add = (column: number, id: string, words: { title: string; subtitle: string }, own: readonly FlowCount[]) => {
    if (nodes.has(id)) return id;
    const row = rows[column] ?? 0;
    rows[column] = row + 1;
    if (row < mostRows) nodes.set(id, { id, column, row, ...words, tally: tallyOf(own), counts: newestFirst(own) });
    return id;
  };
  const link = (from: string, to: string) => links.push({ id: `${from} ${to}`, from, to });
  const bus = (namespace: string, name: string) => {
    const users = new Set(
      sources.filter((source) => source.namespace === namespace && source.bus === name).map((source) => source.name),
    );
    const own = counts.filter((count) => isAt(count, namespace, users) && count.kind === 'published');
    return add(1, `bus ${namespace}/${name}`, { title: name, subtitle: t('bus in {namespace}', { namespace }) }, own);
  };
  for (const { namespace, name, bus: busName, events } of sources)
    for (const event of events) {
      const own = counts.filter((count) => isAt(count, namespace, new Set([name])) && count.event === event.name);
      const words = {
        title: `${name}/${event.name}`,
        subtitle: t('{type} in {namespace}', { type: event.type, namespace }),
      };
      link(add(0, `event ${namespace}/${name}/${event.name}`, words, own), bus(namespace, busName));
    }
  for (const { namespace, name, bus: busName, triggers, dependencies } of sensors) {
    const own = counts.filter((count) => count.namespace === namespace && count.sensor === name);
    const words = {
      title: name,
      subtitle: t('hears of {events}', {
        events: dependencies.map(({ source, event }) => `${source}/${event}`).join(', '),
      }),
    };
    const sensor = add(2, `sensor ${namespace}/${name}`, words, own);
    link(bus(namespace, busName), sensor);
    for (const trigger of triggers) {
      const done = own.filter((count) => count.trigger === trigger.name);
      const doing = { title: trigger.name, subtitle: trigger.type };
      link(sensor, add(3, `trigger ${namespace}/${name}/${trigger.name}`, doing, done));
    }
  }
  const drawn = links.flatMap(({ id, from, to }) => {
    const [first, second] = [nodes.get(from), nodes.get(to)];
    return first && second ? [{ id, from: first, to: second }] : [];
  });
  const left = rows.reduce((sum, count) => sum + Math.max(0, count - mostRows), 0);
  return { nodes: [...nodes.values()], links: [...new Map(drawn.map((each) => [each.id, each])).values()], left };
}

/** The counts with those that have changed. */
export function withChanges(
  counts: ReadonlyMap<string, FlowCount>,
  changed: readonly FlowCount[],
): Map<string, FlowCount> {
  const all = new Map(counts);
  for (const count of changed) {
    const { namespace, eventSource, event, sensor, dependency, trigger, kind } = count;
    all.set(JSON.stringify([namespace, eventSource, event, sensor, dependency, trigger, kind]), count);
  }
  return all;
}

function isAt(count: FlowCount, namespace: string, sources: ReadonlySet<string>): boolean {
  return count.namespace === namespace && count.sensor === undefined && sources.has(count.eventSource);
}

function tallyOf(counts: readonly FlowCount[]): Tally {
  const tally = { passed: 0, filtered: 0, failed: 0, waiting: 0 };
  for (const { kind, count } of counts) {
    const name = part[kind];
    if (name) tally[name] += count;
  }
  return tally;
}

function newestFirst(counts: readonly FlowCount[]): FlowCount[] {
  return counts.toSorted((a, b) => b.last.at - a.last.at);
}
