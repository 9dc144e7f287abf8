import { isCompletedWorkflow } from '../../model/phases.ts';
import { timeOf } from '../../model/time.ts';
import type { Workflow } from '../../model/types.ts';

interface Entry {
  readonly namespace: string;
  readonly priority: number;
  readonly since: number;
}

export interface ThrottleLimits {
  readonly parallelism: number;
  namespaceLimit(namespace: string): number;
}

/**
 * Lets so many workflows run at once, in all and in each namespace: those with the highest priority first, then the oldest. Who runs
 * is known from the workflows' phases, so that it is the same after a restart.
 */
export class Throttle {
  readonly #waiting = new Map<string, Entry>();
  readonly #running = new Map<string, Entry>();
  readonly #limits: () => ThrottleLimits;
  readonly #wake: (key: string) => void;

  constructor(limits: () => ThrottleLimits, wake: (key: string) => void) {
    this.#limits = limits;
    this.#wake = wake;
  }

  /** A workflow was seen. */
  note(key: string, workflow: Workflow): void {
    const { metadata, spec, status } = workflow;
    const entry = {
      namespace: metadata.namespace ?? '',
      priority: spec?.priority ?? 0,
      since: timeOf(metadata.creationTimestamp) ?? 0,
    };
    if (isCompletedWorkflow(status?.phase)) this.remove(key);
    else if (status?.phase === 'Running' || this.#running.has(key)) {
      this.#waiting.delete(key);
      this.#running.set(key, entry);
    } else this.#waiting.set(key, entry);
  }

  remove(key: string): void {
    this.#waiting.delete(key);
    if (this.#running.delete(key)) this.#admitNext();
  }

  /** True if the workflow may run. */
  admits(key: string): boolean {
    if (this.#running.has(key)) return true;
    this.#admitNext();
    return this.#running.has(key);
  }

  /** Which limit keeps a workflow of a namespace waiting, and how many run. */
  reason(namespace: string): string {
    const { parallelism, namespaceLimit } = this.#limits();
    const here = [...this.#running.values()].filter((entry) => entry.namespace === namespace).length;
    if (parallelism > 0 && this.#running.size >= parallelism)
      return `${this.#running.size} run, parallelism of workflow-controller-configmap is ${parallelism}`;
    return `${here} run in namespace ${namespace}, whose limit is ${namespaceLimit(namespace)}`;
  }

  #admitNext(): void {
    const limits = this.#limits();
    const order = [...this.#waiting].sort(
      ([a, x], [b, y]) => y.priority - x.priority || x.since - y.since || (a < b ? -1 : 1),
    );
    const counts = new Map<string, number>();
    for (const { namespace } of this.#running.values()) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    for (const [key, entry] of order) {
      if (limits.parallelism > 0 && this.#running.size >= limits.parallelism) return;
      const limit = limits.namespaceLimit(entry.namespace);
      const count = counts.get(entry.namespace) ?? 0;
      if (limit > 0 && count >= limit) continue;
      counts.set(entry.namespace, count + 1);
      this.#waiting.delete(key);
      this.#running.set(key, entry);
      this.#wake(key);
    }
  }
}
