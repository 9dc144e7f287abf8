import { goSelector } from '@tiphys/apimachinery';
import {
  type autoscalingV1,
  isNotFound,
  type KubeObject,
  type LabelSelector,
  type OwnerReference,
  selectorMatches,
} from '@tiphys/kubernetes';
import { conditionOf, timestamp, withoutCondition } from '../machinery/conditions.ts';
import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import { scaledValue } from '../machinery/int-or-percent.ts';
import { controllerOf, type ObjectStore } from '../machinery/object-store.ts';
import { isPodReady, serverMessage } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Condition, Pod, ReplicaSet } from '../machinery/workload-model.ts';

interface BudgetStatus {
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  disruptionsAllowed: number;
  disruptedPods?: Record<string, string>;
  observedGeneration?: number;
  conditions?: Condition[];
}

interface PodDisruptionBudget extends KubeObject {
  spec: { minAvailable?: number | string; maxUnavailable?: number | string; selector?: LabelSelector };
  status?: BudgetStatus;
}

/** An evicted pod that is not deleted after this counts again. */
const evictionTimeout = 120_000;

/** Tells in PodDisruptionBudgets how many pods may be disrupted (pkg/controller/disruption). */
export function startDisruptionController(context: ControllerContext): void {
  const controller = new Controller(context, 'controllermanager');
  const budgets = context.stores.of<PodDisruptionBudget>('policy/v1', 'PodDisruptionBudget');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const sets = context.stores.of<ReplicaSet>('apps/v1', 'ReplicaSet');
  const covering = (pod: Pod) =>
    [...budgets.inNamespace(pod.metadata.namespace ?? '')]
      .filter(({ spec }) => selectorMatches(spec.selector, pod.metadata.labels))
      .map(keyFor);
  controller.watch(budgets);
  controller.watch(pods, (pod, old) => {
    if (old && semanticallyEqual(relevant(pod), relevant(old))) return [];
    return new Set([...covering(pod), ...(old ? covering(old) : [])]);
  });
  // the size that a budget is measured by changes with the sets
  for (const kind of ['Deployment', 'ReplicaSet', 'StatefulSet'])
    controller.watch(context.stores.of<ReplicaSet>('apps/v1', kind), (set, old) =>
      old?.spec.replicas === set.spec.replicas
        ? []
        : [...budgets.inNamespace(set.metadata.namespace ?? '')].map(keyFor),
    );
  controller.run(async (key) => {
    const budget = budgets.get(...splitKey(key));
    if (!budget) return undefined;
    const covered = [...pods.inNamespace(budget.metadata.namespace ?? '')].filter(({ metadata }) =>
      selectorMatches(budget.spec.selector, metadata.labels),
    );
    if (covered.length === 0) controller.events.event(budget, 'Normal', 'NoPods', 'No matching pods found');
    try {
      return await writeStatus(controller, budgets, budget, { covered, sets });
    } catch (error) {
      if (!(error instanceof ScaleError)) throw error;
      const text = `Failed to calculate the number of expected pods: ${error.message}`;
      controller.events.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', text);
      await fail(controller, budgets, budget, error.message);
      return undefined;
    }
  });
}

class ScaleError extends Error {}

function relevant({ metadata, ...pod }: Pod): unknown {
  const ready = isPodReady({ metadata, ...pod });
  return [metadata.labels, metadata.deletionTimestamp !== undefined, ready, controllerOf({ metadata, ...pod })?.uid];
}

async function writeStatus(
  controller: Controller,
  budgets: ObjectStore<PodDisruptionBudget>,
  budget: PodDisruptionBudget,
  { covered, sets }: { covered: readonly Pod[]; sets: ObjectStore<ReplicaSet> },
): Promise<undefined | { requeueAfter: number }> {
  const { expected, desired } = await expectation(controller, budget, covered, sets);
  const now = controller.clock.now();
  const disrupted = Object.entries(budget.status?.disruptedPods ?? {}).filter(
    ([name, at]) =>
      Date.parse(at) + evictionTimeout > now &&
      covered.some(({ metadata }) => metadata.name === name && !metadata.deletionTimestamp),
  );
  const evicted = new Set(disrupted.map(([name]) => name));
  const healthy = covered.filter(
    (pod) => !pod.metadata.deletionTimestamp && !evicted.has(pod.metadata.name ?? '') && isPodReady(pod),
  ).length;
  const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
  const { generation } = budget.metadata;
  const reason = allowed > 0 ? 'SufficientPods' : 'InsufficientPods';
  const status: BudgetStatus = {
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    disruptionsAllowed: allowed,
    ...(disrupted.length > 0 ? { disruptedPods: Object.fromEntries(disrupted) } : {}),
    ...(generation ? { observedGeneration: generation } : {}),
    conditions: allowedCondition(controller, budget, { allowed: allowed > 0, reason, message: '' }),
  };
  if (!semanticallyEqual(budget.status, status)) await controller.updateStatus(budgets, { ...budget, status });
  const waits = disrupted.map(([, at]) => Date.parse(at) + evictionTimeout - now);
  return waits.length > 0 ? { requeueAfter: Math.min(...waits) } : undefined;
}

