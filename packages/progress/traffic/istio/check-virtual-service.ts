import type { KubeObject } from '@tiphys/kubernetes';
import { routingOf, stableAndCanary } from '../model/services.ts';
import type { RoutedRollout } from '../model/types.ts';
import { virtualServiceKey } from './virtual-service.ts';
import { routeProblems } from './weights.ts';

/** What of a VirtualService does not fit a Rollout with Istio: the name by which it is referred to, and upstream's sentence. */
export function virtualServiceProblems(
  rollout: RoutedRollout,
  virtualService: KubeObject,
): { readonly name: string; readonly message: string }[] {
  const { istio = {}, managedRoutes = [] } = routingOf(rollout);
  const refs = istio.virtualServices?.length ? istio.virtualServices : [istio.virtualService];
  return refs.flatMap((ref) => {
    if (!ref) return [];
    const { name } = virtualServiceKey(ref.name, '');
    if (name !== virtualService.metadata.name) return [];
    return routeProblems(virtualService, {
      ref,
      services: stableAndCanary(rollout, { preferPingPong: false }),
      destinationRule: istio.destinationRule,
      managedRoutes: managedRoutes.map((route) => route.name),
      weight: 0,
      additional: [],
    }).map((message) => ({ name, message }));
  });
}
