import { type Clock, pause } from '@tiphys/kubernetes';
import { type FlowCount, FlowCounts } from './flow.ts';

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

/** Where ways outlive the process. */
export interface WayKeeper {
  /** What was kept, the oldest first. */
  ways(): readonly JournalEntry[];
  /** Keeps a way as it is now; nobody waits for it. */
  keepWay(key: string, entry: JournalEntry): void;
  forgetWay(key: string): void;
}

/** Milliseconds in which steps are gathered before ways are kept. */
const gathering = 500;

/**
 * The ways of the last events, bounded: the oldest event goes first, and a way is cut after its first steps. With a keeper they
 * are there again after a restart; a kill loses the steps of the last half second.
 */
export class Journal {
  readonly #clock: Clock;
  readonly #keeper: WayKeeper | undefined;
  readonly #entries = new Map<string, JournalEntry & { readonly steps: JournalStep[] }>();
  readonly #flow = new FlowCounts();
  readonly #listeners = new Set<(count: FlowCount) => void>();
  readonly #changed = new Set<string>();
  readonly #stop = new AbortController();
  #gathers = false;

  constructor(clock: Clock, keeper?: WayKeeper) {
    this.#clock = clock;
    this.#keeper = keeper;
    for (const entry of keeper?.ways() ?? []) this.#entries.set(keyOf(entry), { ...entry, steps: [...entry.steps] });
  }

  add(event: Omit<JournalEntry, 'steps'>, step: Omit<JournalStep, 'at'>): void {
    const key = keyOf(event);
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = { ...event, steps: [] };
      this.#entries.set(key, entry);
      const [oldest] = this.#entries.keys();
      if (this.#entries.size > mostEvents && oldest !== undefined) this.#drop(oldest);
    }
    const made = { at: this.#clock.now(), ...step, text: step.text.slice(0, longestText) };
    if (entry.steps.length < mostSteps) {
      entry.steps.push(made);
      this.#keepSoon(key);
    }
    const count = this.#flow.add(event, made);
    for (const listener of this.#listeners) listener(count);
  }

  /** Keeps what is not kept yet. */
  close(): void {
    this.#stop.abort();
    this.#keep();
  }

  #drop(key: string): void {
    this.#entries.delete(key);
    this.#keepSoon(key);
  }

  #keepSoon(key: string): void {
    if (!this.#keeper) return;
    this.#changed.add(key);
    if (this.#gathers) return;
    this.#gathers = true;
    void pause(this.#clock, gathering, this.#stop.signal).then(() => this.#keep());
  }

  #keep(): void {
    this.#gathers = false;
    for (const key of this.#changed) {
      const entry = this.#entries.get(key);
      if (entry) this.#keeper?.keepWay(key, entry);
      else this.#keeper?.forgetWay(key);
    }
    this.#changed.clear();
  }

  /** What happened since the process started, counted. */
  flow(): readonly FlowCount[] {
    return this.#flow.list();
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

  /** Calls back with each count that has changed. Returns the way to stop it. */
  subscribe(listener: (count: FlowCount) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function keyOf({ namespace, id }: Pick<JournalEntry, 'namespace' | 'id'>): string {
  return `${namespace}/${id}`;
}

export interface JournalQuery {
  readonly namespace?: string | undefined;
  readonly eventSource?: string | undefined;
  readonly sensor?: string | undefined;
  readonly most?: number;
}
