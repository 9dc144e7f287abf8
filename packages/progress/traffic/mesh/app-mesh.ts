import type { KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { type Json, readObject, specOf, withSpec, writeChange } from '../model/objects.ts';
import { routingOf } from '../model/services.ts';
import type { AppMeshRouting, RoutingContext, TrafficRouter } from '../model/types.ts';

const podHashLabel = 'rollouts-pod-template-hash';
const managedByAnnotation = 'argo-rollouts.argoproj.io/managed-by-rollouts';
/** Selectors of nodes without pods of their own. */
const noStable = 'stable-hash';
const noCanary = 'canary-hash';
const routeTypes = ['httpRoute', 'tcpRoute', 'http2Route', 'grpcRoute'] as const;

interface WeightedTarget {
  virtualNodeRef?: { name?: string; namespace?: string };
  weight?: number;
  [key: string]: unknown;
}

interface Route {
  name?: string;
  [key: string]: unknown;
}

/** What the routes of a VirtualRouter are to say. */
export interface AppMeshWeights {
  readonly appMesh: AppMeshRouting;
  readonly namespace: string;
  readonly weight: number;
}

/** A VirtualRouter whose weighted targets of stable and canary have the weights. */
export function withAppMeshWeights(router: KubeObject, wanted: AppMeshWeights): KubeObject {
  const { routes } = specOf<{ routes?: Route[] }>(router);
  const place = { object: `VirtualRouter ${router.metadata.name}`, field: 'spec.routes' };
  if (!routes) throw invalidRouting(`spec.routes: Invalid value: "${router.metadata.name}": No routes found`, place);
  const names = wanted.appMesh.virtualService?.routes ?? [];
  return withSpec(router, {
    routes: routes.map((route, index) => {
      if (names.length > 0 && !names.includes(route.name ?? '')) return route;
      const type = routeTypes.find((candidate) => route[candidate] !== undefined);
      const rule = (type ? route[type] : undefined) as { action?: { weightedTargets?: WeightedTarget[] } } | undefined;
      const targets = rule?.action?.weightedTargets;
      if (!type || !targets)
        throw invalidRouting(`spec.routes[${index}]: Invalid value: "${router.metadata.name}": not well-formed`, place);
      return { ...route, [type]: { ...rule, action: { ...rule.action, weightedTargets: weighted(targets, wanted) } } };
    }),
  });
}

function weighted(
  targets: readonly WeightedTarget[],
  { appMesh, namespace, weight }: AppMeshWeights,
): WeightedTarget[] {
  const group = appMesh.virtualNodeGroup;
  return targets.map((target) => {
    if ((target.virtualNodeRef?.namespace || namespace) !== namespace) return target;
    if (target.virtualNodeRef?.name === group?.stableVirtualNodeRef.name) return { ...target, weight: 100 - weight };
    if (target.virtualNodeRef?.name === group?.canaryVirtualNodeRef.name) return { ...target, weight };
    return target;
  });
}

/** A VirtualNode whose selector takes the pods of the hash. */
export function withNodeHash(node: KubeObject, rolloutName: string, hash: string): KubeObject {
  const { podSelector = {} } = specOf<{ podSelector?: { matchLabels?: Json } }>(node);
  const annotations = { ...node.metadata.annotations, [managedByAnnotation]: rolloutName };
  const matchLabels = { ...podSelector.matchLabels, [podHashLabel]: hash };
  return {
    ...withSpec(node, { podSelector: { ...podSelector, matchLabels } }),
    metadata: { ...node.metadata, annotations },
  };
}

/** Sets weights in the VirtualRouter of a VirtualService, and pod hashes in two VirtualNodes. */
export function appMeshRouter(context: RoutingContext): TrafficRouter {
  const appMesh = routingOf(context.rollout).appMesh ?? {};
  return {
    type: 'AppMesh',
    updateHash: async (canaryHash, stableHash) => {
      const { stableVirtualNodeRef: stable, canaryVirtualNodeRef: canary } = appMesh.virtualNodeGroup ?? {};
      await updateNode(context, stable?.name ?? '', stableHash || noStable);
      // the mesh refuses two nodes with one selector: while both are the same the pods are the stable's
      const isSame = canaryHash === '' || canaryHash === (stableHash || noStable);
      await updateNode(context, canary?.name ?? '', isSame ? noCanary : canaryHash);
    },
    setWeight: (weight) => setWeight(context, appMesh, weight),
    setHeaderRoute: async () => {},
    setMirrorRoute: async () => {},
    verifyWeight: async () => undefined,
    removeManagedRoutes: async () => {},
  };
}

function meshRef({ rollout, settings }: RoutingContext, kind: string, name: string, namespace?: string) {
  return {
    apiVersion: `appmesh.k8s.aws/${settings.appMeshApiVersion}`,
    kind,
    namespace: namespace || (rollout.metadata.namespace ?? ''),
    name,
  };
}

async function updateNode(context: RoutingContext, name: string, hash: string): Promise<void> {
  const node = await found(context, 'VirtualNode', name);
  await writeChange(context, node, withNodeHash(node, context.rollout.metadata.name ?? '', hash));
}

async function setWeight(context: RoutingContext, appMesh: AppMeshRouting, weight: number): Promise<void> {
  const service = await found(context, 'VirtualService', appMesh.virtualService?.name ?? '');
  const { provider } = specOf<{
    provider?: { virtualRouter?: { virtualRouterRef?: { name?: string; namespace?: string } } };
  }>(service);
  const ref = provider?.virtualRouter?.virtualRouterRef;
  if (!ref?.name) throw invalidRouting('Virtual-service is not associated with virtual-router');
  const router = await found(context, 'VirtualRouter', ref.name, ref.namespace);
  const namespace = context.rollout.metadata.namespace ?? '';
  await writeChange(context, router, withAppMeshWeights(router, { appMesh, namespace, weight }));
}

async function found(context: RoutingContext, kind: string, name: string, namespace?: string): Promise<KubeObject> {
  const ref = meshRef(context, kind, name, namespace);
  const object = await readObject(context, ref);
  if (object) return object;
  const message = `${kind} \`${name}\` not found in namespace \`${ref.namespace}\``;
  context.event('Warning', `${kind}NotFound`, message);
  throw invalidRouting(message);
}
