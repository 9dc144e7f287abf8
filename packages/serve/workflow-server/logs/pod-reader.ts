import { type Clock, type KubeObject, type ObjectMeta, pause } from '@tiphys/kubernetes';
import type { LogQueue } from './log-queue.ts';
import { type Line, type LogOptions, podLines, type Reading } from './pod-lines.ts';

export type Pod = KubeObject & { status?: { phase?: string; startTime?: string } };

interface ReaderOptions<Entry> {
  readonly call: Reading;
  readonly namespace: string;
  readonly options: LogOptions;
  readonly isWanted: (line: string) => boolean;
  /** What is told of a line; undefined if nothing. */
  readonly entryOf: (line: Line, pod: ObjectMeta) => Entry | undefined;
  readonly queue: LogQueue<Entry>;
}

/** Reads each pod once, all of them side by side. */
export class PodReader<Entry> {
  readonly #options: ReaderOptions<Entry>;
  readonly #read = new Map<string, Promise<void>>();

  constructor(options: ReaderOptions<Entry>) {
    this.#options = options;
  }

  take({ metadata, status }: Pod): void {
    const uid = metadata.uid ?? '';
    if (status?.phase === 'Pending' || !status?.phase || this.#read.has(uid)) return;
    this.#read.set(uid, this.#lines(metadata));
  }

  async done(): Promise<void> {
    for (let count = -1; count !== this.#read.size; ) {
      count = this.#read.size;
      await Promise.all(this.#read.values());
    }
  }

  async #lines(pod: ObjectMeta): Promise<void> {
    const { call, namespace, options, isWanted, entryOf, queue } = this.#options;
    for await (const line of podLines(call, { namespace, name: pod.name ?? '' }, options)) {
      const entry = isWanted(line.text) ? entryOf(line, pod) : undefined;
      if (entry !== undefined) await queue.push({ time: line.time, entry, size: line.text.length });
    }
  }
}

interface Follow {
  readonly ref: { apiVersion: string; kind: string; namespace: string };
  readonly selectors: { labelSelector: string; fieldSelector?: string };
  readonly from: string;
  readonly clock: Clock;
}

/** Tells of every pod that begins or changes, until the signal aborts. */
export async function followPods(
  { client, signal }: Reading,
  { ref, selectors, from, clock }: Follow,
  take: (pod: Pod) => void,
): Promise<void> {
  let resourceVersion = from;
  while (!signal.aborted) {
    try {
      for await (const { type, object } of client.watch<Pod>(ref, { ...selectors, resourceVersion, signal }))
        if (type === 'ADDED' || type === 'MODIFIED') take(object);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (signal.aborted) return;
    await pause(clock, 200, signal);
    const list = await client.list<Pod>(ref, { ...selectors, signal });
    for (const pod of list.items) take(pod);
    resourceVersion = list.metadata.resourceVersion ?? '';
  }
}

/** The order in which pods started. */
export function byStart(a: Pod, b: Pod): number {
  return Date.parse(a.status?.startTime ?? '') - Date.parse(b.status?.startTime ?? '') || 0;
}
