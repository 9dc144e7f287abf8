import type { JobView } from './job-view.ts';
import { backoffLeft, finishedAt } from './pod-failures.ts';

interface Record {
  uid: string;
  failures: number;
  last?: number;
}

/** How often the pods of each job failed in a row since one succeeded; in memory alone, as the real controller has it. */
export class JobBackoffs {
  readonly #records = new Map<string, Record>();

  forget(key: string): void {
    this.#records.delete(key);
  }

  /** Milliseconds for which the job gets no new pod. */
  left(key: string, view: JobView, now: number): number {
    const { failures, last } = this.#after(key, view);
    return backoffLeft(failures, last, now);
  }

  /** Takes the pods that have just been counted in. */
  remember(key: string, view: JobView): void {
    if (view.newFailed.length + view.newSucceeded.length > 0) this.#records.set(key, this.#after(key, view));
  }

  #after(key: string, { job, newSucceeded, newFailed }: JobView): Record {
    const uid = job.metadata.uid ?? '';
    const known = this.#records.get(key);
    const before = known?.uid === uid ? known : { uid, failures: 0 };
    const failures = newFailed.map(finishedAt);
    if (newSucceeded.length === 0)
      return failures.length === 0
        ? before
        : { uid, failures: before.failures + failures.length, last: Math.max(...failures) };
    const success = Math.max(...newSucceeded.map(finishedAt));
    const later = failures.filter((at) => at > success);
    return { uid, failures: later.length, ...(later.length > 0 ? { last: Math.max(...later) } : {}) };
  }
}
