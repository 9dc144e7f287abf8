import type { KubeObject } from '@tiphys/kubernetes';
import { objectAt, textAt } from '../model/fields.ts';
import type { Host } from '../model/model.ts';
import { parseQuantity } from '../model/quantity.ts';
import { isTerminal, podRequests } from './pod-info.ts';

/** What is told of a node's resources; upstream tells of no others. */
const resourceNames = ['cpu', 'memory', 'storage'] as const;
type Amounts = Readonly<Partial<Record<(typeof resourceNames)[number], number>>>;

/** What a pod that was given to a node asks of it, in thousandths. */
export interface PodLoad {
  readonly node: string;
  /** It holds nothing any more, although it is still there. */
  readonly ended: boolean;
  readonly requests: Amounts;
}

/** What a node offers, in thousandths, and what it is. */
export interface HostFacts {
  readonly capacity: Amounts;
  readonly systemInfo: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** Undefined for a pod that no node has taken. */
export function podLoad(pod: KubeObject): PodLoad | undefined {
  const node = textAt(pod, 'spec', 'nodeName');
  if (!node) return undefined;
  return { node, ended: isTerminal(pod), requests: amounts((name) => podRequests(pod, name)) };
}

export function hostFacts(node: KubeObject): HostFacts {
  const capacity = objectAt(node, 'status', 'capacity');
  return {
    capacity: amounts((name) => Math.ceil((parseQuantity(capacity[name]) ?? 0) * 1000)),
    systemInfo: objectAt(node, 'status', 'nodeInfo'),
    labels: node.metadata.labels ?? {},
  };
}

function amounts(of: (name: string) => number): Amounts {
  return Object.fromEntries(resourceNames.map((name) => [name, of(name)] as const).filter(([, amount]) => amount > 0));
}

/**
 * The nodes that the pods of `own` run on, by name. As upstream: pods of others count unless they have ended, a resource that
 * a node does not offer is left out, and so is a node that is not known.
 */
export function hostsOf(
  nodes: Iterable<{ readonly key: { readonly name: string }; readonly host?: HostFacts }>,
  pods: Iterable<{ readonly id: string; readonly load?: PodLoad }>,
  own: ReadonlySet<string>,
): Host[] {
  const loads = new Map<string, { own: PodLoad[]; others: PodLoad[] }>();
  for (const { id, load } of pods) {
    if (!load) continue;
    const entry = loads.get(load.node) ?? { own: [], others: [] };
    loads.set(load.node, entry);
    if (own.has(id)) entry.own.push(load);
    else if (!load.ended) entry.others.push(load);
  }
  return [...nodes]
    .flatMap(({ key, host }): Host[] => {
      const load = loads.get(key.name);
      if (!host || !load?.own.length) return [];
      const resources = resourceNames.flatMap((name) => {
        const capacity = host.capacity[name];
        return capacity
          ? [{ name, capacity, requestedByOwn: sum(load.own, name), requestedByOthers: sum(load.others, name) }]
          : [];
      });
      return [{ name: key.name, resources, systemInfo: host.systemInfo, labels: host.labels }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What requests leave free on each node: cpu in thousandths, memory in bytes. */
export function roomOf(
  nodes: Iterable<{ readonly key: { readonly name: string }; readonly host?: HostFacts }>,
  pods: Iterable<{ readonly load?: PodLoad }>,
): { name: string; cpu: number; memory: number }[] {
  const used = new Map<string, PodLoad[]>();
  for (const { load } of pods) if (load && !load.ended) used.set(load.node, [...(used.get(load.node) ?? []), load]);
  return [...nodes].flatMap(({ key, host }) => {
    if (!host) return [];
    const left = (name: 'cpu' | 'memory') => (host.capacity[name] ?? 0) - sum(used.get(key.name) ?? [], name);
    return [{ name: key.name, cpu: left('cpu'), memory: left('memory') / 1000 }];
  });
}

function sum(loads: readonly PodLoad[], name: (typeof resourceNames)[number]): number {
  return loads.reduce((total, { requests }) => total + (requests[name] ?? 0), 0);
}
