import type { KubeObject } from '@tiphys/kubernetes';
import { invalidRouting, waitingRouting } from '../model/diagnoses.ts';
import { needObject, readObject, writeChange } from '../model/objects.ts';
import { canaryOf, routingOf, stableAndCanary } from '../model/services.ts';
import type {
  IstioRouting,
  IstioVirtualServiceRef,
  RoutingContext,
  SetHeaderRoute,
  SetMirrorRoute,
  TrafficRouter,
  WeightDestination,
} from '../model/types.ts';
import { ruleHost, withSubsetHashes } from './destination-rule.ts';
import {
  type CanaryTarget,
  withHeaderRoute,
  withMirrorRoute,
  withOrderedRoutes,
  withoutRoutes,
} from './managed-routes.ts';
import { virtualServiceKey } from './virtual-service.ts';
import { withWeights } from './weights.ts';

/** Sets weights in VirtualServices and pod hashes in the subsets of a DestinationRule. */
export class IstioRouter implements TrafficRouter {
  readonly type = 'Istio';
  readonly #context: RoutingContext;
  readonly #istio: IstioRouting;

  constructor(context: RoutingContext) {
    this.#context = context;
    this.#istio = routingOf(context.rollout).istio ?? {};
  }

  async updateHash(
    canaryHash: string,
    stableHash: string,
    additional: readonly WeightDestination[] = [],
  ): Promise<void> {
    this.#checkPods(canaryHash, stableHash);
    const rule = this.#istio.destinationRule;
    if (!rule) return;
    const before = await this.#destinationRule(rule.name);
    const rolloutName = this.#context.rollout.metadata.name ?? '';
    const after = withSubsetHashes(before, { rule, rolloutName, canaryHash, stableHash, additional });
    if (await writeChange(this.#context, before, after))
      this.#context.event(
        'Normal',
        'UpdatedDestinationRule',
        `DestinationRule ${rule.name} subset updated (${rule.canarySubsetName}: ${canaryHash}, ${rule.stableSubsetName}: ${stableHash})`,
      );
  }

  /** With no Services of their own the subsets are what selects pods: they must not point at pods that are not there yet. */
  #checkPods(canaryHash: string, stableHash: string): void {
    const { canaryService, stableService } = canaryOf(this.#context.rollout);
    if (canaryService || stableService) return;
    for (const replicaSet of this.#context.replicaSets ?? []) {
      const hash = replicaSet.metadata.labels?.['rollouts-pod-template-hash'] ?? '';
      if (hash === '' || (hash !== canaryHash && hash !== stableHash)) continue;
      if (this.#context.returnsToStable && hash === canaryHash) continue;
      const { replicas = 0 } = (replicaSet.spec ?? {}) as { replicas?: number };
      const { availableReplicas = 0 } = (replicaSet.status ?? {}) as { availableReplicas?: number };
      if (replicas > 0 && availableReplicas < replicas)
        throw waitingRouting(
          `delaying destination rule switch: ReplicaSet ${replicaSet.metadata.name} not fully available`,
        );
    }
  }

  async setWeight(weight: number, additional: readonly WeightDestination[] = []): Promise<void> {
    const services = stableAndCanary(this.#context.rollout, { preferPingPong: false });
    const managedRoutes = this.#managedRoutes();
    const { destinationRule } = this.#istio;
    for (const ref of this.#virtualServices()) {
      const before = await this.#virtualService(ref);
      const weighted = withWeights(before, { ref, services, destinationRule, managedRoutes, weight, additional });
      const after = weighted === before ? before : withOrderedRoutes(weighted, managedRoutes);
      if (await writeChange(this.#context, before, after)) this.#updated(before, `set to desiredWeight '${weight}'`);
    }
  }

  async setHeaderRoute(route: SetHeaderRoute): Promise<void> {
    for (const ref of this.#virtualServices()) {
      const before = await this.#virtualService(ref);
      const after = withHeaderRoute(before, route, await this.#target(ref));
      if (await writeChange(this.#context, before, after)) this.#updated(before, `set headerRoute '${route.name}'`);
    }
  }

  async setMirrorRoute(route: SetMirrorRoute): Promise<void> {
    for (const ref of this.#virtualServices()) {
      const before = await this.#virtualService(ref);
      const after = withMirrorRoute(before, route, await this.#target(ref));
      if (await writeChange(this.#context, before, after)) this.#updated(before, `set mirrorRoute '${route.name}'`);
    }
  }

  async verifyWeight(): Promise<undefined> {
    return undefined;
  }

  async removeManagedRoutes(): Promise<void> {
    const names = [...this.#managedRoutes(), ...this.#stepRoutes()];
    if (names.length === 0) return;
    for (const ref of this.#virtualServices()) {
      const before = await readObject(this.#context, this.#ref(ref));
      if (!before) continue;
      if (await writeChange(this.#context, before, withoutRoutes(before, names)))
        this.#updated(before, 'removed all managed routes.');
    }
  }

  #managedRoutes(): string[] {
    return (routingOf(this.#context.rollout).managedRoutes ?? []).map(({ name }) => name);
  }

  /** Routes that steps have made count as managed although the list does not name them. */
  #stepRoutes(): string[] {
    const steps = (canaryOf(this.#context.rollout).steps ?? []) as Record<string, { name?: string } | undefined>[];
    return steps
      .flatMap(({ setHeaderRoute, setMirrorRoute }) => [setHeaderRoute?.name, setMirrorRoute?.name])
      .filter((name) => name !== undefined);
  }

  #virtualServices(): readonly IstioVirtualServiceRef[] {
    const { virtualService, virtualServices } = this.#istio;
    const chosen = virtualServices ?? (virtualService ? [virtualService] : []);
    if (chosen.length === 0) throw invalidRouting('Istio traffic routing names no VirtualService');
    return chosen;
  }

  #ref({ name }: IstioVirtualServiceRef) {
    const { rollout, settings } = this.#context;
    return {
      apiVersion: `networking.istio.io/${settings.istioApiVersion}`,
      kind: 'VirtualService',
      ...virtualServiceKey(name, rollout.metadata.namespace ?? ''),
    };
  }

  async #virtualService(ref: IstioVirtualServiceRef): Promise<KubeObject> {
    const key = this.#ref(ref);
    const found = await readObject(this.#context, key);
    if (found) return found;
    this.#context.event('Warning', 'VirtualServiceNotFound', `VirtualService \`${key.name}\` not found`);
    return needObject(this.#context, key);
  }

  async #destinationRule(name: string): Promise<KubeObject> {
    const { rollout, settings } = this.#context;
    const apiVersion = `networking.istio.io/${settings.istioApiVersion}`;
    const key = { apiVersion, kind: 'DestinationRule', namespace: rollout.metadata.namespace ?? '', name };
    const found = await readObject(this.#context, key);
    if (found) return found;
    this.#context.event('Warning', 'DestinationRuleNotFound', `DestinationRule \`${name}\` not found`);
    return needObject(this.#context, key);
  }

  async #target(ref: IstioVirtualServiceRef): Promise<CanaryTarget> {
    const rule = this.#istio.destinationRule;
    const host = rule ? ruleHost(await this.#destinationRule(rule.name)) : '';
    const { canary } = stableAndCanary(this.#context.rollout, { preferPingPong: false });
    return { ref, host: host || canary, subset: rule?.canarySubsetName ?? '', managedRoutes: this.#managedRoutes() };
  }

  #updated({ metadata }: KubeObject, what: string): void {
    // upstream's reason has the blank
    this.#context.event('Normal', 'Updated VirtualService', `VirtualService \`${metadata.name}\` ${what}`);
  }
}
