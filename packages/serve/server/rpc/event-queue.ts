/** Events for a slow reader: those with the same key that it has not taken yet are replaced by the latest. */
export interface MergeQueue<T> extends AsyncIterable<T> {
  push(event: T): void;
}

/** A queue that ends when the signal aborts. Bounded by the number of keys. */
export function mergeQueue<T extends { type?: string }>(
  keyOf: (event: T) => string,
  signal: AbortSignal,
): MergeQueue<T> {
  const pending = new Map<string, T>();
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  signal.addEventListener('abort', notify, { once: true });
  return {
    push(event) {
      const key = keyOf(event);
      const earlier = pending.get(key);
      pending.delete(key);
      // a reader that has not seen the ADDED yet must still see one
      pending.set(key, earlier?.type === 'ADDED' && event.type === 'MODIFIED' ? { ...event, type: 'ADDED' } : event);
      notify();
    },
    async *[Symbol.asyncIterator]() {
      while (!signal.aborted) {
        const [first] = pending;
        if (first) {
          pending.delete(first[0]);
          yield first[1];
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
