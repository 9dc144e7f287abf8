import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { readObject, specOf, warned, withSpec, writeChange } from '../model/objects.ts';
import { canaryOf, routingOf } from '../model/services.ts';
import type { RoutedRollout, RoutingContext, TrafficRouter } from '../model/types.ts';

interface MappingSpec {
  service?: string;
  weight?: number;
}

const maxName = 246;
/** How long the weight of zero is given to reach every proxy before the mapping goes. */
const propagation = 5_000;

export function canaryMappingName(name: string): string {
  return `${name.slice(0, maxName)}-canary`;
}

/** The mapping of the canary for a mapping of the stable Service. */
export function canaryMapping(mapping: KubeObject, rollout: RoutedRollout, weight: number): KubeObject {
  const { canaryService = '', stableService = '' } = canaryOf(rollout);
  const { name = '', namespace } = mapping.metadata;
  const { service = '' } = specOf<MappingSpec>(mapping);
  const { status: _, ...plain } = mapping;
  return {
    ...withSpec(plain, { service: service.replace(stableService, () => canaryService), weight }),
    metadata: { name: canaryMappingName(name), ...(namespace ? { namespace } : {}) },
  };
}

/** Keeps a weighted canary Mapping beside each Mapping while the canary has weight. */
export function ambassadorRouter(context: RoutingContext): TrafficRouter {
  return {
    type: 'Ambassador',
    updateHash: async () => {},
    setWeight: async (weight) => {
      for (const name of routingOf(context.rollout).ambassador?.mappings ?? []) await setWeight(context, name, weight);
    },
    setHeaderRoute: async () => {},
    setMirrorRoute: async () => {},
    verifyWeight: async () => undefined,
    removeManagedRoutes: async () => {},
  };
}

function mappingRef({ rollout, settings }: RoutingContext, name: string) {
  const apiVersion = settings.ambassadorApiVersion.includes('/')
    ? settings.ambassadorApiVersion
    : `getambassador.io/${settings.ambassadorApiVersion}`;
  const kind = apiVersion.startsWith('x.getambassador.io/') ? 'AmbassadorMapping' : 'Mapping';
  return { apiVersion, kind, namespace: rollout.metadata.namespace ?? '', name };
}

async function setWeight(context: RoutingContext, name: string, weight: number): Promise<void> {
  const existing = await readObject(context, mappingRef(context, canaryMappingName(name)));
  if (!existing) {
    if (weight > 0) await createMapping(context, name, weight);
    return;
  }
  if (weight === 0 && specOf<MappingSpec>(existing).weight === 0) {
    await removeMapping(context, existing);
    return;
  }
  const failing = {
    reason: 'CanaryMappingUpdateError',
    what: `Error updating canary mapping "${canaryMappingName(name)}"`,
  };
  if (await warned(context, failing, () => writeChange(context, existing, withSpec(existing, { weight }))))
    told(context, weight);
  if (weight === 0) context.requeueIn?.(propagation);
}

async function createMapping(context: RoutingContext, name: string, weight: number): Promise<void> {
  const base = await readObject(context, mappingRef(context, name));
  if (!base) {
    const message = `Ambassador mapping "${name}" not found`;
    context.event('Warning', 'AmbassadorMappingNotFound', message);
    throw invalidRouting(message);
  }
  if ((specOf<MappingSpec>(base).weight ?? 0) !== 0) {
    const message = `Ambassador mapping "${name}" can not define weight`;
    context.event('Warning', 'AmbassadorMappingConfigError', message);
    throw invalidRouting(message);
  }
  const failing = { reason: 'CanaryMappingCreationError', what: 'Error creating canary mapping' };
  const { client, rollout, signal } = context;
  await warned(context, failing, () => client.create(canaryMapping(base, rollout, weight), { signal }));
  told(context, weight);
}

async function removeMapping(context: RoutingContext, { apiVersion, kind, metadata }: KubeObject): Promise<void> {
  const { namespace = '', name = '' } = metadata;
  const failing = { reason: 'CanaryMappingCleanupError', what: `Error deleting canary mapping "${name}"` };
  await warned(context, failing, async () => {
    try {
      await context.client.delete({ apiVersion, kind, namespace, name }, { signal: context.signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });
}

function told({ event }: RoutingContext, weight: number): void {
  event('Normal', 'CanaryMappingWeightUpdate', `Set canary mapping weight to ${weight}`);
}
