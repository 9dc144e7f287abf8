export { canaryIngressName } from './ingress/nginx.ts';
export { managedByAnnotation, releasedRule } from './istio/destination-rule.ts';
export { virtualServiceKey } from './istio/virtual-service.ts';
export { defaultTrafficSettings, trafficRouters } from './routers.ts';
export { stableAndCanary } from './services.ts';
export type * from './types.ts';
