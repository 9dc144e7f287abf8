import { isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { isControlledBy, needObject, ownedBy, readObject, specOf, writeChange } from '../model/objects.ts';
import { canaryOf, routingOf } from '../model/services.ts';
import type { RoutedRollout, RoutingContext, TrafficRouter } from '../model/types.ts';
import { type IngressSpec, ingressRef, mapPaths, serviceOf } from './ingress.ts';

const defaultPrefix = 'nginx.ingress.kubernetes.io';
const classAnnotation = 'kubernetes.io/ingress.class';
const suffix = '-canary';
const maxName = 253;

/** The name of the canary Ingress that is made for a stable one. */
export function canaryIngressName(rolloutName: string, stableIngress: string): string {
  return `${`${rolloutName}-${stableIngress}`.slice(0, maxName - suffix.length)}${suffix}`;
}

/**
 * The canary Ingress for a stable one: its rules for the stable Service, leading to the canary's, and the annotations that give the
 * canary its share. Throws if no rule leads to the stable Service.
 */
export function canaryIngress(rollout: RoutedRollout, stable: KubeObject, weight: number): KubeObject {
  const { stableService = '', canaryService = '' } = canaryOf(rollout);
  const { rules = [], tls, ingressClassName } = specOf<IngressSpec>(stable);
  const served = rules.filter(({ http }) => (http?.paths ?? []).some((path) => serviceOf(path) === stableService));
  if (served.length === 0)
    throw invalidRouting(`ingress \`${stable.metadata.name}\` has no rules using service ${stableService} backend`);
  return {
    apiVersion: stable.apiVersion,
    kind: 'Ingress',
    metadata: {
      name: canaryIngressName(rollout.metadata.name ?? '', stable.metadata.name ?? ''),
      namespace: rollout.metadata.namespace ?? '',
      ownerReferences: [ownedBy(rollout)],
      annotations: canaryAnnotations(rollout, stable, weight),
    },
    spec: {
      ...(ingressClassName === undefined ? {} : { ingressClassName }),
      ...(tls ? { tls } : {}),
      rules: mapPaths(served, (paths) =>
        paths.map((path) =>
          serviceOf(path) === stableService
            ? { ...path, backend: { ...path.backend, service: { ...path.backend?.service, name: canaryService } } }
            : path,
        ),
      ),
    },
  };
}

function canaryAnnotations(rollout: RoutedRollout, stable: KubeObject, weight: number): Record<string, string> {
  const { nginx = {}, maxTrafficWeight } = routingOf(rollout);
  const prefix = nginx.annotationPrefix || defaultPrefix;
  const ingressClass = stable.metadata.annotations?.[classAnnotation];
  const additional = Object.entries(nginx.additionalIngressAnnotations ?? {}).map(([key, value]) => [
    key.startsWith(prefix) ? key : `${prefix}/${key}`,
    value,
  ]);
  return {
    ...(ingressClass === undefined ? {} : { [classAnnotation]: ingressClass }),
    ...Object.fromEntries(additional),
    ...nginx.canaryIngressAnnotations,
    [`${prefix}/canary`]: 'true',
    [`${prefix}/canary-weight`]: String(weight),
    ...(maxTrafficWeight === undefined ? {} : { [`${prefix}/canary-weight-total`]: String(maxTrafficWeight) }),
  };
}

/** Keeps a canary Ingress beside each stable one. */
export function nginxRouter(context: RoutingContext): TrafficRouter {
  const nginx = routingOf(context.rollout).nginx ?? {};
  const ingresses = nginx.stableIngresses ?? (nginx.stableIngress ? [nginx.stableIngress] : []);
  return {
    type: 'Nginx',
    updateHash: async () => {},
    setWeight: async (weight) => {
      for (const ingress of ingresses) await setWeight(context, ingress, weight);
    },
    setHeaderRoute: async () => {},
    setMirrorRoute: async () => {},
    verifyWeight: async () => undefined,
    removeManagedRoutes: async () => {},
  };
}

async function setWeight(context: RoutingContext, name: string, weight: number): Promise<void> {
  const { rollout, client, signal } = context;
  const namespace = rollout.metadata.namespace ?? '';
  const stable = await readObject(context, ingressRef(namespace, name));
  if (!stable)
    throw invalidRouting(
      `error retrieving stableIngress \`${name}\` from cache: ingress.networking.k8s.io "${name}" not found`,
    );
  const wanted = canaryIngress(rollout, stable, weight);
  const canaryName = wanted.metadata.name ?? '';
  const existing = await readObject(context, ingressRef(namespace, canaryName));
  if (!existing) {
    context.event(
      'Normal',
      'CreatingCanaryIngress',
      `Creating canary ingress \`${canaryName}\` with weight \`${weight}\``,
    );
    try {
      await client.create(wanted, { signal });
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
  const current = existing ?? (await needObject(context, ingressRef(namespace, canaryName)));
  if (!isControlledBy(current, rollout))
    throw invalidRouting(`canary ingress \`${canaryName}\` controlled by different object`);
  // annotations of others (of cluster managers, say) stay
  const annotations = { ...current.metadata.annotations, ...wanted.metadata.annotations };
  const after = { ...current, metadata: { ...current.metadata, annotations }, spec: wanted.spec };
  if (await writeChange(context, current, after))
    context.event('Normal', 'PatchingCanaryIngress', `Updating Ingress \`${canaryName}\` to desiredWeight '${weight}'`);
}
