import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { conditionOf, timestamp } from '../machinery/conditions.ts';
import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { serverMessage } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/template-hash.ts';
import type { Condition } from '../machinery/workload-model.ts';
import { type MetricSpec, metricRefusal } from './metric-refusals.ts';

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
  };
  status?: Status;
}

interface Scale extends KubeObject {
  spec: { replicas?: number };
  status?: { replicas?: number };
}

const watched = ['Deployment', 'ReplicaSet', 'StatefulSet'];
/** Targets of other kinds are looked at again after this. */
const patience = 60_000;

/**
 * Keeps HorizontalPodAutoscalers as a cluster without metrics does: within their bounds, and with the reason why they
 * cannot do more (pkg/controller/podautoscaler).
 */
export function startAutoscalerController(context: ControllerContext): void {
  const controller = new Controller(context, 'horizontal-pod-autoscaler');
  const autoscalers = context.stores.of<Autoscaler>('autoscaling/v2', 'HorizontalPodAutoscaler');
  controller.watch(autoscalers, (object, old) =>
    old && semanticallyEqual(old.spec, object.spec) ? [] : [keyFor(object)],
  );
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
    if (!autoscaler || autoscaler.metadata.deletionTimestamp) return undefined;
    await sync(controller, autoscalers, autoscaler);
    return watched.includes(autoscaler.spec.scaleTargetRef.kind) ? undefined : { requeueAfter: patience };
  });
}

async function sync(controller: Controller, store: ObjectStore<Autoscaler>, autoscaler: Autoscaler): Promise<void> {
  const before = autoscaler.status ?? { desiredReplicas: 0 };
  const write = async (status: Status) => {
    if (!semanticallyEqual(autoscaler.status, status)) await controller.updateStatus(store, { ...autoscaler, status });
  };
  const scale = await scaleOf(controller, autoscaler);
  if (typeof scale === 'string') {
    controller.events.event(autoscaler, 'Warning', 'FailedGetScale', scale);
    const text = `the HPA controller was unable to get the target's current scale: ${scale}`;
    await write(withConditions(controller, before, [['AbleToScale', 'False', 'FailedGetScale', text]]));
    return;
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
    const status = { ...rest, desiredReplicas: 0 };
    await write(withConditions(controller, status, [got, ['ScalingActive', 'False', 'ScalingDisabled', text]]));
  } else if (current > maxReplicas || current < minReplicas) {
    const size = current > maxReplicas ? maxReplicas : minReplicas;
    const bound = current > maxReplicas ? 'above Spec.MaxReplicas' : 'below Spec.MinReplicas';
    await rescale(controller, autoscaler, scale, size);
    const reason = `New size: ${size}; reason: Current number of replicas ${bound}`;
    controller.events.event(autoscaler, 'Normal', 'SuccessfulRescale', reason);
    const text = `the HPA controller was able to update the target scale to ${size}`;
    const lastScaleTime = timestamp(controller.clock);
    const status = { ...before, currentReplicas: current, desiredReplicas: size, lastScaleTime };
    await write(withConditions(controller, status, [['AbleToScale', 'True', 'SucceededRescale', text]]));
  } else await write(withConditions(controller, ...unmeasured(controller, autoscaler, current, got)));
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
