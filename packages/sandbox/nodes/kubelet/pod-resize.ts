import type { Condition, Container, Pod } from '@tiphys/kube-controllers';
import { parseQuantity, quantityValue, timestamp } from '@tiphys/kubernetes';

type Resources = NonNullable<Container['resources']>;

/** Why a resize cannot be had: never on this node, or not now. */
export interface ResizeRefusal {
  readonly reason: 'Infeasible' | 'Deferred';
  readonly message: string;
}

const resizable = ['cpu', 'memory'] as const;

/** What a pod's containers have of their node, and what they are about to get. */
export class PodResize {
  /** What the node keeps for each container. */
  readonly #allocated = new Map<string, Resources>();
  /** What each container runs with. */
  readonly #actual = new Map<string, Resources>();
  #pending: Condition | undefined;
  #progress: Condition | undefined;

  constructor(pod: Pod) {
    const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
    for (const { name, resources = {} } of containersOf(pod)) {
      const known = statuses.find((status) => status.name === name)?.resources;
      this.#allocated.set(name, known ?? resources);
      this.#actual.set(name, known ?? resources);
    }
  }

  get conditions(): Condition[] {
    return [this.#pending, this.#progress].filter((condition) => condition !== undefined);
  }

  /** It waits for room on the node. */
  get isDeferred(): boolean {
    return this.#pending?.reason === 'Deferred';
  }

  allocated(container: string): Resources {
    return this.#allocated.get(container) ?? {};
  }

  actual(container: string): Resources {
    return this.#actual.get(container) ?? {};
  }

  /** Allocates what the pod asks for now unless `judge` refuses; answers whether something is to be done. */
  review(pod: Pod, now: number, judge: () => ResizeRefusal | undefined): boolean {
    const wanted = containersOf(pod).filter(
      ({ name, resources = {} }) => changes(this.allocated(name), resources).length,
    );
    if (wanted.length === 0) {
      this.#pending = undefined;
      return this.#progress !== undefined;
    }
    const refusal = judge();
    if (refusal) {
      this.#pending = condition('PodResizePending', pod, now, refusal);
      return false;
    }
    this.#pending = undefined;
    this.#progress = condition('PodResizeInProgress', pod, now);
    for (const { name, resources = {} } of wanted) this.#allocated.set(name, resources);
    return true;
  }

  /** Gives the containers what is allocated; answers which of them must be restarted for that, and with what to tell of it. */
  actuate(pod: Pod): { restarts: string[]; completed: string } | undefined {
    if (!this.#progress) return undefined;
    this.#progress = undefined;
    const restarts: string[] = [];
    for (const { name, resizePolicy = [] } of containersOf(pod)) {
      const changed = changes(this.actual(name), this.allocated(name));
      if (changed.some((resource) => isRestarted(resizePolicy, resource))) restarts.push(name);
      this.#actual.set(name, this.allocated(name));
    }
    const containers = pod.spec.containers.map(({ name }) => ({ name, resources: ordered(this.allocated(name)) }));
    return { restarts, completed: `Pod resize completed: ${JSON.stringify({ containers })}` };
  }
}

function containersOf({ spec }: Pod): Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

function isRestarted(policies: NonNullable<Container['resizePolicy']>, resource: string): boolean {
  return policies.some((policy) => policy.resourceName === resource && policy.restartPolicy === 'RestartContainer');
}

/** The resizable resources that differ. */
function changes(one: Resources, other: Resources): string[] {
  return resizable.filter((name) =>
    (['requests', 'limits'] as const).some((list) => {
      const [left, right] = [one[list]?.[name] ?? '', other[list]?.[name] ?? ''];
      return left !== right && parseQuantity(left)?.nano !== parseQuantity(right)?.nano;
    }),
  );
}

function ordered({ limits, requests }: Resources): Resources {
  return { ...(limits ? { limits } : {}), ...(requests ? { requests } : {}) };
}

function condition(type: string, pod: Pod, now: number, why?: ResizeRefusal): Condition {
  const known = pod.status?.conditions?.find((item) => item.type === type && item.reason === why?.reason);
  const time = timestamp(now);
  return {
    type,
    ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
    status: 'True',
    lastProbeTime: known?.lastProbeTime ?? time,
    lastTransitionTime: known?.lastTransitionTime ?? time,
    ...why,
  };
}

/** Amounts as the kubelet's refusals tell them: thousandths of processors, else units. */
export function amount(resource: string, units: number): number {
  return resource === 'cpu' ? Math.ceil(units * 1000) : Math.ceil(units);
}

/** Why the node could never hold what the pod asks for, whatever else runs there. */
export function infeasible(
  requests: ReadonlyMap<string, number>,
  allocatable: Record<string, string>,
): ResizeRefusal | undefined {
  for (const resource of ['memory', 'cpu']) {
    const capacity = quantityValue(allocatable[resource] ?? '0');
    const requested = requests.get(resource) ?? 0;
    if (requested <= capacity) continue;
    const numbers = `requested: ${amount(resource, requested)}, capacity: ${amount(resource, capacity)}`;
    return { reason: 'Infeasible', message: `Node didn't have enough capacity: ${resource}, ${numbers}` };
  }
  return undefined;
}
