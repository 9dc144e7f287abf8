import type { Container, Pod } from '@tiphys/kube-controllers';
import { type coreV1, quantityValue } from '@tiphys/kubernetes';

/**
 * What a pod asks its node for, in units: its containers and sidecars together, or its hungriest init container beside
 * the sidecars that run by then, and the overhead.
 */
export function podRequests({ spec, status }: Pod): Map<string, number> {
  const total = new Map<string, number>();
  const resize = status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason;
  for (const container of spec.containers) {
    const allocated = status?.containerStatuses?.find(({ name }) => name === container.name)?.allocatedResources;
    const own = new Map<string, number>();
    if (resize !== 'Infeasible' || !allocated) add(own, container);
    // what cannot be given is not kept free, and what is about to be given back is still taken
    for (const [name, text] of Object.entries(allocated ?? {}))
      own.set(name, Math.max(own.get(name) ?? 0, quantityValue(text)));
    for (const [name, value] of own) total.set(name, (total.get(name) ?? 0) + value);
  }
  const sidecars = new Map<string, number>();
  const init = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      add(sidecars, container);
      add(total, container);
      raise(init, sidecars);
    } else {
      const beside = new Map(sidecars);
      add(beside, container);
      raise(init, beside);
    }
  }
  raise(total, init);
  const { requests = {} } = (spec.resources ?? {}) as coreV1.ResourceRequirements;
  for (const [name, text] of Object.entries(requests)) total.set(name, quantityValue(text));
  for (const [name, text] of Object.entries(spec.overhead ?? {}))
    total.set(name, (total.get(name) ?? 0) + quantityValue(text));
  return total;
}

function add(sum: Map<string, number>, { resources }: Container): void {
  for (const [name, text] of Object.entries(resources?.requests ?? {}))
    sum.set(name, (sum.get(name) ?? 0) + quantityValue(text));
}

function raise(sum: Map<string, number>, least: ReadonlyMap<string, number>): void {
  for (const [name, value] of least) sum.set(name, Math.max(sum.get(name) ?? 0, value));
}
