import type { JournalEntry, JournalStep, StepKind } from './journal.ts';

/** How often one thing happened to the events of a source on their way to one trigger, since the process started. */
export interface FlowCount {
  readonly namespace: string;
  readonly eventSource: string;
  readonly event: string;
  /** Absent for what happens at the source itself. */
  readonly sensor?: string;
  readonly dependency?: string;
  readonly trigger?: string;
  readonly kind: StepKind;
  readonly count: number;
  /** The last time, in milliseconds since the epoch, with the id of the event and the reason that was told. */
  readonly last: { readonly at: number; readonly id: string; readonly text: string };
}

const mostCounts = 20_000;

/** Counts of what happens to events; bounded, what happened longest ago goes first. */
export class FlowCounts {
  readonly #counts = new Map<string, FlowCount>();

  /** Counts a step; gives the count as it is now. */
  add({ id, namespace, eventSource, event }: Omit<JournalEntry, 'steps'>, step: JournalStep): FlowCount {
    const { sensor, dependency, trigger, kind, at, text } = step;
    const key = JSON.stringify([namespace, eventSource, event, sensor, dependency, trigger, kind]);
    const count: FlowCount = {
      namespace,
      eventSource,
      event,
      ...(sensor === undefined ? {} : { sensor }),
      ...(dependency === undefined ? {} : { dependency }),
      ...(trigger === undefined ? {} : { trigger }),
      kind,
      count: (this.#counts.get(key)?.count ?? 0) + 1,
      last: { at, id, text },
    };
    this.#counts.delete(key);
    this.#counts.set(key, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > mostCounts && oldest !== undefined) this.#counts.delete(oldest);
    return count;
  }

  list(): FlowCount[] {
    return [...this.#counts.values()];
  }
}
