import { invalidRouting } from '../model/diagnoses.ts';
import type { Json } from '../model/objects.ts';
import type { IstioRouting, IstioVirtualServiceRef, StringMatch } from '../model/types.ts';

export interface Destination {
  destination?: { host?: string; subset?: string; port?: { number?: number } };
  weight?: number;
  [key: string]: unknown;
}

export interface Route {
  name?: string;
  match?: Json[];
  route?: Destination[];
  mirror?: Json;
  [key: string]: unknown;
}

export interface VirtualServiceSpec {
  http?: Route[];
  tls?: Route[];
  tcp?: Route[];
  [key: string]: unknown;
}

export type RouteType = 'http' | 'tls' | 'tcp';

/** The part of a host before its first dot, as routes name Services short or in full. */
export function shortHost({ destination }: Destination): string {
  const host = destination?.host ?? '';
  const dot = host.indexOf('.');
  return dot < 0 ? host : host.slice(0, dot);
}

/** Namespace and name of `name.namespace`, of a name alone, or of either with the cluster's own domain. */
export function virtualServiceKey(text: string, namespace: string): { namespace: string; name: string } {
  const plain = text.replace(/\.cluster\.local$/, '');
  const dot = plain.lastIndexOf('.');
  return dot < 0 ? { namespace, name: plain } : { namespace: plain.slice(dot + 1), name: plain.slice(0, dot) };
}

/**
 * The routes of a type that carry the weights, by index; without names the only HTTP route that is not managed, or the first one
 * without a name. Throws upstream's sentence if a named one is missing.
 */
export function weightedRoutes(
  type: RouteType,
  ref: IstioVirtualServiceRef,
  routes: readonly Route[],
  managedRoutes: readonly string[],
): number[] {
  switch (type) {
    case 'http':
      return httpRoutes(ref.routes ?? [], routes, managedRoutes);
    case 'tls':
      return matchedRoutes(routes, ref.tlsRoutes, 'No matching TLS routes found in the defined Virtual Service.');
    default:
      return matchedRoutes(routes, ref.tcpRoutes, 'No matching TCP routes found in the defined Virtual Service.');
  }
}

function httpRoutes(names: readonly string[], routes: readonly Route[], managedRoutes: readonly string[]): number[] {
  if (names.length === 0) {
    const own = routes.filter(({ name }) => !managedRoutes.includes(name ?? ''));
    if (own.length === 1) return [routes.indexOf(own[0] as Route)];
    const nameless = routes.findIndex(({ name }) => !name);
    return nameless < 0 ? [] : [nameless];
  }
  return names.map((name) => {
    const index = routes.findIndex((route) => route.name === name);
    if (index < 0) throw invalidRouting(`HTTP Route '${name}' is not found in the defined Virtual Service.`);
    return index;
  });
}

function matchedRoutes(
  routes: readonly Route[],
  wanted: readonly { port?: number; sniHosts?: readonly string[] }[] = [],
  missing: string,
): number[] {
  if (wanted.length === 0) return routes.length > 0 ? [0] : [];
  return wanted.flatMap((want) => {
    const found = routes.flatMap((route, index) => (isMatched(route, want) ? [index] : []));
    if (found.length === 0) throw invalidRouting(missing);
    return found;
  });
}

/** Whether a route is for one port, that of the Rollout, and for the very same hosts. */
function isMatched({ match = [] }: Route, wanted: { port?: number; sniHosts?: readonly string[] }): boolean {
  const ports = new Set(match.map(({ port }) => (port as number | undefined) ?? 0));
  const hosts = new Set(match.flatMap(({ sniHosts }) => (sniHosts as string[] | undefined) ?? []));
  const wantedHosts = new Set(wanted.sniHosts ?? []);
  if (ports.size > 1 || ([...ports][0] ?? 0) !== (wanted.port ?? 0)) return false;
  return hosts.size === wantedHosts.size && [...hosts].every((host) => wantedHosts.has(host));
}

/** Throws unless a weighted route names canary and stable, by subset or by Service. */
export function checkDestinations(
  { route = [] }: Route,
  services: { stable: string; canary: string },
  rule: IstioRouting['destinationRule'],
): void {
  const hasSubset = (name: string) => route.some(({ destination }) => destination?.subset === name);
  const hasHost = (name: string) => name !== '' && route.some((destination) => shortHost(destination) === name);
  if (rule) {
    if (!hasSubset(rule.canarySubsetName))
      throw invalidRouting(`Canary DestinationRule subset '${rule.canarySubsetName}' not found in route`);
    if (!hasSubset(rule.stableSubsetName))
      throw invalidRouting(`Stable DestinationRule subset '${rule.stableSubsetName}' not found in route`);
    return;
  }
  if (!hasHost(services.canary)) throw invalidRouting(`Canary Service '${services.canary}' not found in route`);
  if (!hasHost(services.stable)) throw invalidRouting(`Stable Service '${services.stable}' not found in route`);
}

/** A match with only what is set. */
export function matchText({ exact, prefix, regex }: StringMatch): StringMatch {
  return { ...(exact ? { exact } : {}), ...(prefix ? { prefix } : {}), ...(regex ? { regex } : {}) };
}
