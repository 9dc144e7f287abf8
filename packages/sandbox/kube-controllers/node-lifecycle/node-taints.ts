import { conditionOf } from '../machinery/conditions.ts';
import type { Node, Taint } from '../machinery/workload-model.ts';

/** Taints by the condition and the status that bring them; all with NoSchedule. */
const ofConditions: readonly [type: string, status: string, key: string][] = [
  ['Ready', 'False', 'node.kubernetes.io/not-ready'],
  ['Ready', 'Unknown', 'node.kubernetes.io/unreachable'],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];

const cordon = 'node.kubernetes.io/unschedulable';
const evicting = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** The taints that a node should have: those of others as they are, those that follow from its state as it is now. */
export function taintsOf({ spec, status }: Node, now: string): Taint[] {
  const before = spec?.taints ?? [];
  const keys = ofConditions
    .filter(([type, wanted]) => conditionOf(status?.conditions, type)?.status === wanted)
    .map(([, , key]) => key);
  const wanted: Taint[] = [...(spec?.unschedulable ? [cordon] : []), ...keys].map((key) => ({
    key,
    effect: 'NoSchedule',
    timeAdded: now,
  }));
  wanted.push(
    ...keys.filter((key) => evicting.includes(key)).map((key) => ({ key, effect: 'NoExecute', timeAdded: now })),
  );
  const known = (taint: Taint) => before.find(({ key, effect }) => key === taint.key && effect === taint.effect);
  return [...before.filter((taint) => !isOurs(taint)), ...wanted.map((taint) => known(taint) ?? taint)];
}

function isOurs({ key, effect }: Taint): boolean {
  if (effect === 'NoExecute') return evicting.includes(key);
  return effect === 'NoSchedule' && (key === cordon || ofConditions.some(([, , ours]) => ours === key));
}
