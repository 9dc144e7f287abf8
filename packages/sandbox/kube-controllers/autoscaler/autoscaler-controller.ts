import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { conditionOf, timestamp } from '../machinery/conditions.ts';
import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { serverMessage } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Condition, Pod } from '../machinery/workload-model.ts';
import { givenUsage, proposalOf, usageAnnotation } from './given-usage.ts';
import { type MetricSpec, metricRefusal } from './metric-refusals.ts';
import type { Proposal } from './replica-proposal.ts';
import { type Behavior, ScalingHistory } from './scaling-rules.ts';

interface Status {
  observedGeneration?: number;
  lastScaleTime?: string;
  currentReplicas?: number;
  desiredReplicas: number;
  currentMetrics?: { type: string }[] | null;
  conditions?: Condition[];
}

interface Autoscaler extends KubeObject {
  spec: {
    scaleTargetRef: { apiVersion?: string; kind: string; name: string };
    minReplicas?: number;
    maxReplicas: number;
    metrics?: MetricSpec[];
    behavior?: Behavior;
  };
  status?: Status;
}

interface Scale extends KubeObject {
  spec: { replicas?: number };
  status?: { replicas?: number; selector?: string };
}

const watched = ['Deployment', 'ReplicaSet', 'StatefulSet'];
/** Targets of other kinds are looked at again after this. */
const requeuePeriod = 60_000;
/** Where metrics are given: the time between two looks (`--horizontal-pod-autoscaler-sync-period`). */
const period = 15_000;

/**
 * Keeps HorizontalPodAutoscalers (pkg/controller/podautoscaler): after the metrics that annotations give; without those as a
 * cluster without metrics does, within their bounds and with the reason why they cannot do more.
 */
export function startAutoscalerController(context: ControllerContext): void {
  const controller = new Controller(context, 'horizontal-pod-autoscaler');
  const autoscalers = context.stores.of<Autoscaler>('autoscaling/v2', 'HorizontalPodAutoscaler');
  const histories = new Map<string, ScalingHistory>();
  /** What the target of each autoscaler selects. */
  const selectors = new Map<string, string>();
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const usageOf = ({ metadata }: KubeObject) => metadata.annotations?.[usageAnnotation];
  controller.watch(autoscalers, (object, old) =>
    old && semanticallyEqual(old.spec, object.spec) && usageOf(old) === usageOf(object)
      ? []
      : [...autoscalers.inNamespace(object.metadata.namespace ?? '')].map(keyFor),
  );
  pods.subscribe(({ type, object, old }) => {
    if (type === 'updated' && old && usageOf(object) !== usageOf(old))
      for (const each of autoscalers.inNamespace(object.metadata.namespace ?? '')) controller.queue.add(keyFor(each));
  });
  for (const kind of watched)
    controller.watch(context.stores.of<Scale>('apps/v1', kind), (target, old) =>
      old && old.spec.replicas === target.spec.replicas && old.status?.replicas === target.status?.replicas
        ? []
        : [...autoscalers.inNamespace(target.metadata.namespace ?? '')]
            .filter(({ spec: { scaleTargetRef: ref } }) => ref.kind === kind && ref.name === target.metadata.name)
            .map(keyFor),
    );
  controller.run(async (key) => {
    const autoscaler = autoscalers.get(...splitKey(key));
    if (!autoscaler || autoscaler.metadata.deletionTimestamp) {
      histories.delete(key);
      selectors.delete(key);
      return undefined;
    }
    const history = histories.get(key) ?? new ScalingHistory();
    histories.set(key, history);
    const measured = await sync(controller, autoscalers, { autoscaler, pods, history, selectors });
    if (measured) return { requeueAfter: period };
    return watched.includes(autoscaler.spec.scaleTargetRef.kind) ? undefined : { requeueAfter: requeuePeriod };
  });
}

interface Surroundings {
  autoscaler: Autoscaler;
  pods: ObjectStore<Pod>;
  history: ScalingHistory;
  selectors: Map<string, string>;
}

