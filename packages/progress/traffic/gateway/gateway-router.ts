import { type KubeObject, selectorQuery } from '@tiphys/kubernetes';
import { invalidRouting, unsupportedRouting } from '../model/diagnoses.ts';
import { needObject, readObject, specOf, writeChange } from '../model/objects.ts';
import { routingOf, stableAndCanary } from '../model/services.ts';
import type { RoutingContext, SetHeaderRoute, TrafficRouter, WeightDestination } from '../model/types.ts';
import { type GatewayConfig, type GatewayRoute, gatewayConfig, type RouteKind } from './config.ts';
import { type HeaderRouting, withGatewayHeaderRoute, withoutGatewayRoutes } from './header-routes.ts';
import { withGatewayWeights } from './route-weights.ts';

/** Versions of the kinds, the best first. */
const versions: Readonly<Record<RouteKind, readonly string[]>> = {
  HTTPRoute: ['v1', 'v1beta1'],
  GRPCRoute: ['v1', 'v1alpha2'],
  TCPRoute: ['v1', 'v1alpha2'],
  TLSRoute: ['v1', 'v1alpha3', 'v1alpha2'],
};

/** Routes of the Gateway API, with the configuration of upstream's plugin and no plugin. */
export class GatewayRouter implements TrafficRouter {
  readonly type = 'GatewayAPI';
  readonly #context: RoutingContext;
  readonly #config: GatewayConfig;

  constructor(context: RoutingContext) {
    this.#context = context;
    this.#config = gatewayConfig(context.rollout);
  }

  async updateHash(): Promise<void> {}

  async setWeight(weight: number, additional: readonly WeightDestination[] = []): Promise<void> {
    const routes = await this.#routes();
    if (routes.length === 0)
      throw invalidRouting(
        'No routes configured. At least one route must be configured in gatewayAPI config',
        undefined,
        ['Name httpRoute, grpcRoute, tcpRoute or tlsRoute, their lists, or a selector'],
      );
    const previous = (this.#context.rollout.status?.canary?.weights?.additional ?? []).map(
      (to) => to.serviceName ?? '',
    );
    const ports = await this.#ports(additional);
    for (const route of routes) {
      await this.#change(route, (object) =>
        this.#labelled(withGatewayWeights(object, { ...this.#routing(), weight, additional, previous, ports }), weight),
      );
    }
  }

  async setHeaderRoute(header: SetHeaderRoute): Promise<void> {
    for (const route of await this.#headerRoutes())
      await this.#change(route, (object) => withGatewayHeaderRoute(object, header, this.#routing()));
  }

  async setMirrorRoute(): Promise<void> {
    throw unsupportedRouting('Routes of the Gateway API are not mirrored by setMirrorRoute', [
      'Remove the step, or add a RequestMirror filter to the route itself',
    ]);
  }

  async verifyWeight(): Promise<undefined> {
    return undefined;
  }

  async removeManagedRoutes(): Promise<void> {
    for (const route of await this.#headerRoutes())
      await this.#change(route, (object) => withoutGatewayRoutes(object, this.#routing()));
  }

  #routing(): HeaderRouting {
    const { rollout } = this.#context;
    return {
      services: stableAndCanary(rollout, { preferPingPong: false }),
      managedRoutes: (routingOf(rollout).managedRoutes ?? []).map(({ name }) => name),
    };
  }

  async #headerRoutes(): Promise<GatewayRoute[]> {
    const routes = await this.#routes();
    return routes.filter(
      ({ kind, useHeaderRoutes }) => useHeaderRoutes && (kind === 'HTTPRoute' || kind === 'GRPCRoute'),
    );
  }

  async #routes(): Promise<GatewayRoute[]> {
    const { client, signal } = this.#context;
    const found: GatewayRoute[] = [];
    for (const { kind, selector } of this.#config.selectors) {
      const ref = { apiVersion: await this.#apiVersion(kind), kind, namespace: this.#config.namespace };
      const { items } = await client.list(ref, { labelSelector: selectorQuery(selector), signal });
      found.push(...items.map(({ metadata }) => ({ kind, name: metadata.name ?? '', useHeaderRoutes: false })));
    }
    return [...this.#config.routes, ...found];
  }

  async #change({ kind, name }: GatewayRoute, map: (route: KubeObject) => KubeObject): Promise<void> {
    const ref = { apiVersion: await this.#apiVersion(kind), kind, namespace: this.#config.namespace, name };
    const before = await needObject(this.#context, ref);
    await writeChange(this.#context, before, map(before));
  }

  async #apiVersion(kind: RouteKind): Promise<string> {
    for (const version of versions[kind]) {
      const apiVersion = `gateway.networking.k8s.io/${version}`;
      if (await this.#context.client.discovery.find(apiVersion, kind)) return apiVersion;
    }
    throw invalidRouting(`the cluster does not serve ${kind} of gateway.networking.k8s.io`, undefined, [
      'Install the definitions of the Gateway API',
    ]);
  }

  #labelled(route: KubeObject, weight: number): KubeObject {
    const { label } = this.#config;
    if (!label) return route;
    const { [label.key]: _, ...labels } = route.metadata.labels ?? {};
    if (weight === 0 && route.metadata.labels === undefined) return route;
    const wanted = weight === 0 ? labels : { ...route.metadata.labels, [label.key]: label.value };
    return { ...route, metadata: { ...route.metadata, labels: wanted } };
  }

  async #ports(additional: readonly WeightDestination[]): Promise<Map<string, number>> {
    const ports = new Map<string, number>();
    for (const { serviceName: name = '' } of additional) {
      const namespace = this.#context.rollout.metadata.namespace ?? '';
      const service = await readObject(this.#context, { apiVersion: 'v1', kind: 'Service', namespace, name });
      const served = service ? (specOf<{ ports?: { name?: string; port: number }[] }>(service).ports ?? []) : [];
      const port = (served.find((candidate) => candidate.name === 'http') ?? served[0])?.port;
      if (port !== undefined) ports.set(name, port);
    }
    return ports;
  }
}