/** With a size that cannot be known nothing may be disrupted. */
async function fail(
  controller: Controller,
  budgets: ObjectStore<PodDisruptionBudget>,
  budget: PodDisruptionBudget,
  message: string,
): Promise<void> {
  const { generation } = budget.metadata;
  const status: BudgetStatus = {
    ...(budget.status ?? { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
    disruptionsAllowed: 0,
    ...(generation ? { observedGeneration: generation } : {}),
    conditions: allowedCondition(controller, budget, { allowed: false, reason: 'SyncFailed', message }),
  };
  if (!semanticallyEqual(budget.status, status)) await controller.updateStatus(budgets, { ...budget, status });
}

function allowedCondition(
  { clock }: Controller,
  { metadata, status }: PodDisruptionBudget,
  { allowed, reason, message }: { allowed: boolean; reason: string; message: string },
): Condition[] {
  const type = 'DisruptionAllowed';
  const value = allowed ? ('True' as const) : ('False' as const);
  const before = conditionOf(status?.conditions, type);
  const since = before?.status === value ? before.lastTransitionTime : undefined;
  return [
    ...withoutCondition(status?.conditions, type),
    {
      type,
      status: value,
      ...(metadata.generation ? { observedGeneration: metadata.generation } : {}),
      lastTransitionTime: since ?? timestamp(clock),
      reason,
      message,
    },
  ];
}

async function expectation(
  controller: Controller,
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  sets: ObjectStore<ReplicaSet>,
): Promise<{ expected: number; desired: number }> {
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable === undefined && typeof minAvailable === 'number')
    return { expected: pods.length, desired: minAvailable };
  if (maxUnavailable === undefined && minAvailable === undefined) return { expected: 0, desired: 0 };
  const expected = await expectedScale(controller, budget, pods, sets);
  if (maxUnavailable === undefined) return { expected, desired: scaledValue(minAvailable, expected, 'up') };
  return { expected, desired: Math.max(0, expected - scaledValue(maxUnavailable, expected, 'up')) };
}

/** The sum of the sizes of all controllers of the pods. */
async function expectedScale(
  controller: Controller,
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  sets: ObjectStore<ReplicaSet>,
): Promise<number> {
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (!owner) unmanaged.push(pod.metadata.name ?? '');
    else if (!scales.has(owner.uid)) {
      const top = ownerOfOwner(pod, owner, sets);
      scales.set(top.uid, await scaleOf(controller, top, pod));
      if (top !== owner) scales.set(owner.uid, 0);
    }
  }
  if (unmanaged.length > 0) {
    const selector = budget.spec.selector ? goSelector(budget.spec.selector) : 'nil';
    controller.events.event(
      budget,
      'Warning',
      'UnmanagedPods',
      `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
    );
  }
  return [...scales.values()].reduce((sum, scale) => sum + scale, 0);
}

/** A ReplicaSet's size is that of its Deployment. */
function ownerOfOwner(pod: Pod, owner: OwnerReference, sets: ObjectStore<ReplicaSet>): OwnerReference {
  const set = owner.kind === 'ReplicaSet' ? sets.get(pod.metadata.namespace ?? '', owner.name) : undefined;
  const deployment = set && controllerOf(set);
  return deployment?.kind === 'Deployment' ? deployment : owner;
}

async function scaleOf({ client }: Controller, { apiVersion, kind, name }: OwnerReference, pod: Pod): Promise<number> {
  const ref = { apiVersion, kind, name, namespace: pod.metadata.namespace ?? '' };
  try {
    const scale = await client.get(ref, { subresource: 'scale' });
    return (scale.spec as autoscalingV1.ScaleSpec | undefined)?.replicas ?? 0;
  } catch (error) {
    if (!isNotFound(error)) throw new ScaleError(serverMessage(error), { cause: error });
    const resource = await client.discovery.find(apiVersion, kind);
    if (resource && !resource.subresources.includes('scale')) {
      const plural = resource.group ? `${resource.plural}.${resource.group}` : resource.plural;
      throw new ScaleError(`${plural} does not implement the scale subresource`, { cause: error });
    }
    throw new ScaleError(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`, { cause: error });
  }
}
