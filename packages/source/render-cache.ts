import type { Diagnosis } from '@tiphys/diagnosis';
import type { DesiredObject } from '@tiphys/engine';

/** One thing that a chart looked up in the cluster. */
export interface AskedLookup {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** For maps. */
export function lookupKey({ apiVersion, kind, namespace, name }: AskedLookup): string {
  return JSON.stringify([apiVersion, kind, namespace, name]);
}

/** What one rendering gave: the objects, or the diagnosis that the content deserves; and what it looked up on the way. */
export type Outcome = { readonly lookups?: readonly AskedLookup[] } & (
  | { readonly kind: 'objects'; readonly objects: readonly DesiredObject[]; readonly warnings: readonly Diagnosis[] }
  | { readonly kind: 'failed'; readonly diagnosis: Diagnosis; readonly since: number }
);

/** Outcomes by the digest of all that they depend on, least recently used dropped. Failures are kept like successes. */
export class RenderCache {
  readonly #outcomes = new Map<string, { readonly outcome: Outcome; readonly bytes: number }>();
  readonly #running = new Map<string, Promise<Outcome>>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The known outcome, or that of `render`, which runs once however many ask for it. */
  async get(key: string, fresh: boolean, render: () => Promise<{ outcome: Outcome; bytes: number }>): Promise<Outcome> {
    const known = this.#outcomes.get(key);
    if (known && !fresh) {
      this.#outcomes.delete(key);
      this.#outcomes.set(key, known);
      return known.outcome;
    }
    const running = this.#running.get(key);
    if (running) return running;
    const started = render().then(({ outcome, bytes }) => {
      this.#add(key, outcome, bytes);
      return outcome;
    });
    this.#running.set(key, started);
    try {
      return await started;
    } finally {
      this.#running.delete(key);
    }
  }

  #add(key: string, outcome: Outcome, bytes: number): void {
    this.#bytes += bytes - (this.#outcomes.get(key)?.bytes ?? 0);
    this.#outcomes.delete(key);
    this.#outcomes.set(key, { outcome, bytes });
    for (const [oldest, { bytes: size }] of this.#outcomes) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break;
      this.#outcomes.delete(oldest);
      this.#bytes -= size;
    }
  }
}
