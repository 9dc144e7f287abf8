import type { RoutedRollout, TrafficRouting } from './types.ts';

export type CanaryStrategy = NonNullable<RoutedRollout['spec']['strategy']['canary']>;

/** The canary strategy of a Rollout that is routed. */
export function canaryOf(rollout: RoutedRollout): CanaryStrategy {
  return rollout.spec.strategy.canary ?? {};
}

export function routingOf(rollout: RoutedRollout): TrafficRouting {
  return canaryOf(rollout).trafficRouting ?? {};
}

/**
 * The names of the Services that carry stable and canary now. With ping-pong they change places by the status; a router that
 * does not prefer ping-pong uses it only if no other Services are named.
 */
export function stableAndCanary(
  rollout: RoutedRollout,
  options: { preferPingPong: boolean },
): { stable: string; canary: string } {
  const { pingPong, stableService = '', canaryService = '' } = canaryOf(rollout);
  if (!pingPong || (!options.preferPingPong && (stableService || canaryService)))
    return { stable: stableService, canary: canaryService };
  const { pingService, pongService } = pingPong;
  return rollout.status?.canary?.stablePingPong === 'ping'
    ? { stable: pingService, canary: pongService }
    : { stable: pongService, canary: pingService };
}

/** What is left for stable of 100, which is what routers without a total of their own divide. */
export function stableWeight(weight: number, additional: readonly { weight: number }[]): number {
  return additional.reduce((left, destination) => left - destination.weight, 100 - weight);
}