/** True where metrics are given, and the next look is due after a period. */
async function sync(
  controller: Controller,
  store: ObjectStore<Autoscaler>,
  { autoscaler, pods, history, selectors }: Surroundings,
): Promise<boolean> {
  const before = autoscaler.status ?? { desiredReplicas: 0 };
  const write = async (status: Status) => {
    if (!semanticallyEqual(autoscaler.status, status)) await controller.updateStatus(store, { ...autoscaler, status });
  };
  const scale = await scaleOf(controller, autoscaler);
  if (typeof scale === 'string') {
    controller.events.event(autoscaler, 'Warning', 'FailedGetScale', scale);
    const text = `the HPA controller was unable to get the target's current scale: ${scale}`;
    await write(withConditions(controller, before, [['AbleToScale', 'False', 'FailedGetScale', text]]));
    return false;
  }
  const got: Told = [
    'AbleToScale',
    'True',
    'SucceededGetScale',
    "the HPA controller was able to get the target's current scale",
  ];
  const current = scale.spec.replicas ?? 0;
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  if (current === 0 && minReplicas !== 0) {
    const text = 'scaling is disabled since the replica count of the target is zero';
    const { currentReplicas: _, ...rest } = before;
    const status = { ...rest, desiredReplicas: 0, currentMetrics: null };
    await write(withConditions(controller, status, [got, ['ScalingActive', 'False', 'ScalingDisabled', text]]));
  } else if (current > maxReplicas || current < minReplicas) {
    const size = current > maxReplicas ? maxReplicas : minReplicas;
    const bound = current > maxReplicas ? 'above Spec.MaxReplicas' : 'below Spec.MinReplicas';
    await rescale(controller, autoscaler, scale, size);
    const reason = `New size: ${size}; reason: Current number of replicas ${bound}`;
    controller.events.event(autoscaler, 'Normal', 'SuccessfulRescale', reason);
    const text = `the HPA controller was able to update the target scale to ${size}`;
    const lastScaleTime = timestamp(controller.clock);
    const status = { ...before, currentReplicas: current, desiredReplicas: size, currentMetrics: null, lastScaleTime };
    await write(withConditions(controller, status, [['AbleToScale', 'True', 'SucceededRescale', text]]));
  } else {
    const { namespace = '' } = autoscaler.metadata;
    const selector = scale.status?.selector ?? '';
    selectors.set(keyFor(autoscaler), selector);
    const selected = [...podsOf(pods, namespace, selector)];
    const rivals = [...selectors]
      .filter(([key, other]) => key.startsWith(`${namespace}/`) && selected.some((pod) => isSelected(pod, other)))
      .map(([key]) => key);
    if (rivals.length > 1) {
      const text = `pods by selector ${selector} are controlled by multiple HPAs: [${rivals.sort().join(' ')}]`;
      for (const reason of ['AmbiguousSelector', 'FailedComputeMetricsReplicas'])
        controller.events.event(autoscaler, 'Warning', reason, text);
      const status = { ...before, currentReplicas: current, currentMetrics: null };
      await write(withConditions(controller, status, [got, ['ScalingActive', 'False', 'AmbiguousSelector', text]]));
      return false;
    }
    const proposals = proposalsOf(autoscaler, selected, current);
    if (proposals) {
      await write(await follow(controller, proposals, { autoscaler, scale, history, got }));
      return true;
    }
    await write(withConditions(controller, ...unmeasured(controller, autoscaler, current, got)));
  }
  return false;
}

function* podsOf(pods: ObjectStore<Pod>, namespace: string, selector: string): Iterable<Pod> {
  for (const pod of pods.inNamespace(namespace)) if (isSelected(pod, selector)) yield pod;
}

/** Whether a selector as a scale tells it, `app=web,tier=front`, means the pod. */
function isSelected({ metadata }: Pod, selector: string): boolean {
  const labels = selector.split(',').filter(Boolean);
  return (
    labels.length > 0 && labels.every((label) => metadata.labels?.[label.split('=')[0] ?? ''] === label.split('=')[1])
  );
}

/** What all metrics want, if the values of all are given. */
function proposalsOf({ metadata, spec }: Autoscaler, pods: readonly Pod[], current: number): Proposal[] | undefined {
  const usage = givenUsage(metadata.annotations);
  const all = (spec.metrics ?? []).map((metric) => proposalOf(metric, { pods, usage, current }));
  return all.length > 0 && all.every((each) => each !== undefined) ? all : undefined;
}

