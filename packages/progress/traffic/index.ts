export { awsLoadBalancers, type LoadBalancers } from './aws/load-balancers.ts';
export { registrationOf, type TargetGroupsOptions, targetGroupsOf } from './aws/target-groups.ts';
export { canaryIngressName } from './ingress/nginx.ts';
export { virtualServiceProblems } from './istio/check-virtual-service.ts';
export { managedByAnnotation, releasedRule } from './istio/destination-rule.ts';
export { virtualServiceKey } from './istio/virtual-service.ts';
export { stableAndCanary } from './model/services.ts';
export type * from './model/types.ts';
export { defaultTrafficSettings, trafficRouters } from './routers.ts';
