import { workflowNames } from '@tiphys/api';
import type { Informer, KubeObject } from '@tiphys/kubernetes';

export interface KeptOptions<T extends KubeObject> {
  /** Told of the workflow whose objects have news. */
  readonly changed: (workflow: string) => void;
  /** What is kept of an object that this process has made; the informer keeps the same of what it brings. */
  readonly kept?: (object: T) => T;
  /** Whether two states of an object are the same to whoever reads them. */
  readonly isSame?: (a: T, b: T) => boolean;
  /** Whether it matters to a workflow that an object is gone; it does if absent. */
  readonly isMissed?: (object: T) => boolean;
}

/** Objects of workflows, by the workflow that their label names. What this process has made itself is there before the watch brings it. */
export class KeptByWorkflow<T extends KubeObject> {
  readonly #objects = new Map<string, Map<string, T>>();
  readonly #options: KeptOptions<T>;

  constructor(informer: Informer<T>, options: KeptOptions<T>) {
    this.#options = options;
    const { changed, isMissed } = options;
    informer.subscribe(({ type, object }) => {
      const key = workflowKeyOf(object);
      if (!key) return;
      const isNews = type === 'deleted' ? this.#remove(key, object) && (isMissed?.(object) ?? true) : this.#put(object);
      if (isNews) changed(key);
    });
  }

  of(workflow: string): T[] {
    return [...(this.#objects.get(workflow)?.values() ?? [])];
  }

  note(object: T): void {
    this.#put(this.#options.kept ? this.#options.kept(object) : object);
  }

  /** Like `note`, of an object that was there before: what it has become the watch may have brought already, so that its workflow is looked at again. */
  adopt(object: T): void {
    this.note(object);
    const key = workflowKeyOf(object);
    if (key) this.#options.changed(key);
  }

  /** Forgets the objects of a workflow; the watch brings those that change later. */
  drop(workflow: string): void {
    this.#objects.delete(workflow);
  }

  /** True if it is news. */
  #put(object: T): boolean {
    const key = workflowKeyOf(object);
    if (!key) return false;
    const name = object.metadata.name ?? '';
    const objects = this.#objects.get(key) ?? new Map<string, T>();
    this.#objects.set(key, objects);
    const known = objects.get(name);
    const isOther = known?.metadata.uid !== object.metadata.uid;
    if (!isOther && BigInt(known?.metadata.resourceVersion ?? '0') >= BigInt(object.metadata.resourceVersion ?? '0'))
      return false;
    objects.set(name, object);
    return isOther || known === undefined || !(this.#options.isSame?.(known, object) ?? false);
  }

  /** True if it was there. */
  #remove(key: string, object: T): boolean {
    const objects = this.#objects.get(key);
    const name = object.metadata.name ?? '';
    // another object of that name may have been made since
    if (objects?.get(name)?.metadata.uid !== object.metadata.uid) return false;
    objects?.delete(name);
    if (objects?.size === 0) this.#objects.delete(key);
    return true;
  }
}

/** `NAMESPACE/NAME` of the workflow that an object belongs to. */
export function workflowKeyOf({ metadata }: KubeObject): string | undefined {
  const name = metadata.labels?.[workflowNames.labels.workflow];
  return name ? `${metadata.namespace ?? ''}/${name}` : undefined;
}
