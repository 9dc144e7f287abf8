import type { KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { specOf, withSpec } from '../model/objects.ts';
import type { SetHeaderRoute, StringMatch } from '../model/types.ts';
import { isManagedRule, isRuleOf, type RouteRule } from './route-weights.ts';

/** Where the rules of header routes lead. */
export interface HeaderRouting {
  readonly services: { readonly stable: string; readonly canary: string };
  readonly managedRoutes: readonly string[];
}

/** A route with a rule to the canary, for requests with the headers, for each rule that is divided; without it if nothing is to match. */
export function withGatewayHeaderRoute(route: KubeObject, header: SetHeaderRoute, routing: HeaderRouting): KubeObject {
  if (!header.match) return withoutGatewayRoutes(route, routing);
  const { rules = [] } = specOf<{ rules?: RouteRule[] }>(route);
  const name = header.name ?? '';
  const headers = header.match.map(({ headerName, headerValue }) => headerMatch(headerName, headerValue));
  const kept = rules.filter(
    (rule) =>
      !(rule.name !== undefined && isRuleOf(rule.name, name)) &&
      !(rule.name === undefined && isManagedRule(rule, [], routing.services.canary) && hasHeaders(rule, headers)),
  );
  const sources = kept.filter(({ backendRefs = [] }) =>
    [routing.services.stable, routing.services.canary].every((service) =>
      backendRefs.some((ref) => ref.name === service),
    ),
  );
  if (sources.length === 0) throw invalidRouting(`backendRef was not found in ${route.kind} ${route.metadata.name}`);
  const added = sources.map((source, index) => ({
    name: index === 0 ? name : `${name}-${index}`,
    matches: matchesWith(source, headers),
    filters: source.filters ?? [],
    backendRefs: [canaryRef(source, routing.services.canary)],
  }));
  return withSpec(route, { rules: [...kept, ...added] });
}

/** A route without the rules of header routes. */
export function withoutGatewayRoutes(route: KubeObject, { managedRoutes, services }: HeaderRouting): KubeObject {
  const { rules = [] } = specOf<{ rules?: RouteRule[] }>(route);
  return withSpec(route, { rules: rules.filter((rule) => !isManagedRule(rule, managedRoutes, services.canary)) });
}

interface HeaderMatch {
  readonly name: string;
  readonly type: 'Exact' | 'RegularExpression';
  readonly value: string;
}

function headerMatch(name: string, { exact, prefix, regex }: StringMatch): HeaderMatch {
  if (exact) return { name, type: 'Exact', value: exact };
  if (prefix) return { name, type: 'RegularExpression', value: `${prefix}.*` };
  if (regex) return { name, type: 'RegularExpression', value: regex };
  throw invalidRouting('invalid header match type', { field: `setHeaderRoute.match[${name}].headerValue` }, [
    'Set one of exact, prefix, regex',
  ]);
}

function matchesWith({ matches = [] }: RouteRule, headers: readonly HeaderMatch[]): Record<string, unknown>[] {
  if (matches.length === 0) return [{ headers }];
  return matches.map((match) => ({ ...match, headers: [...((match.headers ?? []) as HeaderMatch[]), ...headers] }));
}

function canaryRef({ backendRefs = [] }: RouteRule, canary: string) {
  const port = backendRefs.find(({ name }) => name === canary)?.port;
  return { group: '', kind: 'Service', name: canary, ...(port === undefined ? {} : { port }) };
}

function hasHeaders({ matches = [] }: RouteRule, headers: readonly HeaderMatch[]): boolean {
  return matches.some((match) =>
    headers.every(({ name }) => ((match.headers ?? []) as HeaderMatch[]).some((header) => header.name === name)),
  );
}
