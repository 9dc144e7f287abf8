import { after, badRequest, type DeleteOptions, StatusError, timestamp } from '@tiphys/apimachinery';
import { type coreV1, type KubeObject, type LabelSelector, selectorMatches } from '@tiphys/kubernetes';
import type { Item } from '@tiphys/store';
import { mutate, validate } from '../admission/admission.ts';
import type { Answer } from '../http/answer.ts';
import type { Operation } from '../request/operation.ts';
import { bodyOf } from '../resources/resource-requests.ts';
import { removeNow } from '../write/delete.ts';
import { requireItem } from '../write/write.ts';
import type { SubresourceRequest } from './subresource-request.ts';

interface Budget extends KubeObject {
  spec: { selector?: LabelSelector; unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow' };
  status?: {
    disruptionsAllowed?: number;
    disruptedPods?: Record<string, string>;
    observedGeneration?: number;
    desiredHealthy?: number;
    currentHealthy?: number;
  };
}

/** POST of `pods/eviction`: deletes the pod if its disruption budget allows, 429 if not. */
export function evict(request: SubresourceRequest): Answer | Promise<Answer> {
  const { operation } = request;
  const eviction: KubeObject = { ...(bodyOf(request) as KubeObject), kind: 'Eviction', apiVersion: 'policy/v1' };
  const attributes = operation.attributes('CREATE', eviction, undefined, {
    kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  });
  return after(mutate(attributes), () => {
    const { name } = eviction.metadata ?? {};
    if (name && name !== operation.info.name) throw badRequest('name in URL does not match name in Eviction object');
    return after(validate(attributes), () => {
      const item = requireItem(operation);
      if (!mayGoAnyway(item.object)) claimDisruption(operation, item.object);
      removeNow(operation, tellDisruption(operation, item), (eviction.deleteOptions as DeleteOptions | null) ?? {});
      return {
        code: 201,
        body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }),
      };
    });
  });
}

/** Pods tell that they were evicted; no dry run does. */
function tellDisruption({ server, resource, dryRun }: Operation, item: Item): Item {
  if (dryRun) return item;
  const { object } = item;
  const status = (object.status ?? {}) as coreV1.PodStatus;
  const type = 'DisruptionTarget';
  const before = status.conditions?.find((condition) => condition.type === type);
  const time = timestamp(server.clock);
  const condition = {
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: before?.status === 'True' ? before.lastTransitionTime : time,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const conditions = before
    ? status.conditions?.map((item) => (item.type === type ? condition : item))
    : [...(status.conditions ?? []), condition];
  return server.store.put(server.store.collection(resource.collection), item.key, {
    ...object,
    status: { ...status, conditions },
  });
}

function mayGoAnyway(pod: KubeObject): boolean {
  const phase = (pod.status as coreV1.PodStatus | undefined)?.phase;
  return (
    phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined
  );
}

function claimDisruption(operation: Operation, pod: KubeObject): void {
  const budgets = operation.server.store.collection('policy/poddisruptionbudgets');
  const fitting = budgets
    .keys()
    .map((key) => budgets.objectOf(key) as Budget)
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace && selectorMatches(spec.selector, pod.metadata.labels ?? {}),
    );
  if (fitting.length > 1)
    throw new StatusError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const [budget] = fitting;
  if (!budget || (!isReady(pod) && mayGoUnready(budget))) return;
  const { status = {} } = budget;
  const name = budget.metadata.name ?? '';
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0))
    throw tooMany(
      `Cannot evict pod as it would violate the pod's disruption budget.`,
      `The disruption budget ${name} is still being processed by the server.`,
    );
  if (!status.disruptionsAllowed)
    throw tooMany(
      "Cannot evict pod as it would violate the pod's disruption budget.",
      `The disruption budget ${name} needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`,
    );
  if (operation.dryRun) return;
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name as string]: timestamp(operation.server.clock) };
  operation.server.store.put(budgets, `${budget.metadata.namespace}/${name}`, {
    ...budget,
    status: { ...status, disruptedPods, disruptionsAllowed: status.disruptionsAllowed - 1 },
  });
}

function isReady(pod: KubeObject): boolean {
  const { conditions = [] } = (pod.status ?? {}) as coreV1.PodStatus;
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** A pod that is not ready takes nothing from a budget that is kept without it. */
function mayGoUnready({ spec, status }: Budget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (desiredHealthy > 0 && currentHealthy >= desiredHealthy);
}

function tooMany(message: string, cause: string): StatusError {
  return new StatusError(429, 'TooManyRequests', message, { causes: [{ reason: 'DisruptionBudget', message: cause }] });
}
