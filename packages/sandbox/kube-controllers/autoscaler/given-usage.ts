import { quantityValue } from '@tiphys/kubernetes';
import type { Container, Pod } from '../machinery/workload-model.ts';
import type { MetricSpec } from './metric-refusals.ts';
import { type Proposal, proposal } from './replica-proposal.ts';

/**
 * On a pod: what it uses, as `cpu=250m,memory=64Mi`. On a HorizontalPodAutoscaler: what each of its pods uses that does not
 * say so itself, and the values of other metrics by their names, as `cpu=250m,queue-length=30`.
 */
export const usageAnnotation = 'sandbox.tiphys.dev/usage';

/** Names and values of the annotation; empty without one. */
export function givenUsage(annotations: Record<string, string> | undefined): ReadonlyMap<string, number> {
  const items = (annotations?.[usageAnnotation] ?? '').split(',').filter(Boolean);
  return new Map(
    items.map((item) => {
      const [name = '', value = ''] = item.split('=');
      return [name.trim(), quantityValue(value.trim())];
    }),
  );
}

interface Given {
  /** All pods of the target. */
  pods: readonly Pod[];
  /** What the autoscaler's annotation says. */
  usage: ReadonlyMap<string, number>;
  /** Replicas as they are. */
  current: number;
}

/** What a metric whose values are given wants; undefined where they are not, as on a cluster that measures nothing. */
export function proposalOf(spec: MetricSpec, given: Given): Proposal | undefined {
  const { resource, containerResource, pods, object, external } = spec;
  const asked = resource ?? containerResource;
  if (asked) {
    const name = containerResource ? `${asked.name} container resource` : `${asked.name} resource`;
    const requests = (pod: Pod) => requestOf(pod, asked.name, containerResource?.container);
    return ofPods(asked.name, { given, name, target: asked.target ?? {}, requests });
  }
  if (pods)
    return ofPods(pods.metric.name, { given, name: `pods metric ${pods.metric.name}`, target: pods.target ?? {} });
  const single = object ?? external;
  const value = single && given.usage.get(single.metric.name);
  if (!single || value === undefined) return undefined;
  const name = object
    ? `${object.describedObject.kind} metric ${object.metric.name}`
    : `external metric ${single.metric.name}(nil)`;
  const ready = given.pods.filter(isReady).length;
  const target = single.target ?? {};
  if (target.averageValue !== undefined)
    return proposal({
      name,
      current: given.current,
      ratio: value / (quantityValue(target.averageValue) * given.current),
      pods: given.current,
      shown: { averageValue: String(Math.ceil(value / Math.max(1, given.current))) },
    });
  const ratio = value / quantityValue(target.value ?? '0');
  return proposal({ name, current: given.current, ratio, pods: ready, shown: { value: String(value) } });
}

interface PodMetric {
  given: Given;
  name: string;
  target: NonNullable<NonNullable<MetricSpec['resource']>['target']>;
  /** What a pod requests of the resource; absent for metrics that are no resource. */
  requests?: (pod: Pod) => number;
}

function ofPods(key: string, { given, name, target, requests }: PodMetric): Proposal | undefined {
  const used = (pod: Pod) => givenUsage(pod.metadata.annotations).get(key) ?? given.usage.get(key);
  const living = given.pods.filter((pod) => !pod.metadata.deletionTimestamp && pod.status?.phase !== 'Failed');
  const measured = living.filter((pod) => isReady(pod) && used(pod) !== undefined);
  if (measured.length === 0) return undefined;
  const sum = measured.reduce((total, pod) => total + (used(pod) ?? 0), 0);
  const average = text(sum / measured.length);
  const unready = living.length - measured.length;
  const common = { current: given.current, pods: measured.length, unready };
  if (requests && target.averageUtilization !== undefined) {
    const requested = measured.reduce((total, pod) => total + requests(pod), 0);
    if (requested === 0) return undefined;
    const utilization = Math.floor((sum * 100) / requested);
    return proposal({
      ...common,
      name: `${name} utilization (percentage of request)`,
      ratio: utilization / target.averageUtilization,
      shown: { averageUtilization: utilization, averageValue: average },
    });
  }
  const ratio = sum / measured.length / quantityValue(target.averageValue ?? target.value ?? '0');
  return proposal({ ...common, name, ratio, shown: { averageValue: average } });
}

function requestOf({ spec }: Pod, resource: string, only?: string): number {
  const request = ({ resources }: Container) => quantityValue(resources?.requests?.[resource] ?? '0');
  return spec.containers.filter(({ name }) => !only || name === only).reduce((sum, each) => sum + request(each), 0);
}

function isReady({ status, metadata }: Pod): boolean {
  if (metadata.deletionTimestamp || status?.phase !== 'Running') return false;
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** As a quantity: thousandths where it is no whole number. */
function text(value: number): string {
  return Number.isInteger(value) ? String(value) : `${Math.round(value * 1000)}m`;
}
