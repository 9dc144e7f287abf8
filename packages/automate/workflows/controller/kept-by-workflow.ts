import { workflowNames } from '@tiphys/api';
import type { Informer, KubeObject } from '@tiphys/kubernetes';

/** Objects of workflows, by the workflow that their label names. What this process has made itself is there before the watch brings it. */
export class KeptByWorkflow<T extends KubeObject> {
  readonly #objects = new Map<string, Map<string, T>>();

  constructor(informer: Informer<T>, changed: (workflow: string) => void) {
    informer.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#remove(object);
      else this.note(object);
      const key = workflowKeyOf(object);
      if (key) changed(key);
    });
  }

  of(workflow: string): T[] {
    return [...(this.#objects.get(workflow)?.values() ?? [])];
  }

  note(object: T): void {
    const key = workflowKeyOf(object);
    if (!key) return;
    const name = object.metadata.name ?? '';
    const objects = this.#objects.get(key) ?? new Map<string, T>();
    this.#objects.set(key, objects);
    const known = objects.get(name);
    const isOlder =
      known?.metadata.uid === object.metadata.uid &&
      BigInt(known?.metadata.resourceVersion ?? '0') > BigInt(object.metadata.resourceVersion ?? '0');
    if (!isOlder) objects.set(name, object);
  }

  #remove(object: T): void {
    const key = workflowKeyOf(object);
    const objects = key ? this.#objects.get(key) : undefined;
    const name = object.metadata.name ?? '';
    // another object of that name may have been made since
    if (!key || objects?.get(name)?.metadata.uid !== object.metadata.uid) return;
    objects?.delete(name);
    if (objects?.size === 0) this.#objects.delete(key);
  }
}

/** `NAMESPACE/NAME` of the workflow that an object belongs to. */
export function workflowKeyOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.labels?.[workflowNames.labels.workflow];
  return name ? `${metadata.namespace ?? ''}/${name}` : undefined;
}
