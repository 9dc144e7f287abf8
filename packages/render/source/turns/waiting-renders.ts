/** Renders that wait, of each project in the order in which they came; those that were slow before stand apart. */
export class WaitingRenders<T extends { readonly caller: { readonly project: string }; readonly isSlow: boolean }> {
  readonly #quick = new Map<string, Set<T>>();
  readonly #slow = new Map<string, Set<T>>();

  get size(): number {
    return [...this.#quick.values(), ...this.#slow.values()].reduce((sum, { size }) => sum + size, 0);
  }

  get projects(): ReadonlySet<string> {
    return new Set([...this.#quick.keys(), ...this.#slow.keys()]);
  }

  of(project: string): number {
    return (this.#quick.get(project)?.size ?? 0) + (this.#slow.get(project)?.size ?? 0);
  }

  add(waiting: T): void {
    const queues = this.#queuesOf(waiting);
    const { project } = waiting.caller;
    const queue = queues.get(project) ?? new Set();
    queues.set(project, queue.add(waiting));
  }

  /** False if it does not wait. */
  delete(waiting: T): boolean {
    const queues = this.#queuesOf(waiting);
    const { project } = waiting.caller;
    const queue = queues.get(project);
    const found = queue?.delete(waiting) ?? false;
    if (queue?.size === 0) queues.delete(project);
    return found;
  }

  /** The first of each project, in the order of the projects; those that were slow before after all others. */
  *heads(order: (a: string, b: string) => number): Generator<T> {
    for (const queues of [this.#quick, this.#slow])
      for (const project of [...queues.keys()].sort(order)) {
        const [first] = queues.get(project) ?? [];
        if (first) yield first;
      }
  }

  #queuesOf({ isSlow }: T): Map<string, Set<T>> {
    return isSlow ? this.#slow : this.#quick;
  }
}
