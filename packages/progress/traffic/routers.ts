import { gatewayApiPlugin } from './gateway/config.ts';
import { GatewayRouter } from './gateway/gateway-router.ts';
import { albRouter } from './ingress/alb.ts';
import { nginxRouter } from './ingress/nginx.ts';
import { IstioRouter } from './istio/istio-router.ts';
import { ambassadorRouter } from './mesh/ambassador.ts';
import { apisixRouter } from './mesh/apisix.ts';
import { appMeshRouter } from './mesh/app-mesh.ts';
import { smiRouter } from './mesh/smi.ts';
import { traefikRouter } from './mesh/traefik.ts';
import { routingOf } from './model/services.ts';
import type { RoutingContext, TrafficRouter, TrafficSettings } from './model/types.ts';
import { pluginRouter } from './plugin-router.ts';

/** Upstream's versions and classes. */
export const defaultTrafficSettings: TrafficSettings = {
  istioApiVersion: 'v1alpha3',
  ambassadorApiVersion: 'getambassador.io/v2',
  smiApiVersion: 'v1alpha1',
  appMeshApiVersion: 'v1beta2',
  traefikApiVersion: 'traefik.io/v1alpha1',
  apisixApiVersion: 'apisix.apache.org/v2',
  nginxIngressClasses: ['nginx'],
  albIngressClasses: ['alb'],
  albTagKeyResourceId: 'ingress.k8s.aws/resource',
  targetGroupBindingApiVersion: 'elbv2.k8s.aws/v1beta1',
};

const routers = [
  ['istio', (context: RoutingContext) => new IstioRouter(context)],
  ['nginx', nginxRouter],
  ['alb', albRouter],
  ['smi', smiRouter],
  ['ambassador', ambassadorRouter],
  ['appMesh', appMeshRouter],
  ['traefik', traefikRouter],
  ['apisix', apisixRouter],
] as const;

/** The routers of a Rollout, in upstream's order; none without `trafficRouting`. */
export async function trafficRouters(context: RoutingContext): Promise<TrafficRouter[]> {
  const routing = routingOf(context.rollout);
  const chosen: TrafficRouter[] = routers.flatMap(([field, make]) => (routing[field] ? [make(context)] : []));
  for (const name of Object.keys(routing.plugins ?? {}))
    chosen.push(name === gatewayApiPlugin ? new GatewayRouter(context) : await pluginRouter(context, name));
  return chosen;
}
