import type { CanaryStrategy, Rollout } from '@tiphys/api';
import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { type FieldError, internal, invalid } from './field-error.ts';
import { hasRuleWithService } from './validate-references.ts';

/** Reads an object of the Rollout's namespace; undefined if it does not exist. */
export type ReadObject = (kind: {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
}) => Promise<KubeObject | undefined>;

const base = 'spec.strategy.canary.trafficRouting';

/** What is wrong with one Ingress that a Rollout names, if it names it. */
export function validateIngress({ spec }: Rollout, ingress: KubeObject): FieldError[] {
  const { canary } = spec.strategy;
  const name = ingress.metadata.name ?? '';
  const { nginx, alb } = canary?.trafficRouting ?? {};
  const stable = canary?.stableService ?? '';
  if (nginx?.stableIngresses?.includes(name))
    return ingressErrors(ingress, { path: `${base}.nginx.stableIngresses`, service: stable });
  if (nginx?.stableIngress === name)
    return ingressErrors(ingress, { path: `${base}.nginx.stableIngress`, service: stable });
  const service = alb?.rootService || stable;
  if (alb?.ingresses?.includes(name)) return ingressErrors(ingress, { path: `${base}.alb.ingresses`, service });
  return alb?.ingress === name ? ingressErrors(ingress, { path: `${base}.alb.ingress`, service }) : [];
}

/** What is wrong with the objects of the routers: those that must be there, and how they are named. */
export async function validateRouterObjects(
  rollout: Rollout,
  { read, istioApiVersion }: { read: ReadObject; istioApiVersion: string },
): Promise<FieldError[]> {
  const { canary } = rollout.spec.strategy;
  if (!canary?.trafficRouting) return [];
  return [
    ...(await validateIngresses(canary, read)),
    ...(await validateVirtualServices(rollout, canary, { read, istioApiVersion })),
  ];
}

async function validateIngresses(canary: CanaryStrategy, read: ReadObject): Promise<FieldError[]> {
  const { alb, nginx } = canary.trafficRouting ?? {};
  if (nginx) {
    const choice = oneOf(
      `${base}.nginx`,
      { one: nginx.stableIngress, several: nginx.stableIngresses },
      'StableIngress',
    );
    if (choice) return [choice];
    const field = nginx.stableIngresses?.length ? 'stableIngresses' : 'stableIngress';
    const names = nginx.stableIngresses?.length ? nginx.stableIngresses : [nginx.stableIngress ?? ''];
    return ingressesWith(names, { path: `${base}.nginx.${field}`, service: canary.stableService ?? '', read });
  }
  if (!alb) return [];
  const choice = oneOf(`${base}.alb`, { one: alb.ingress, several: alb.ingresses }, 'Ingress');
  if (choice) return [choice];
  const field = alb.ingresses?.length ? 'ingresses' : 'ingress';
  const names = alb.ingresses?.length ? alb.ingresses : [alb.ingress ?? ''];
  const service = alb.rootService || canary.stableService || '';
  return ingressesWith(names, { path: `${base}.alb.${field}`, service, read });
}

function oneOf(
  path: string,
  { one, several }: { one: string | undefined; several: string[] | undefined },
  name: string,
): FieldError | undefined {
  const hasSeveral = (several ?? []).length > 0;
  if (Boolean(one) !== hasSeveral) return undefined;
  const state = one ? 'Both are configured.' : 'Neither are configured.';
  return internal(path, `Either ${name} or ${name}es must be configured. ${state}`);
}

async function ingressesWith(
  names: readonly string[],
  { path, service, read }: { path: string; service: string; read: ReadObject },
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const name of names) {
    const ingress = await read({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name });
    if (!ingress)
      return [invalid(path, name, `ingress.networking.k8s.io "${name}" not found`, notFound('Ingress', name, path))];
    errors.push(...ingressErrors(ingress, { path, service }));
  }
  return errors;
}

function ingressErrors(ingress: KubeObject, { path, service }: { path: string; service: string }): FieldError[] {
  const name = ingress.metadata.name ?? '';
  if (hasRuleWithService(ingress, service)) return [];
  return [
    invalid(path, name, `ingress \`${name}\` has no rules using service ${service} backend`, {
      remedies: [`Give Ingress ${name} a rule whose backend is Service ${service}, or name another Ingress in ${path}`],
    }),
  ];
}

async function validateVirtualServices(
  rollout: Rollout,
  { trafficRouting }: CanaryStrategy,
  { read, istioApiVersion }: { read: ReadObject; istioApiVersion: string },
): Promise<FieldError[]> {
  const istio = trafficRouting?.istio;
  if (!istio) return [];
  const several = istio.virtualServices ?? [];
  if (several.length > 0 === Boolean(istio.virtualService))
    return [internal(`${base}.istio`, 'either VirtualService or VirtualServices must be configured')];
  const field = several.length > 0 ? 'virtualServices' : 'virtualService';
  for (const { name } of istio.virtualService ? [istio.virtualService] : several) {
    const [short = '', namespace = rollout.metadata.namespace ?? ''] = name.split('.');
    const ref = {
      apiVersion: `networking.istio.io/${istioApiVersion}`,
      kind: 'VirtualService',
      name: short,
      namespace,
    };
    if (!(await readOrAbsent(read, ref)))
      return [
        invalid(
          `${base}.istio.${field}.name`,
          name,
          `virtualservices.networking.istio.io "${short}" not found`,
          notFound('VirtualService', short, `${base}.istio.${field}.name`, namespace),
        ),
      ];
  }
  return [];
}

function notFound(kind: string, name: string, path: string, namespace?: string) {
  const where = namespace ? ` in namespace ${namespace}` : '';
  return { isMissing: true, remedies: [`Create ${kind} ${name}${where}, or correct the name in ${path}`] };
}

async function readOrAbsent(read: ReadObject, ref: Parameters<ReadObject>[0]): Promise<KubeObject | undefined> {
  try {
    return await read(ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
