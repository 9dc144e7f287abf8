import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Informer, type ResourceRef } from '@tiphys/kubernetes';
import type { Output } from '../../terminal/output.ts';

const leastBetween = 200;

export interface FollowOptions {
  readonly client: Client;
  readonly refs: readonly ResourceRef[];
  readonly signal: AbortSignal;
  /** Is told why the cluster does not answer, once for each cause; it is tried again. */
  readonly output: Output;
  /** Called with all that is there at first, and as it changes, at most five times a second; true ends it. */
  readonly show: (views: readonly Informer[]) => boolean;
}

/** Shows objects as they change until `show` has seen enough, or the signal aborts. */
export async function follow({ client, refs, signal, output, show }: FollowOptions): Promise<void> {
  const end = new AbortController();
  const stop = AbortSignal.any([signal, end.signal]);
  const told = new Set<string>();
  const onError = ({ message }: { message: string }) => {
    if (!told.has(message)) output.error(message);
    told.add(message);
  };
  const views = refs.map((ref) => new Informer(client, { ref, onError }));
  let changed = Promise.withResolvers<void>();
  stop.addEventListener('abort', () => changed.resolve(), { once: true });
  for (const view of views) view.subscribe(() => changed.resolve());
  try {
    for (const view of views) view.start(stop);
    await Promise.all(views.map(({ synced }) => synced));
    while (!stop.aborted && !show(views)) {
      await changed.promise;
      changed = Promise.withResolvers<void>();
      await sleep(leastBetween, undefined, { signal: stop });
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    end.abort();
  }
}
