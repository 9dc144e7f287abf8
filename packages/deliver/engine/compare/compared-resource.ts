import { type KubeObject, keyOf, type ObjectKey, parseApiVersion } from '@tiphys/kubernetes';
import { comparePredicted } from '../difference/compare-object.ts';
import type { CompareRequest } from '../difference/comparison.ts';
import type { PreparedObject } from '../difference/desired-state.ts';
import type { LiveGenerated } from '../difference/live-generated.ts';
import { withKnownCause } from '../explain/explain-health.ts';
import { isHook, waveOf } from '../model/hooks.ts';
import type { ComparedResource, Health } from '../model/model.ts';
import type { KnownResult } from './remembered.ts';

const noDifferences: ComparedResource['differences'] = [];

/** One object that manifests ask for, compared. Without a live object it is missing; without a result it could not be compared. */
export function desiredResource(
  item: PreparedObject,
  live: KubeObject | undefined,
  cache: CompareRequest['cache'],
  known: {
    readonly result?: KnownResult | undefined;
    readonly kept?: LiveGenerated | undefined;
    readonly refused: boolean;
  },
): ComparedResource {
  const { result, kept, refused } = known;
  const differences = result?.differences ?? noDifferences;
  const equal = live !== undefined && result !== undefined && differences.length === 0;
  const assessed = live ? health(item.key, live, cache) : ({ status: 'Missing' } as const);
  const resource: ComparedResource = {
    key: item.key,
    version: item.version,
    desired: item.object,
    origin: item.origin,
    status: refused ? 'Unknown' : equal ? 'Synced' : 'OutOfSync',
    ...(assessed ? { health: assessed } : {}),
    hook: false,
    requiresPruning: false,
    wave: item.wave,
    differences,
    ...(kept && kept.noise.length > 0 ? { noise: kept.noise, keeping: kept.object } : {}),
  };
  if (!live) return resource;
  const get = cache.later(live);
  return result ? withSides(resource, get, result) : withLive(resource, get);
}

/** A live object that no manifest asks for. */
export function extraResource(
  live: KubeObject,
  hooks: readonly PreparedObject[],
  cache: CompareRequest['cache'],
): ComparedResource {
  const key = keyOf(live);
  const hook = isHook(live);
  const source = hook
    ? hooks.find(
        ({ key: other }) => other.kind === key.kind && other.name === key.name && other.namespace === key.namespace,
      )
    : undefined;
  const assessed = health(key, live, cache);
  const resource: ComparedResource = {
    key,
    version: parseApiVersion(live.apiVersion).version,
    ...(source ? { origin: source.origin } : {}),
    status: hook ? 'Synced' : 'OutOfSync',
    ...(assessed ? { health: assessed } : {}),
    hook,
    requiresPruning: !hook,
    wave: source?.wave ?? waveOf(live),
    differences: noDifferences,
  };
  return withLive(resource, cache.later(live));
}

export function hookResource(item: PreparedObject): ComparedResource {
  return {
    key: item.key,
    version: item.version,
    desired: item.object,
    origin: item.origin,
    status: 'Synced',
    hook: true,
    requiresPruning: false,
    wave: item.wave,
    differences: noDifferences,
  };
}

function health(key: ObjectKey, live: KubeObject, cache: CompareRequest['cache']): Health | undefined {
  const own = cache.healthOf(live);
  return own && withKnownCause(own, key, cache);
}

function withLive(resource: ComparedResource, live: () => KubeObject): ComparedResource {
  return {
    ...resource,
    get live() {
      return live();
    },
  };
}

function withSides(resource: ComparedResource, live: () => KubeObject, { normalized }: KnownResult): ComparedResource {
  return {
    ...resource,
    get live() {
      return live();
    },
    get normalized() {
      if ('live' in normalized) return normalized;
      const object = live();
      return comparePredicted(object, object, normalized).normalized;
    },
  };
}
