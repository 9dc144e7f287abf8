import { isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import { invalidRouting, unsupportedRouting } from '../model/diagnoses.ts';
import { isControlledBy, needObject, ownedBy, readObject, writeChange } from '../model/objects.ts';
import { canaryOf, routingOf, stableWeight } from '../model/services.ts';
import type { RoutedRollout, RoutingContext, TrafficRouter, WeightDestination } from '../model/types.ts';

const versions = ['v1alpha1', 'v1alpha2', 'v1alpha3'];

/** The TrafficSplit of a Rollout. Weights of v1alpha1 are quantities, of later versions numbers. */
export function trafficSplit(
  rollout: RoutedRollout,
  wanted: { version: string; weight: number; additional: readonly WeightDestination[] },
): KubeObject {
  if (!versions.includes(wanted.version))
    throw unsupportedRouting(`Unsupported TrafficSplit API version \`${wanted.version}\``, [
      `Use one of ${versions.join(', ')}`,
    ]);
  const { stableService = '', canaryService = '' } = canaryOf(rollout);
  const { smi = {} } = routingOf(rollout);
  const weight = (value: number) => (wanted.version === 'v1alpha1' ? String(value) : value);
  return {
    apiVersion: `split.smi-spec.io/${wanted.version}`,
    kind: 'TrafficSplit',
    metadata: {
      name: smi.trafficSplitName || (rollout.metadata.name ?? ''),
      namespace: rollout.metadata.namespace ?? '',
      ownerReferences: [ownedBy(rollout)],
    },
    spec: {
      service: smi.rootService || stableService,
      backends: [
        { service: canaryService, weight: weight(wanted.weight) },
        ...wanted.additional.map((extra) => ({ service: extra.serviceName ?? '', weight: weight(extra.weight) })),
        { service: stableService, weight: weight(stableWeight(wanted.weight, wanted.additional)) },
      ],
    },
  };
}

/** Keeps one TrafficSplit of the Service Mesh Interface. */
export function smiRouter(context: RoutingContext): TrafficRouter {
  return {
    type: 'SMI',
    updateHash: async () => {},
    setWeight: (weight, additional = []) => setWeight(context, weight, additional),
    setHeaderRoute: async () => {},
    setMirrorRoute: async () => {},
    verifyWeight: async () => undefined,
    removeManagedRoutes: async () => {},
  };
}

async function setWeight(
  context: RoutingContext,
  weight: number,
  additional: readonly WeightDestination[],
): Promise<void> {
  const { rollout, client, settings, signal } = context;
  const wanted = trafficSplit(rollout, { version: settings.smiApiVersion, weight, additional });
  const { name = '', namespace = '' } = wanted.metadata;
  const ref = { apiVersion: wanted.apiVersion, kind: wanted.kind, namespace, name };
  const existing = await readObject(context, ref);
  if (!existing) {
    try {
      await client.create(wanted, { signal });
      context.event('Normal', 'TrafficSplitCreated', `TrafficSplit \`${name}\` created`);
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) {
        context.event('Normal', 'TrafficSplitNotCreated', `TrafficSplit \`${name}\` failed creation: ${String(error)}`);
        throw error;
      }
    }
  }
  const current = existing ?? (await needObject(context, ref));
  if (!isControlledBy(current, rollout)) throw invalidRouting(`Rollout does not own TrafficSplit \`${name}\``);
  await writeChange(context, current, { ...current, spec: wanted.spec });
}
