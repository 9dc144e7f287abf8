import type { KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { specOf, withSpec } from '../model/objects.ts';
import type { IstioVirtualServiceRef, SetHeaderRoute, SetMirrorRoute } from '../model/types.ts';
import { type Destination, matchText, type Route, type VirtualServiceSpec, weightedRoutes } from './virtual-service.ts';

/** Where header and mirror routes lead. */
export interface CanaryTarget {
  readonly ref: IstioVirtualServiceRef;
  /** The DestinationRule's host, or the canary Service. */
  readonly host: string;
  readonly subset: string;
  readonly managedRoutes: readonly string[];
}

/** A VirtualService with a route to the canary for requests with the headers; without it if nothing is to match. */
export function withHeaderRoute(virtualService: KubeObject, route: SetHeaderRoute, target: CanaryTarget): KubeObject {
  const routes = otherRoutes(virtualService, route.name ?? '');
  if (!route.match) return withRoutes(virtualService, ordered(routes, target.managedRoutes));
  const port = weightedRoute(routes, target)[0]?.destination?.port?.number;
  const header: Route = {
    name: route.name ?? '',
    match: route.match.map(({ headerName, headerValue }) => ({ headers: { [headerName]: matchText(headerValue) } })),
    route: [
      {
        weight: 100,
        destination: {
          host: target.host,
          ...(port ? { port: { number: port } } : {}),
          ...(target.subset ? { subset: target.subset } : {}),
        },
      },
    ],
  };
  return withRoutes(virtualService, ordered([...routes, header], target.managedRoutes));
}

/** A VirtualService with a route that mirrors matching requests to the canary; without it if nothing is to match. */
export function withMirrorRoute(virtualService: KubeObject, route: SetMirrorRoute, target: CanaryTarget): KubeObject {
  const routes = otherRoutes(virtualService, route.name);
  if (!route.match) return withRoutes(virtualService, ordered(routes, target.managedRoutes));
  const destinations = weightedRoute(routes, target);
  const port = destinations[0]?.destination?.port?.number;
  const mirror: Route = {
    name: route.name,
    match: route.match.map(({ method, path, headers }) => ({
      ...(method ? { method: matchText(method) } : {}),
      ...(path ? { uri: matchText(path) } : {}),
      ...(headers
        ? { headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, matchText(value)])) }
        : {}),
    })),
    route: destinations.map(({ destination, weight }) => ({
      ...(destination ? { destination } : {}),
      ...(weight ? { weight } : {}),
    })),
    mirror: {
      host: target.host,
      ...(target.subset ? { subset: target.subset } : {}),
      ...(port ? { port: { number: port } } : {}),
    },
    mirrorPercentage: { value: route.percentage ?? 100 },
  };
  return withRoutes(virtualService, ordered([mirror, ...routes], target.managedRoutes));
}

/** A VirtualService without the routes of the names; unchanged if it has no HTTP routes at all. */
export function withoutRoutes(virtualService: KubeObject, names: readonly string[]): KubeObject {
  const { http } = specOf<VirtualServiceSpec>(virtualService);
  return http
    ? withRoutes(
        virtualService,
        http.filter(({ name }) => !names.includes(name ?? '')),
      )
    : virtualService;
}

/** A VirtualService with managed routes first, in the order of the Rollout's list, which is their precedence. */
export function withOrderedRoutes(virtualService: KubeObject, managedRoutes: readonly string[]): KubeObject {
  const { http } = specOf<VirtualServiceSpec>(virtualService);
  return http ? withRoutes(virtualService, ordered(http, managedRoutes)) : virtualService;
}

function ordered(routes: readonly Route[], managedRoutes: readonly string[]): Route[] {
  const managed = managedRoutes.flatMap((name) => routes.filter((route) => route.name === name));
  return [...managed, ...routes.filter((route) => !managed.includes(route))];
}

function otherRoutes(virtualService: KubeObject, name: string): Route[] {
  const { http } = specOf<VirtualServiceSpec>(virtualService);
  if (!http) throw invalidRouting('spec.http not found');
  return http.filter((route) => route.name !== name);
}

function withRoutes(virtualService: KubeObject, http: readonly Route[]): KubeObject {
  return withSpec(virtualService, { http });
}

function weightedRoute(routes: readonly Route[], { ref, managedRoutes }: CanaryTarget): readonly Destination[] {
  const [first] = weightedRoutes('http', ref, routes, managedRoutes);
  return first === undefined ? [] : (routes[first]?.route ?? []);
}
