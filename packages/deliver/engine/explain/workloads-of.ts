import { isObject, objectAt, valueAt } from '../model/fields.ts';
import type { ComparedResource } from '../model/model.ts';

const templates = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Rollout'];

/** The workloads of the application in a namespace that make pods for as long as they are there. */
export function workloadsIn(resources: readonly ComparedResource[], namespace: string): ComparedResource[] {
  return resources.filter(({ key }) => key.namespace === namespace && templates.includes(key.kind));
}

/** The labels of the pods that a workload makes. */
export function podLabels({ desired }: ComparedResource): Readonly<Record<string, unknown>> {
  return objectAt(desired, 'spec', 'template', 'metadata', 'labels');
}

/** Whether labels meet a selector by equality; one without labels meets none. */
export function meets(labels: Readonly<Record<string, unknown>>, selector: unknown): boolean {
  if (!isObject(selector)) return false;
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** The containers of the pods that a workload makes, sidecars among them. */
export function containersOf({ desired }: ComparedResource): Record<string, unknown>[] {
  return ['containers', 'initContainers'].flatMap((list) => {
    const found = valueAt(desired, 'spec', 'template', 'spec', list);
    return Array.isArray(found) ? found.filter(isObject) : [];
  });
}
