import type { KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { specOf, withSpec } from '../model/objects.ts';
import type { WeightDestination } from '../model/types.ts';

export interface BackendRef {
  name?: string;
  namespace?: string;
  port?: number;
  weight?: number;
  [key: string]: unknown;
}

export interface RouteRule {
  name?: string;
  matches?: Record<string, unknown>[];
  filters?: unknown[];
  backendRefs?: BackendRef[];
  [key: string]: unknown;
}

/** What the backends of a route are to say. */
export interface GatewayWeights {
  readonly services: { readonly stable: string; readonly canary: string };
  readonly managedRoutes: readonly string[];
  readonly weight: number;
  readonly additional: readonly WeightDestination[];
  /** Services of experiments that the last pass added; they alone are taken away again. */
  readonly previous: readonly string[];
  /** Ports of the additional Services. */
  readonly ports: ReadonlyMap<string, number>;
}

/** A route whose rules divide requests by the weights; rules of header routes are left alone. Throws if a backend is missing. */
export function withGatewayWeights(route: KubeObject, wanted: GatewayWeights): KubeObject {
  const { rules = [] } = specOf<{ rules?: RouteRule[] }>(route);
  const { stable, canary } = wanted.services;
  const weighted = rules.filter((rule) => !isManagedRule(rule, wanted.managedRoutes, canary));
  const names = new Set(weighted.flatMap(({ backendRefs = [] }) => backendRefs.map(({ name }) => name)));
  if (!names.has(stable) || !names.has(canary))
    throw invalidRouting(
      `backendRef was not found in ${route.kind.replace(/^[A-Z]+(?=Route)/, (word) => word.toLowerCase())}`,
      {
        object: `${route.kind} ${route.metadata.namespace}/${route.metadata.name}`,
        field: 'spec.rules[].backendRefs',
      },
    );
  const extra = wanted.additional.reduce((sum, { weight }) => sum + weight, 0);
  const weights = new Map([
    [stable, Math.max(0, 100 - wanted.weight - extra)],
    [canary, wanted.weight],
  ]);
  const first = weighted.find(({ backendRefs = [] }) => backendRefs.some(({ name }) => weights.has(name ?? '')));
  return withSpec(route, {
    rules: rules.map((rule) => (weighted.includes(rule) ? weightedRule(rule, weights, wanted, rule === first) : rule)),
  });
}

function weightedRule(
  rule: RouteRule,
  weights: ReadonlyMap<string, number>,
  wanted: GatewayWeights,
  takesExperiments: boolean,
): RouteRule {
  const extras = new Map(wanted.additional.map(({ serviceName = '', weight }) => [serviceName, weight]));
  const refs = (rule.backendRefs ?? [])
    .filter(({ name = '' }) => extras.has(name) || !wanted.previous.includes(name))
    .map((ref) => {
      const weight = weights.get(ref.name ?? '') ?? (takesExperiments ? extras.get(ref.name ?? '') : undefined);
      return weight === undefined ? ref : { ...ref, weight };
    });
  const missing = takesExperiments ? [...extras].filter(([name]) => !refs.some((ref) => ref.name === name)) : [];
  const added = missing.map(([name, weight]) => {
    const port = wanted.ports.get(name);
    return { name, weight, ...(port === undefined ? {} : { port }) };
  });
  return { ...rule, backendRefs: [...refs, ...added] };
}

/** A rule of a header route: by its name, or, as old versions of the plugin left them, nameless with the canary alone. */
export function isManagedRule(rule: RouteRule, managedRoutes: readonly string[], canary: string): boolean {
  if (rule.name !== undefined && managedRoutes.some((name) => isRuleOf(rule.name as string, name))) return true;
  return rule.backendRefs?.length === 1 && rule.backendRefs[0]?.name === canary;
}

/** Rules of a header route are named as it, and further ones with a number. */
export function isRuleOf(ruleName: string, routeName: string): boolean {
  if (ruleName === routeName) return true;
  return ruleName.startsWith(`${routeName}-`) && /^\d+$/.test(ruleName.slice(routeName.length + 1));
}
