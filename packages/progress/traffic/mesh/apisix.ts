import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { isControlledBy, needObject, readObject, warned, writeChange } from '../model/objects.ts';
import { routingOf } from '../model/services.ts';
import type { RoutingContext, SetHeaderRoute, TrafficRouter } from '../model/types.ts';
import { apisixHeaderRoute, withApisixHeaders, withApisixWeights } from './apisix-routes.ts';

/** Sets weights in an ApisixRoute, and keeps routes of its own for headers. */
export function apisixRouter(context: RoutingContext): TrafficRouter {
  const { rollout } = context;
  const { apisix, managedRoutes = [] } = routingOf(rollout);
  const name = apisix?.route?.name ?? '';
  return {
    type: 'Apisix',
    updateHash: async () => {},
    setWeight: async (weight) => {
      const before = await needObject(context, routeRef(context, name));
      await updateRoute(context, before, withApisixWeights(before, rollout, weight));
    },
    setHeaderRoute: (route) => setHeaderRoute(context, name, route),
    setMirrorRoute: async () => {},
    verifyWeight: async () => undefined,
    removeManagedRoutes: async () => {
      for (const route of managedRoutes) await removeRoute(context, route.name);
    },
  };
}

function routeRef({ rollout, settings }: RoutingContext, name: string) {
  return {
    apiVersion: settings.apisixApiVersion,
    kind: 'ApisixRoute',
    namespace: rollout.metadata.namespace ?? '',
    name,
  };
}

async function setHeaderRoute(context: RoutingContext, baseName: string, header: SetHeaderRoute): Promise<void> {
  const { rollout, client, signal } = context;
  const name = header.name ?? '';
  const base = await needObject(context, routeRef(context, baseName));
  const existing = await readObject(context, routeRef(context, name));
  if (existing && !isControlledBy(existing, rollout))
    throw invalidRouting(`duplicate ApisixRoute [${name}] already exists`);
  if (!header.match) await removeRoute(context, name);
  else if (existing) await updateRoute(context, existing, withApisixHeaders(existing, rollout, header));
  else {
    const failing = { reason: 'ApisixRouteCreateError', what: `Error create apisix route "${name}"` };
    await warned(context, failing, () => client.create(apisixHeaderRoute(base, rollout, header), { signal }));
  }
}

function updateRoute(context: RoutingContext, before: KubeObject, after: KubeObject): Promise<boolean> {
  const failing = {
    reason: 'ApisixRouteUpdateError',
    what: `Error updating apisix route "${before.metadata.name ?? ''}"`,
  };
  return warned(context, failing, () => writeChange(context, before, after));
}

async function removeRoute(context: RoutingContext, name: string): Promise<void> {
  const existing = await readObject(context, routeRef(context, name));
  if (!existing || !isControlledBy(existing, context.rollout)) return;
  const failing = { reason: 'ApisixRouteDeleteError', what: `Error deleting apisix route "${name}"` };
  await warned(context, failing, async () => {
    try {
      await context.client.delete(routeRef(context, name), { signal: context.signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });
}
