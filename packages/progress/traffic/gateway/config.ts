import type { Json } from '../model/objects.ts';
import { routingOf } from '../model/services.ts';
import type { RoutedRollout } from '../model/types.ts';

/** The name under `trafficRouting.plugins` by which upstream's plugin is known; its configuration is taken as it is. */
export const gatewayApiPlugin = 'argoproj-labs/gatewayAPI';

export type RouteKind = 'HTTPRoute' | 'GRPCRoute' | 'TCPRoute' | 'TLSRoute';

/** A route that a Rollout controls. */
export interface GatewayRoute {
  readonly kind: RouteKind;
  readonly name: string;
  readonly useHeaderRoutes: boolean;
}

export interface GatewayConfig {
  readonly namespace: string;
  readonly routes: readonly GatewayRoute[];
  /** Label selectors by kind, for routes that are found rather than named. */
  readonly selectors: readonly { readonly kind: RouteKind; readonly selector: Json }[];
  /** The label that a route has while the canary has weight; undefined if it is switched off. */
  readonly label: { readonly key: string; readonly value: string } | undefined;
}

const kinds: readonly (readonly [RouteKind, string])[] = [
  ['HTTPRoute', 'httpRoute'],
  ['GRPCRoute', 'grpcRoute'],
  ['TCPRoute', 'tcpRoute'],
  ['TLSRoute', 'tlsRoute'],
];

/** The configuration of a Rollout's Gateway API routing. A route that is named alone also takes header routes. */
export function gatewayConfig(rollout: RoutedRollout): GatewayConfig {
  const config = (routingOf(rollout).plugins?.[gatewayApiPlugin] ?? {}) as Json;
  const routes = kinds.flatMap(([kind, field]) => {
    const listed = (config[`${field}s`] ?? []) as { name: string; useHeaderRoutes?: boolean }[];
    const single = config[field] as string | undefined;
    return [
      ...listed.map(({ name, useHeaderRoutes = false }) => ({ kind, name, useHeaderRoutes })),
      ...(single ? [{ kind, name: single, useHeaderRoutes: true }] : []),
    ];
  });
  const selectors = kinds.flatMap(([kind, field]) => {
    const selector = config[`${field}Selector`] as Json | undefined;
    return selector ? [{ kind, selector }] : [];
  });
  const label = {
    key: (config.inProgressLabelKey as string) || 'rollouts.argoproj.io/gatewayapi-canary',
    value: (config.inProgressLabelValue as string) || 'in-progress',
  };
  return {
    namespace: (config.namespace as string) || (rollout.metadata.namespace ?? ''),
    routes,
    selectors,
    label: config.disableInProgressLabel ? undefined : label,
  };
}
