import type { Store, StoreEvent } from '@tiphys/store';

/** Calls back for every change of a collection from now on, after the write that made it has been answered. */
export function follow(store: Store, name: string, react: (event: StoreEvent) => void): void {
  const collection = store.collection(name);
  let seen = store.revision;
  const next = () => {
    queueMicrotask(() => {
      for (const event of collection.since(seen) ?? []) {
        seen = event.revision;
        react(event);
      }
      collection.onNextChange(next);
    });
  };
  collection.onNextChange(next);
}
