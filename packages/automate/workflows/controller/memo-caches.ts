import { workflowNames } from '@tiphys/api';
import { goDuration } from '@tiphys/go';
import { type Client, type Clock, type KubeObject, pause } from '@tiphys/kubernetes';
import { timeOf } from '../model/time.ts';

export interface MemoCacheOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** All namespaces if absent. */
  readonly managedNamespace?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly holds: () => boolean;
  readonly onError: (key: string, error: unknown) => void;
}

type Cache = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/**
 * Forgets what nobody asked of the caches of memoized templates for `CACHE_GC_AFTER_NOT_HIT_DURATION` (30s), each `CACHE_GC_PERIOD`; without
 * that everything is kept. A cache with nothing in it is deleted.
 */
export async function forgetMemos(options: MemoCacheOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, env, holds, onError, managedNamespace } = options;
  const period = durationOf(env.CACHE_GC_PERIOD) ?? 0;
  const unused = durationOf(env.CACHE_GC_AFTER_NOT_HIT_DURATION) ?? 30_000;
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', ...(managedNamespace ? { namespace: managedNamespace } : {}) };
  const labelSelector = `${workflowNames.labels.configMapType}=Cache`;
  while (period > 0 && !signal.aborted) {
    await pause(clock, period, signal);
    if (signal.aborted || !holds()) continue;
    try {
      for (let from: string | undefined, more = true; more; more = Boolean(from)) {
        const next = from ? { continue: from } : {};
        const { items, metadata } = await client.list<Cache>(ref, { labelSelector, limit: 50, signal, ...next });
        for (const cache of items) await forget(client, cache, clock.now() - unused);
        from = metadata.continue;
      }
    } catch (error) {
      if (!signal.aborted) onError('caches of memoized templates', error);
    }
  }
}

async function forget(client: Client, { metadata, data = {} }: Cache, before: number): Promise<void> {
  const { name = '', namespace = '', resourceVersion = '' } = metadata;
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name };
  const old = Object.entries(data).filter(([, text]) => hitAt(text) < before);
  // what is written meanwhile stays: both fail then, and the next round sees it
  if (old.length === Object.keys(data).length) await client.delete(ref, { preconditions: { resourceVersion } });
  else if (old.length > 0)
    await client.patch(ref, 'merge', {
      metadata: { resourceVersion },
      data: Object.fromEntries(old.map(([key]) => [key, null])),
    });
}

/** Never, for what is no entry of a cache: somebody must look at it. */
function hitAt(text: string): number {
  try {
    const { lastHitTimestamp } = JSON.parse(text) as { lastHitTimestamp?: unknown };
    return typeof lastHitTimestamp === 'string'
      ? (timeOf(lastHitTimestamp) ?? Number.POSITIVE_INFINITY)
      : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function durationOf(text: string | undefined): number | undefined {
  return text ? goDuration(text) : undefined;
}
