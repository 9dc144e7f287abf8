import type { KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { needObject, specOf, withSpec, writeChange } from '../model/objects.ts';
import { routingOf } from '../model/services.ts';
import type {
  RoutedRollout,
  RoutingContext,
  SetHeaderRoute,
  TrafficRouter,
  WeightDestination,
} from '../model/types.ts';
import {
  type Annotations,
  actionService,
  withHeaderAction,
  withoutActions,
  withWeightAction,
} from './alb-annotations.ts';
import { verifyAlbWeights } from './alb-verification.ts';
import { hasService, type IngressPath, type IngressSpec, ingressRef, mapPaths, serviceOf } from './ingress.ts';

/** An Ingress whose action annotation divides requests by the weights. Throws if no rule leads to the action's Service. */
export function withAlbWeights(
  ingress: KubeObject,
  rollout: RoutedRollout,
  wanted: { weight: number; additional: readonly WeightDestination[] },
): KubeObject {
  const service = actionService(rollout);
  if (!hasService(ingress, service)) throw invalidRouting(`ingress does not have service \`${service}\` in rules`);
  return withAnnotations(ingress, withWeightAction(ingress.metadata.annotations ?? {}, rollout, wanted));
}

/** An Ingress with annotations and a path of a header route; without them if nothing is to match. */
export function withAlbHeaderRoute(ingress: KubeObject, rollout: RoutedRollout, route: SetHeaderRoute): KubeObject {
  const name = route.name ?? '';
  const annotated = withAnnotations(ingress, withHeaderAction(ingress.metadata.annotations ?? {}, rollout, route));
  const exists = hasService(ingress, name);
  const order = (routingOf(rollout).managedRoutes ?? []).map((managed) => managed.name);
  const rank = (path: IngressPath) => (order.includes(serviceOf(path)) ? order.indexOf(serviceOf(path)) : order.length);
  return withPaths(annotated, (paths) => {
    const others = route.match ? paths : withoutFirst(paths, name);
    const all = route.match && !exists ? [annotationPath(name), ...others] : [...others];
    return all.sort((a, b) => rank(a) - rank(b));
  });
}

/** An Ingress without the header routes of the names. */
export function withoutAlbRoutes(ingress: KubeObject, rollout: RoutedRollout, names: readonly string[]): KubeObject {
  const annotated = withAnnotations(ingress, withoutActions(ingress.metadata.annotations ?? {}, rollout, names));
  return withPaths(annotated, (paths) => names.reduce<IngressPath[]>(withoutFirst, [...paths]));
}

function withoutFirst(paths: readonly IngressPath[], service: string): IngressPath[] {
  const index = paths.findIndex((path) => serviceOf(path) === service);
  return paths.filter((_, at) => at !== index);
}

function annotationPath(action: string): IngressPath {
  return {
    path: '/*',
    pathType: 'ImplementationSpecific',
    backend: { service: { name: action, port: { name: 'use-annotation' } } },
  };
}

function withAnnotations(ingress: KubeObject, annotations: Annotations): KubeObject {
  return { ...ingress, metadata: { ...ingress.metadata, annotations: { ...annotations } } };
}

function withPaths(ingress: KubeObject, map: (paths: readonly IngressPath[]) => IngressPath[]): KubeObject {
  const { rules } = specOf<IngressSpec>(ingress);
  return rules ? withSpec(ingress, { rules: mapPaths(rules, map) }) : ingress;
}

/** Writes the action annotations that the AWS load balancer's controller reads. */
export function albRouter(context: RoutingContext): TrafficRouter {
  const { rollout } = context;
  const { alb, managedRoutes = [] } = routingOf(rollout);
  const ingresses = alb?.ingresses ?? (alb?.ingress ? [alb.ingress] : []);
  const change = async (map: (ingress: KubeObject) => KubeObject, what: string) => {
    for (const name of ingresses) {
      const before = await needObject(context, ingressRef(rollout.metadata.namespace ?? '', name));
      if (await writeChange(context, before, map(before)))
        context.event('Normal', 'PatchingALBIngress', `Updating Ingress \`${name}\` ${what}`);
    }
  };
  return {
    type: 'ALB',
    updateHash: async () => {},
    setWeight: (weight, additional = []) =>
      change((ingress) => withAlbWeights(ingress, rollout, { weight, additional }), `to desiredWeight '${weight}'`),
    setHeaderRoute: (route) =>
      change((ingress) => withAlbHeaderRoute(ingress, rollout, route), `to headerRoute '${route.name}'`),
    setMirrorRoute: async () => {},
    verifyWeight: (weight, additional = []) => verifyAlbWeights(context, ingresses, { weight, additional }),
    removeManagedRoutes: async () => {
      const names = managedRoutes.map(({ name }) => name);
      if (names.length > 0)
        await change((ingress) => withoutAlbRoutes(ingress, rollout, names), 'removing managed routes');
    },
  };
}
