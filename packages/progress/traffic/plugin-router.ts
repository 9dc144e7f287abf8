import type { TrafficPlugin } from '@tiphys/step-plugins';
import type { RoutingContext, TrafficRouter } from './model/types.ts';

/** A router that hands every call, with the whole Rollout, to a plugin. */
export async function pluginRouter({ rollout, plugins }: RoutingContext, name: string): Promise<TrafficRouter> {
  const plugin: TrafficPlugin = await plugins.traffic(name);
  return {
    type: await plugin.type(),
    updateHash: (canaryHash, stableHash, additional = []) =>
      plugin.updateHash(rollout, canaryHash, stableHash, additional),
    setWeight: (weight, additional = []) => plugin.setWeight(rollout, weight, additional),
    setHeaderRoute: (route) => plugin.setHeaderRoute(rollout, route),
    setMirrorRoute: (route) => plugin.setMirrorRoute(rollout, route),
    verifyWeight: (weight, additional = []) => plugin.verifyWeight(rollout, weight, additional),
    removeManagedRoutes: () => plugin.removeManagedRoutes(rollout),
  };
}
