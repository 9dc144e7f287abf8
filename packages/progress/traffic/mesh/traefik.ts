import type { KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { needObject, specOf, warned, withSpec, writeChange } from '../model/objects.ts';
import { canaryOf, routingOf } from '../model/services.ts';
import type { RoutedRollout, RoutingContext, TrafficRouter } from '../model/types.ts';

interface WeightedSpec {
  weighted?: { services?: { name?: string; weight?: number; [key: string]: unknown }[]; [key: string]: unknown };
}

/** A TraefikService whose weighted Services have the weights. Throws if it does not list both. */
export function withTraefikWeights(service: KubeObject, rollout: RoutedRollout, weight: number): KubeObject {
  const { weighted } = specOf<WeightedSpec>(service);
  if (!weighted?.services) throw invalidRouting('spec.weighted.services was not found in traefik service manifest');
  const { canaryService = '', stableService = '' } = canaryOf(rollout);
  for (const [what, name] of Object.entries({ canary: canaryService, stable: stableService })) {
    if (!weighted.services.some((entry) => entry.name === name))
      throw invalidRouting(`traefik ${what} service was not found`);
  }
  const weights = new Map([
    [stableService, 100 - weight],
    [canaryService, weight],
  ]);
  const services = weighted.services.map((entry) => {
    const wanted = weights.get(entry.name ?? '');
    return wanted === undefined ? entry : { ...entry, weight: wanted };
  });
  return withSpec(service, { weighted: { ...weighted, services } });
}

/** Sets the weights of a weighted TraefikService. */
export function traefikRouter(context: RoutingContext): TrafficRouter {
  const { rollout, settings } = context;
  return {
    type: 'Traefik',
    updateHash: async () => {},
    setWeight: async (weight) => {
      const name = routingOf(rollout).traefik?.weightedTraefikServiceName ?? '';
      const before = await needObject(context, {
        apiVersion: settings.traefikApiVersion,
        kind: 'TraefikService',
        namespace: rollout.metadata.namespace ?? '',
        name,
      });
      const after = withTraefikWeights(before, rollout, weight);
      const failing = { reason: 'TraefikServiceUpdateError', what: `Error updating traefik service "${name}"` };
      await warned(context, failing, () => writeChange(context, before, after));
    },
    setHeaderRoute: async () => {},
    setMirrorRoute: async () => {},
    verifyWeight: async () => undefined,
    removeManagedRoutes: async () => {},
  };
}
