import { conditionOf, type Node, type Pod, withoutCondition } from '@tiphys/kube-controllers';
import { timestamp } from '@tiphys/kubernetes';
import type { Refusal } from './node-filters.ts';
import { choosePreemption, type Preemption, priorityOf } from './preemption.ts';
import { nodesMessage, refusalMessage } from './refusal-message.ts';
import { type SchedulerIo, tellUnschedulable } from './unschedulable.ts';
import type { UsageView } from './usage-view.ts';

interface Refused {
  /** Why each node refuses the pod. */
  refusals: ReadonlyMap<Node, readonly Refusal[]>;
  /** Why it would with another usage; empty if it would not. */
  refuse: (node: Node, usage: UsageView) => readonly Refusal[];
  usage: UsageView;
}

/** Makes room for a pod that no node takes by taking pods of lower priority off one, or tells why that does not help. */
export async function preempt(io: SchedulerIo, pod: Pod, { refusals, refuse, usage }: Refused): Promise<undefined> {
  const all = [...refusals.values()];
  const tell = (preemption: string, nominated?: string) =>
    tellUnschedulable(io, pod, {
      message: refusalMessage(all.length, all, preemption),
      ...(nominated === undefined ? {} : { nominatedNodeName: nominated }),
    });
  if (pod.spec.preemptionPolicy === 'Never') return tell('not eligible due to preemptionPolicy=Never.');
  // said already that it waits
  if (mustWait(pod, refusals, usage)) return undefined;
  const open = [...refusals].filter(([, refused]) => refused.every(({ resolvable }) => resolvable));
  const nodes = open.map(([node]) => node);
  const found = choosePreemption(pod, nodes, usage, { refusals: refuse, budgets: [...io.budgets.list()] });
  if ('node' in found) return takePlace(io, pod, found, all);
  const hopeless = Array.from({ length: all.length - nodes.length }, () => 'Preemption is not helpful for scheduling');
  return tell(nodesMessage(all.length, [...found.reasons.flat(), ...hopeless]), '');
}

/** Whether pods that were taken off for this one are still going. */
function mustWait(pod: Pod, refusals: Refused['refusals'], usage: UsageView): boolean {
  const nominated = pod.status?.nominatedNodeName;
  const refused = [...refusals].find(([{ metadata }]) => metadata.name === nominated)?.[1];
  if (nominated === undefined || !refused?.every(({ resolvable }) => resolvable)) return false;
  return [...usage.podsOn(nominated)].some(
    (other) =>
      other.metadata.deletionTimestamp !== undefined &&
      priorityOf(other) < priorityOf(pod) &&
      conditionOf(other.status?.conditions, 'DisruptionTarget')?.reason === 'PreemptionByScheduler',
  );
}

/** Takes pods of lower priority off a node, which the pod then waits for; those that waited for it look again. */
async function takePlace(
  io: SchedulerIo,
  pod: Pod,
  { node, victims }: Preemption,
  refusals: readonly (readonly Refusal[])[],
): Promise<undefined> {
  const name = node.metadata.name ?? '';
  // what the victims' owners make in their place must not have it before the pod
  const withdraw = io.nominations.announce(pod, name);
  try {
    await takeOff(io, pod, { node, victims });
    const reasons = refusals.flat().map(({ reason }) => reason);
    await tellUnschedulable(io, pod, { message: nodesMessage(refusals.length, reasons), nominatedNodeName: name });
  } catch (error) {
    withdraw();
    throw error;
  }
}

async function takeOff(io: SchedulerIo, pod: Pod, { node, victims }: Preemption): Promise<void> {
  const { controller, pods, events, nominations } = io;
  const name = node.metadata.name ?? '';
  for (const victim of victims) {
    if (victim.metadata.deletionTimestamp) continue;
    const condition = {
      type: 'DisruptionTarget',
      ...(victim.metadata.generation ? { observedGeneration: victim.metadata.generation } : {}),
      status: 'True' as const,
      reason: 'PreemptionByScheduler',
      message: `${pod.spec.schedulerName ?? 'default-scheduler'}: preempting to accommodate a higher priority pod`,
      lastTransitionTime: timestamp(controller.clock.now()),
    };
    const conditions = [...withoutCondition(victim.status?.conditions, 'DisruptionTarget'), condition];
    const told = await controller.updateStatus(pods, { ...victim, status: { ...victim.status, conditions } });
    await controller.delete(pods, told);
    const note = `Preempted by pod ${pod.metadata.uid} on node ${name}`;
    events.event(victim, { type: 'Normal', reason: 'Preempted', action: 'Preempting', note, related: pod });
  }
  for (const other of nominations.after(pod, name)) {
    const waiting = pods.get(other.metadata.namespace ?? '', other.metadata.name ?? '');
    if (!waiting) continue;
    const { nominatedNodeName: _, ...status } = waiting.status ?? {};
    await controller.updateStatus(pods, { ...waiting, status });
  }
}
