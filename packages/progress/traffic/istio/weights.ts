import { diagnosisOf } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { specOf, withSpec } from '../model/objects.ts';
import { stableWeight } from '../model/services.ts';
import type { IstioRouting, IstioVirtualServiceRef, WeightDestination } from '../model/types.ts';
import {
  checkDestinations,
  type Destination,
  type Route,
  type RouteType,
  shortHost,
  type VirtualServiceSpec,
  weightedRoutes,
} from './virtual-service.ts';

/** What the weighted routes of a VirtualService are to say. */
export interface IstioWeights {
  readonly ref: IstioVirtualServiceRef;
  readonly services: { readonly stable: string; readonly canary: string };
  readonly destinationRule: IstioRouting['destinationRule'];
  readonly managedRoutes: readonly string[];
  readonly weight: number;
  readonly additional: readonly WeightDestination[];
}

const routeTypes: readonly RouteType[] = ['http', 'tls', 'tcp'];

/** A VirtualService whose weighted routes have the wanted weights. Throws if the routes do not fit the Rollout. */
export function withWeights(virtualService: KubeObject, wanted: IstioWeights): KubeObject {
  const spec = specOf<VirtualServiceSpec>(virtualService);
  const changed: VirtualServiceSpec = {};
  for (const type of routeTypes) {
    const routes = spec[type];
    if (!routes) continue;
    const indices = new Set(checkedRoutes(type, routes, wanted));
    changed[type] = routes.map((route, index) => (indices.has(index) ? weighted(route, wanted) : route));
  }
  return withSpec(virtualService, changed);
}

const missing = 'Unable to get any of the HTTP, TCP or TLS routes for the Istio VirtualService';

/** What of a VirtualService does not fit the Rollout that names it, in upstream's words. */
export function routeProblems(virtualService: KubeObject, wanted: IstioWeights): string[] {
  const spec = specOf<VirtualServiceSpec>(virtualService);
  const present = routeTypes.filter((type) => Array.isArray(spec[type]));
  if (present.length === 0) return [missing];
  return present.flatMap((type) => {
    try {
      checkedRoutes(type, spec[type] ?? [], wanted);
      return [];
    } catch (error) {
      const { message } = diagnosisOf(error);
      return [`Istio VirtualService has invalid ${type.toUpperCase()} routes. Error: ${message}`];
    }
  });
}

function checkedRoutes(type: RouteType, routes: readonly Route[], wanted: IstioWeights): number[] {
  const indices = weightedRoutes(type, wanted.ref, routes, wanted.managedRoutes);
  for (const index of indices) {
    const route = routes[index];
    if (route) checkDestinations(route, wanted.services, wanted.destinationRule);
  }
  checkCount(type, routes, wanted);
  return type === 'http' ? [...indices, ...mirrorRoutes(routes, wanted.managedRoutes)] : indices;
}

function checkCount(type: RouteType, routes: readonly Route[], { ref, managedRoutes }: IstioWeights): void {
  const field = ({ http: 'routes', tls: 'tlsRoutes', tcp: 'tcpRoutes' } as const)[type];
  if ((ref[field] ?? []).length > 0) return;
  const own = type === 'http' ? routes.filter(({ name }) => !managedRoutes.includes(name ?? '')) : routes;
  if (own.length > 1)
    throw invalidRouting(
      `spec.${type}[] should be set in VirtualService and it must have exactly one route when omitting spec.strategy.canary.trafficRouting.istio.virtualService.${field}`,
    );
}

/** Mirror routes of ours serve the requests that they mirror, so that they follow the weights. */
function mirrorRoutes(routes: readonly Route[], managedRoutes: readonly string[]): number[] {
  return routes.flatMap(({ mirror, name }, index) => (mirror && managedRoutes.includes(name ?? '') ? [index] : []));
}

function weighted(route: Route, wanted: IstioWeights): Route {
  const { destinationRule: rule, services, additional } = wanted;
  const destinations = route.route ?? [];
  const kept = rule?.additionalSubsetNames ?? [];
  const isKept = ({ destination }: Destination) => !!destination?.subset && kept.includes(destination.subset);
  const keptWeight = destinations.filter(isKept).reduce((sum, { weight = 0 }) => sum + weight, 0);
  // Istio refuses negative weights
  const stable = Math.max(0, stableWeight(wanted.weight, additional) - keptWeight);
  const missing = new Map(additional.map((destination) => [destination.serviceName ?? '', destination.weight]));
  const placed = destinations.flatMap((destination): Destination[] => {
    const host = shortHost(destination);
    const subset = destination.destination?.subset;
    const extra = missing.get(host);
    if (host === '') return [destination];
    if (host === services.canary || (subset && subset === rule?.canarySubsetName))
      return [weightedTo(destination, wanted.weight)];
    if (host === services.stable || (subset && subset === rule?.stableSubsetName))
      return [weightedTo(destination, stable)];
    if (extra !== undefined) {
      missing.delete(host);
      return [weightedTo(destination, extra)];
    }
    // what an ended experiment left behind goes; what others keep without weight stays
    return isKept(destination) || !destination.weight ? [destination] : [];
  });
  const added = [...missing]
    .filter(([, weight]) => weight !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([host, weight]) => ({ weight, destination: { host } }));
  return { ...route, route: [...placed, ...added] };
}

function weightedTo(destination: Destination, weight: number): Destination {
  return (destination.weight ?? 0) === weight ? destination : { ...destination, weight };
}
