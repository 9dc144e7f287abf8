import { invalidRouting } from '../model/diagnoses.ts';
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

const otherFields = ['namespace', 'disableInProgressLabel', 'inProgressLabelKey', 'inProgressLabelValue'];
const fields = new Set([...otherFields, ...kinds.flatMap(([, field]) => [field, `${field}s`, `${field}Selector`])]);

/** Names what a configuration has that means nothing: no schema reads it. */
function checkConfig(config: Json): void {
  const refuse = (field: string, message: string, remedy: string) => {
    const place = `spec.strategy.canary.trafficRouting.plugins["${gatewayApiPlugin}"].${field}`;
    throw invalidRouting(`${message} in the configuration of ${gatewayApiPlugin}`, { field: place }, [remedy]);
  };
  for (const field of Object.keys(config))
    if (!fields.has(field))
      refuse(
        field,
        `unknown field ${JSON.stringify(field)}`,
        `Remove or correct it; known are ${[...fields].join(', ')}`,
      );
  for (const [, field] of kinds) {
    const listed: unknown = config[`${field}s`] ?? [];
    if (!Array.isArray(listed))
      refuse(`${field}s`, `${field}s is no list`, 'Give a list of routes, each with its name');
    for (const [i, item] of (listed as { name?: unknown }[]).entries())
      if (typeof item?.name !== 'string' || item.name === '')
        refuse(`${field}s[${i}]`, `a route of ${field}s has no name`, 'Give it the name of the route');
  }
}

/** The configuration of a Rollout's Gateway API routing. A route that is named alone also takes header routes. Throws for fields that are not known. */
export function gatewayConfig(rollout: RoutedRollout): GatewayConfig {
  const config = (routingOf(rollout).plugins?.[gatewayApiPlugin] ?? {}) as Json;
  checkConfig(config);
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
