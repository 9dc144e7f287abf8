import { secondsBetween } from '../model/time.ts';
import type { Container, NodeStatus, Pod, ResourcesDurationMap } from '../model/types.ts';
import type { Operation } from './operation.ts';

/** What one unit of a resource is, in the unit of its quantity; 1 where nothing is listed. */
const units: Readonly<Record<string, number>> = {
  memory: 100 * 1024 ** 2,
  storage: 10 * 1024 ** 3,
  'ephemeral-storage': 10 * 1024 ** 3,
};

/** Seconds that a pod's containers ran, times what they asked for; 100m of processor and 100 MiB where they asked for nothing. */
export function podDuration({ spec, status }: Pod): ResourcesDurationMap {
  const total = new Map<string, number>();
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const end = statuses.find(({ name }) => name === container.name)?.state?.terminated;
    if (!end) continue;
    const seconds = secondsBetween(end.startedAt, end.finishedAt);
    for (const [resource, amount] of Object.entries(amounts(container)))
      total.set(
        resource,
        (total.get(resource) ?? 0) + Math.max(Math.floor((seconds * amount) / (units[resource] ?? 1)), 0),
      );
  }
  return Object.fromEntries([...total].map(([resource, seconds]) => [resource, seconds]));
}

function amounts({ resources }: Container): Record<string, number> {
  const { limits, requests } = (resources ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const given = { cpu: '100m', memory: '100Mi', ...limits, ...requests };
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, quantity(String(text))]));
}

const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
  Pi: 1024 ** 5,
};

/** The number that a quantity of Kubernetes means; 0 for what is none. */
export function quantity(text: string): number {
  const match = /^([+-]?[\d.]{1,20})(?:([a-zA-Z]{1,2})|[eE]([+-]?\d{1,3}))?$/.exec(text.trim());
  if (!match) return 0;
  const factor = match[2] ? (suffixes[match[2]] ?? 0) : 10 ** Number(match[3] ?? 0);
  return Number(match[1]) * factor;
}

/** Sums what nodes used, for trees and for the workflow. */
export function sumDurations(op: Operation): void {
  const total = new Map<string, number>();
  for (const node of op.nodes()) {
    if (node.type !== 'Pod' || !node.resourcesDuration) continue;
    for (const [name, seconds] of Object.entries(node.resourcesDuration))
      total.set(name, (total.get(name) ?? 0) + seconds);
  }
  if (total.size > 0) op.status.resourcesDuration = Object.fromEntries(total);
  for (const node of op.nodes()) {
    if (!isFinishedTree(node)) continue;
    const sum = new Map<string, number>();
    for (const { type, resourcesDuration } of below(op, node)) {
      if (type !== 'Pod') continue;
      for (const [name, seconds] of Object.entries(resourcesDuration ?? {}))
        sum.set(name, (sum.get(name) ?? 0) + seconds);
    }
    if (sum.size > 0) node.resourcesDuration = Object.fromEntries(sum);
  }
}

function isFinishedTree(node: NodeStatus): boolean {
  const isTree = ['Steps', 'StepGroup', 'DAG', 'TaskGroup', 'Retry'].includes(node.type);
  return isTree && Boolean(node.finishedAt) && node.resourcesDuration === undefined;
}

function below(op: Operation, node: NodeStatus): NodeStatus[] {
  const seen = new Map<string, NodeStatus>();
  const stack = [...(node.children ?? [])];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const child = op.nodeById(id);
    if (!child || seen.has(id)) continue;
    seen.set(id, child);
    stack.push(...(child.children ?? []));
  }
  return [...seen.values()];
}