/** Follows the metric that wants most, as far as the rules of scaling allow; answers with the status that follows. */
async function follow(
  controller: Controller,
  proposals: readonly Proposal[],
  { autoscaler, scale, history, got }: { autoscaler: Autoscaler; scale: Scale; history: ScalingHistory; got: Told },
): Promise<Status> {
  const { minReplicas = 1, maxReplicas, metrics = [], behavior } = autoscaler.spec;
  const current = scale.spec.replicas ?? 0;
  const now = controller.clock.now();
  const top = proposals.reduce((most, each) => (each.replicas > most.replicas ? each : most));
  const { replicas, told } = history.limit(top.replicas, {
    now,
    current,
    min: minReplicas,
    max: maxReplicas,
    behavior,
  });
  const active: Told = [
    'ScalingActive',
    'True',
    'ValidMetricFound',
    `the HPA was able to successfully calculate a replica count from ${top.name}`,
  ];
  const conditions: Told[] = [got, active, ...told];
  const status: Status = {
    ...autoscaler.status,
    currentReplicas: current,
    desiredReplicas: replicas,
    currentMetrics: metrics.map((metric, index) => shownMetric(metric, proposals[index]?.shown ?? {})),
  };
  if (replicas === current) return withConditions(controller, status, conditions);
  await rescale(controller, autoscaler, scale, replicas);
  history.changed(now, replicas - current);
  const why = replicas > current ? `${top.name} above target` : 'All metrics below target';
  controller.events.event(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${why}`);
  const text = `the HPA controller was able to update the target scale to ${replicas}`;
  conditions.push(['AbleToScale', 'True', 'SucceededRescale', text]);
  return withConditions(controller, { ...status, lastScaleTime: timestamp(controller.clock) }, conditions);
}

function shownMetric(metric: MetricSpec, current: Proposal['shown']): { type: string } {
  const { resource, containerResource, pods, object, external } = metric;
  const { type } = metric;
  if (resource) return { type, resource: { name: resource.name, current } } as { type: string };
  if (containerResource) {
    const { name, container } = containerResource;
    return { type, containerResource: { name, container, current } } as { type: string };
  }
  if (pods) return { type, pods: { metric: pods.metric, current } } as { type: string };
  if (object)
    return { type, object: { metric: object.metric, describedObject: object.describedObject, current } } as {
      type: string;
    };
  return { type, external: { metric: external?.metric, current } } as { type: string };
}

type Told = [type: string, status: 'True' | 'False', reason: string, message: string];

/** Within its bounds, and without metrics to go by. */
function unmeasured(controller: Controller, autoscaler: Autoscaler, current: number, got: Told): [Status, Told[]] {
  const { metrics = [] } = autoscaler.spec;
  const refusals = metrics.map((metric) => metricRefusal(metric, autoscaler.metadata.namespace ?? ''));
  const status: Status = {
    ...(autoscaler.status ?? { desiredReplicas: 0 }),
    currentReplicas: current,
    currentMetrics: metrics.map(() => ({ type: '' })),
  };
  const [first] = refusals;
  if (!first) return [status, [got]];
  for (const { reason, message } of refusals) controller.events.event(autoscaler, 'Warning', reason, message);
  const count = `${refusals.length} invalid out of ${metrics.length}`;
  const summary = `invalid metrics (${count}), first error is: ${first.summary}: ${first.message}`;
  controller.events.event(autoscaler, 'Warning', 'FailedComputeMetricsReplicas', summary);
  const text = `the HPA was unable to compute the replica count: ${first.message}`;
  return [status, [got, ['ScalingActive', 'False', first.reason, text]]];
}

/** The target's scale, or why it cannot be had. */
async function scaleOf({ client }: Controller, { metadata, spec }: Autoscaler): Promise<Scale | string> {
  const { apiVersion = 'v1', kind, name } = spec.scaleTargetRef;
  const resource = await client.discovery.find(apiVersion, kind);
  if (!resource) return `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(apiVersion)}`;
  if (!resource.subresources.includes('scale')) return 'the server could not find the requested resource';
  try {
    return await client.get<Scale>(
      { apiVersion, kind, name, namespace: metadata.namespace ?? '' },
      { subresource: 'scale' },
    );
  } catch (error) {
    if (isNotFound(error)) return serverMessage(error);
    throw error;
  }
}

async function rescale({ client }: Controller, autoscaler: Autoscaler, scale: Scale, replicas: number): Promise<void> {
  const { apiVersion = 'v1', kind, name } = autoscaler.spec.scaleTargetRef;
  const { namespace = '' } = autoscaler.metadata;
  const body = { metadata: { resourceVersion: scale.metadata.resourceVersion }, spec: { replicas } };
  await client.patch({ apiVersion, kind, namespace, name }, 'merge', body, { subresource: 'scale' });
}

function withConditions({ clock }: Controller, status: Status, told: readonly Told[]): Status {
  let conditions = [...(status.conditions ?? [])];
  for (const [type, value, reason, message] of told) {
    const known = conditionOf(conditions, type);
    const since = known?.status === value ? known.lastTransitionTime : undefined;
    const next: Condition = { type, status: value, lastTransitionTime: since ?? timestamp(clock), reason, message };
    conditions = known ? conditions.map((each) => (each === known ? next : each)) : [...conditions, next];
  }
  return { ...status, currentMetrics: status.currentMetrics ?? null, conditions };
}
