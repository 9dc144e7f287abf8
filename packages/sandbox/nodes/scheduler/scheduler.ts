import {
  Controller,
  type ControllerContext,
  isPodTerminal,
  keyFor,
  type Node,
  type ObjectStore,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  SeriesRecorder,
  splitKey,
} from '@tiphys/kube-controllers';
import { isConflict, isNotFound } from '@tiphys/kubernetes';
import { claimNames, claimRefusal, type StorageClass } from './claim-refusal.ts';
import { capacityRefusals, namedNodes, nodeRefusal, type Refusal } from './node-filters.ts';
import { byPreference } from './node-scores.ts';
import { NodeUsage } from './node-usage.ts';
import { Nominations } from './nominations.ts';
import { type Placement, placementRefusal } from './pod-placement.ts';
import { preempt } from './preempt.ts';
import type { Budget } from './preemption.ts';
import { generalMessage } from './refusal-message.ts';
import { type SchedulerIo, tellUnschedulable } from './unschedulable.ts';
import { together, type UsageView } from './usage-view.ts';
import { type VolumeStores, volumeRefusal } from './volume-refusal.ts';

/** Binds pods without a node to the first node, by load, that takes them; says why where none does. */
export function startScheduler(
  context: ControllerContext,
  pods: ObjectStore<Pod>,
  nodes: ObjectStore<Node>,
  usage: NodeUsage = new NodeUsage(pods),
): void {
  const controller = new Controller(context, 'default-scheduler');
  const waits = (pod: Pod) =>
    !pod.spec.nodeName && !pod.metadata.deletionTimestamp && !pod.spec.schedulingGates?.length;
  controller.watch(pods, (pod) => (waits(pod) ? [keyFor(pod)] : []));
  // A node that is new or changed may take what waits.
  controller.watch(nodes, () => [...pods.list()].filter(waits).map(keyFor));
  const claims = context.stores.of<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');
  const classes = context.stores.of<StorageClass>('storage.k8s.io/v1', 'StorageClass');
  controller.watch(claims, (claim) =>
    [...pods.inNamespace(claim.metadata.namespace ?? '')]
      .filter((pod) => waits(pod) && claimNames(pod).includes(claim.metadata.name ?? ''))
      .map(keyFor),
  );
  const stored: VolumeStores = { claims, volumes: context.stores.of<PersistentVolume>('v1', 'PersistentVolume') };
  const namespaces = context.stores.of('v1', 'Namespace');
  const nominations = new Nominations(pods);
  // what goes, or ends, leaves room for what waits
  pods.subscribe(({ type, object, old }) => {
    const left = type === 'deleted' || (isPodTerminal(object) && old !== undefined && !isPodTerminal(old));
    if (left && (object.spec.nodeName || object.status?.nominatedNodeName))
      for (const pod of pods.list()) if (waits(pod)) controller.queue.add(keyFor(pod));
  });
  const io: SchedulerIo = {
    controller,
    pods,
    nominations,
    budgets: context.stores.of<Budget>('policy/v1', 'PodDisruptionBudget'),
    events: new SeriesRecorder(context.client, { ...context, controller: 'default-scheduler' }),
  };
  controller.run(async (key) => {
    const pod = pods.get(...splitKey(key));
    if (!pod || !waits(pod) || (pod.spec.schedulerName ?? 'default-scheduler') !== 'default-scheduler')
      return undefined;
    if (nodes.size === 0) return tellUnschedulable(io, pod, { message: 'no nodes available to schedule pods' });
    const names = namedNodes(pod);
    const general = names?.size === 0 ? 'pod affinity terms conflict' : claimRefusal(pod, claims, classes);
    if (general) return tellUnschedulable(io, pod, { message: generalMessage(nodes.size, general) });
    const all = [...nodes.list()];
    const placement: Placement = {
      nodes: all,
      usage,
      namespaceLabels: (name) => namespaces.get('', name)?.metadata.labels ?? {},
    };
    const refusals = new Map<Node, readonly Refusal[]>();
    const refuse = (node: Node, view: UsageView): readonly Refusal[] =>
      names && !names.has(node.metadata.name ?? '')
        ? [{ reason: "node(s) didn't satisfy plugin(s) [NodeAffinity]", resolvable: false }]
        : refusalsOf(pod, node, { placement: { ...placement, usage: view }, nominations, stored });
    for (const node of all) {
      const refused = refuse(node, usage);
      if (refused.length > 0) refusals.set(node, refused);
    }
    const candidates = all.filter((node) => !refusals.has(node));
    const nominated = candidates.find(({ metadata }) => metadata.name === pod.status?.nominatedNodeName);
    const chosen = nominated ?? byPreference(pod, candidates, placement)[0];
    if (!chosen) return preempt(io, pod, { refusals, refuse, usage });
    const name = chosen.metadata.name ?? '';
    usage.assume(pod, name);
    if (!(await bind(io, pod, name))) usage.forget(pod);
    return undefined;
  }, 8);
}

/** Why the node does not take the pod: with those that others have been taken off for, and without them. */
function refusalsOf(
  pod: Pod,
  node: Node,
  { placement, nominations, stored }: { placement: Placement; nominations: Nominations; stored: VolumeStores },
): readonly Refusal[] {
  const awaited = nominations.before(pod, node.metadata.name ?? '');
  const beside = awaited.length > 0 ? { ...placement, usage: together(placement.usage, awaited) } : placement;
  const refused = refusalsBeside(pod, node, beside, stored);
  return refused.length > 0 || awaited.length === 0 ? refused : refusalsBeside(pod, node, placement, stored);
}

function refusalsBeside(pod: Pod, node: Node, placement: Placement, stored: VolumeStores): Refusal[] {
  const refusal = nodeRefusal(pod, node);
  if (refusal) return [refusal];
  const lacking = capacityRefusals(pod, node, placement.usage);
  if (lacking.length > 0) return lacking;
  const beside = volumeRefusal(pod, node, placement, stored) ?? placementRefusal(pod, node, placement);
  return beside ? [beside] : [];
}

/** False where somebody else was faster. */
async function bind({ controller, events }: SchedulerIo, pod: Pod, node: string): Promise<boolean> {
  const { namespace = '', name = '', uid } = pod.metadata;
  const body = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  };
  try {
    const { status, text } = await controller.client
      .request('POST', `/api/v1/namespaces/${namespace}/pods/${name}/binding`, { body })
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }));
    if (status >= 300 && status !== 404 && status !== 409)
      throw new Error(`The binding of ${namespace}/${name} was answered with ${status}: ${text}`);
    if (status < 300)
      events.event(pod, {
        type: 'Normal',
        reason: 'Scheduled',
        action: 'Binding',
        note: `Successfully assigned ${namespace}/${name} to ${node}`,
      });
    return status < 300;
  } catch (error) {
    // Gone or bound by somebody else meanwhile: there is nothing left to do.
    if (!isNotFound(error) && !isConflict(error)) throw error;
    return false;
  }
}
