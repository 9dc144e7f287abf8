import type { KubeObject } from '@tiphys/kubernetes';
import { MemoryCluster, ScriptedClock } from '../../../foundation/controller/testing/index.ts';
import type { RoutedRollout, RoutingContext, TrafficRouting } from '../model/types.ts';
import { defaultTrafficSettings } from '../routers.ts';

const namespace = 'shop';

/** A Rollout `web` with Services `stable` and `canary`, routed as told. */
export function routedRollout(trafficRouting: TrafficRouting, canary: Record<string, unknown> = {}): RoutedRollout {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'web', namespace, uid: 'rollout-uid' },
    spec: { strategy: { canary: { stableService: 'stable', canaryService: 'canary', trafficRouting, ...canary } } },
  };
}

/** An object of the Rollout's namespace. */
export function routedObject(apiVersion: string, kind: string, name: string, spec: unknown, metadata = {}): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace, ...metadata }, spec };
}

export interface RoutingBench {
  readonly cluster: MemoryCluster;
  readonly context: RoutingContext;
  /** Reasons and messages of the events, as `Reason: message`. */
  readonly events: string[];
  /** The spec of an object now. */
  spec<T>(object: KubeObject): T;
}

/** A cluster in memory with the objects, and what a router is given for one pass. */
export function routingBench(
  rollout: RoutedRollout,
  objects: readonly KubeObject[],
  extra: Partial<RoutingContext> = {},
): RoutingBench {
  const cluster = new MemoryCluster();
  for (const object of objects) cluster.put(object);
  const events: string[] = [];
  const client = Object.assign(cluster.client, {
    discovery: { find: async (apiVersion: string, kind: string) => ({ apiVersion, kind }) },
  });
  return {
    cluster,
    events,
    context: {
      client,
      clock: new ScriptedClock(),
      rollout,
      settings: defaultTrafficSettings,
      plugins: { step: absent, traffic: absent, metric: absent, close: async () => {} },
      signal: new AbortController().signal,
      event: (_type, reason, message) => events.push(`${reason}: ${message}`),
      ...extra,
    },
    spec: <T>({ apiVersion, kind, metadata }: KubeObject) =>
      cluster.object({ apiVersion, kind, namespace, name: metadata.name ?? '' })?.spec as T,
  };
}

function absent(name: string): never {
  throw new Error(`plugin ${name} is not there`);
}
