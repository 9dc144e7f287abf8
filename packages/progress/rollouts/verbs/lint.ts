import { type Rollout, rolloutNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { virtualServiceKey, virtualServiceProblems } from '@tiphys/traffic';
import type { Service } from '../objects/kinds.ts';
import { type FieldError, invalid } from '../validate/field-error.ts';
import { unknownField } from '../validate/unknown-field.ts';
import { hasRuleWithService, servicesOf, validateService } from '../validate/validate-references.ts';
import { validateIngress } from '../validate/validate-router-objects.ts';
import { validateSpec } from '../validate/validate-spec.ts';

/** What is wrong with Rollouts that are to be applied together with the Services, Ingresses and VirtualServices beside them. */
export interface Lint {
  /** A field that a Rollout does not have; nothing else was looked at then. */
  readonly unknown?: { readonly path: string; readonly name: string };
  /** The field with its path, and the sentence without it. */
  readonly problems: readonly { readonly message: string; readonly body: string }[];
}

/** Looks at documents of manifests without a cluster, as `kubectl argo rollouts lint` does, and in its order. */
export function lintRollouts(documents: readonly Partial<KubeObject>[]): Lint {
  const objects = documents.map((document) => ({ apiVersion: '', kind: '', metadata: {}, ...document }));
  const rollouts = objects.filter((object): object is Rollout => isOf(object, 'argoproj.io', 'Rollout'));
  for (const rollout of rollouts) {
    const unknown = unknownField(rollout as unknown as Record<string, unknown>);
    if (unknown) return { unknown, problems: [] };
  }
  const whole = rollouts.map(withStrategy);
  const beside = matched(whole, objects);
  const errors = whole.flatMap((rollout) => [
    ...validateSpec(rollout, { templateIsBorrowed: false }),
    ...servicesErrors(rollout, beside.services),
    ...beside.of(rollout, 'Ingress').flatMap((ingress) => validateIngress(rollout, ingress)),
    ...beside.of(rollout, 'VirtualService').flatMap((service) => virtualServiceErrors(rollout, service)),
  ]);
  return { problems: errors.map(({ path, message }) => ({ message, body: message.slice(path.length + 2) })) };
}

/** A Rollout without a spec, or without a strategy, is looked at like others. */
function withStrategy(rollout: Rollout): Rollout {
  const { spec } = rollout;
  return { ...rollout, spec: { ...spec, strategy: spec?.strategy ?? {} } as Rollout['spec'] };
}

function isOf({ apiVersion = '', kind }: KubeObject, group: string, wanted: string): boolean {
  return kind === wanted && apiVersion.split('/').slice(0, -1).join('/') === group;
}

interface Beside {
  readonly services: readonly Service[];
  /** The objects of a kind that belong to a Rollout: the last one that names them, else the one of their annotation. */
  of(rollout: Rollout, kind: 'Ingress' | 'VirtualService'): readonly KubeObject[];
}

function matched(rollouts: readonly Rollout[], objects: readonly KubeObject[]): Beside {
  const ownerOf = (object: KubeObject, isNamed: (rollout: Rollout) => boolean): string =>
    rollouts.findLast(isNamed)?.metadata.name ??
    object.metadata?.annotations?.[rolloutNames.annotations.managedByRollouts] ??
    '';
  const ingresses = objects
    .filter((object) => isOf(object, 'networking.k8s.io', 'Ingress') || isOf(object, 'extensions', 'Ingress'))
    .map((object) => ({ object, owner: ownerOf(object, (rollout) => routesBy(rollout, object)) }));
  const virtualServices = objects
    .filter((object) => isOf(object, 'networking.istio.io', 'VirtualService'))
    .map((object) => ({
      object,
      owner: ownerOf(object, (rollout) => namesOf(rollout).includes(object.metadata.name ?? '')),
    }));
  return {
    services: objects.filter((object): object is Service => isOf(object, '', 'Service')),
    of: ({ metadata: { name = '' } }, kind) =>
      (kind === 'Ingress' ? ingresses : virtualServices)
        .filter(({ owner }) => owner === name)
        .map(({ object }) => object),
  };
}

/** Whether an Ingress has rules for the Service that a Rollout's router divides. */
function routesBy({ spec }: Rollout, ingress: KubeObject): boolean {
  const { trafficRouting: { nginx, alb, smi } = {}, stableService = '' } = spec.strategy.canary ?? {};
  if (nginx) return hasRuleWithService(ingress, stableService);
  if (alb) return hasRuleWithService(ingress, alb.rootService || stableService);
  return smi !== undefined && hasRuleWithService(ingress, smi.rootService ?? '');
}

function namesOf({ spec }: Rollout): string[] {
  const { virtualService, virtualServices = [] } = spec.strategy.canary?.trafficRouting?.istio ?? {};
  return [virtualService, ...virtualServices].flatMap((ref) => (ref ? [virtualServiceKey(ref.name, '').name] : []));
}

function servicesErrors(rollout: Rollout, services: readonly Service[]): FieldError[] {
  const labels = rollout.spec.template?.metadata?.labels ?? {};
  return services.flatMap((service) => {
    const named = servicesOf(rollout).findLast(({ name }) => name === service.metadata.name);
    return named ? validateService(rollout, { path: named.path, service: ownedBy(rollout, service), labels }) : [];
  });
}

/** A Service as it is once the Rollout has it. */
function ownedBy({ metadata: { name = '' } }: Rollout, service: Service): Service {
  const annotations = { ...service.metadata.annotations, [rolloutNames.annotations.managedByRollouts]: name };
  return { ...service, metadata: { ...service.metadata, annotations } };
}

function virtualServiceErrors(rollout: Rollout, virtualService: KubeObject): FieldError[] {
  const { istio } = rollout.spec.strategy.canary?.trafficRouting ?? {};
  const path = 'spec.strategy.canary.trafficRouting.istio';
  const name = rollout.metadata.name ?? '';
  if (!istio) return [invalid(path, name, 'Rollout object is not configured with Istio traffic routing')];
  const field = istio.virtualServices?.length ? 'virtualServices' : 'virtualService';
  return virtualServiceProblems(rollout as Parameters<typeof virtualServiceProblems>[0], virtualService).map(
    (problem) => invalid(`${path}.${field}.name`, problem.name, problem.message),
  );
}
