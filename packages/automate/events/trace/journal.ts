import type { Clock } from '@tiphys/kubernetes';

/** What can happen to an event. */
export type StepKind =
  | 'received'
  | 'published'
  | 'dropped'
  | 'delivered'
  | 'refused'
  | 'waiting'
  | 'reset'
  | 'rate-limited'
  | 'retried'
  | 'triggered'
  | 'failed'
  | 'dead-letter';

export interface JournalStep {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: StepKind;
  readonly sensor?: string;
  readonly dependency?: string;
  readonly trigger?: string;
  /** Why, or what was done, as a sentence without its end. */
  readonly text: string;
}

/** The way of one event. */
export interface JournalEntry {
  readonly id: string;
  readonly namespace: string;
  readonly eventSource: string;
  readonly event: string;
  readonly type: string;
  readonly steps: readonly JournalStep[];
}

const mostEvents = 1000;
const mostSteps = 60;
const longestText = 500;

/** The ways of the last events, bounded: the oldest event goes first, and a way is cut after its first steps. */
export class Journal {
  readonly #clock: Clock;
  readonly #entries = new Map<string, JournalEntry & { readonly steps: JournalStep[] }>();
  readonly #listeners = new Set<(entry: JournalEntry, step: JournalStep) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(event: Omit<JournalEntry, 'steps'>, step: Omit<JournalStep, 'at'>): void {
    const key = `${event.namespace}/${event.id}`;
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = { ...event, steps: [] };
      this.#entries.set(key, entry);
      const [oldest] = this.#entries.keys();
      if (this.#entries.size > mostEvents && oldest !== undefined) this.#entries.delete(oldest);
    }
    const made = { at: this.#clock.now(), ...step, text: step.text.slice(0, longestText) };
    if (entry.steps.length < mostSteps) entry.steps.push(made);
    for (const listener of this.#listeners) listener(entry, made);
  }

  /** The ways of the last events, the newest first. */
  list({ namespace, eventSource, sensor, most = 100 }: JournalQuery = {}): JournalEntry[] {
    return [...this.#entries.values()]
      .filter((entry) => !namespace || entry.namespace === namespace)
      .filter((entry) => !eventSource || entry.eventSource === eventSource)
      .filter((entry) => !sensor || entry.steps.some((step) => step.sensor === sensor))
      .reverse()
      .slice(0, most);
  }

  /** The way of an event by its id, or the beginning of it. */
  find(namespace: string, id: string): JournalEntry | undefined {
    const exact = this.#entries.get(`${namespace}/${id}`);
    return exact ?? this.list({ namespace, most: mostEvents }).find((entry) => entry.id.startsWith(id));
  }

  /** Calls back for each step. Returns the way to stop it. */
  subscribe(listener: (entry: JournalEntry, step: JournalStep) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export interface JournalQuery {
  readonly namespace?: string | undefined;
  readonly eventSource?: string | undefined;
  readonly sensor?: string | undefined;
  readonly most?: number;
}
