import type { KubeObject } from '@tiphys/kubernetes';
import { invalidRouting } from '../model/diagnoses.ts';
import { ownedBy, specOf, withSpec } from '../model/objects.ts';
import { canaryOf, routingOf } from '../model/services.ts';
import type { RoutedRollout, SetHeaderRoute } from '../model/types.ts';

interface Backend {
  serviceName?: string;
  weight?: number;
  [key: string]: unknown;
}

interface Rule {
  name?: string;
  priority?: number;
  match?: Record<string, unknown>;
  backends?: Backend[];
  [key: string]: unknown;
}

/** An ApisixRoute whose rules have the weights. */
export function withApisixWeights(route: KubeObject, rollout: RoutedRollout, weight: number): KubeObject {
  const { canaryService = '', stableService = '' } = canaryOf(rollout);
  return withRules(route, rollout, (rule) => {
    const weighted = setBackend(backendsOf(rule), canaryService, weight);
    return { ...rule, backends: setBackend(weighted, stableService, 100 - weight) };
  });
}

/** A route of its own for requests with the headers: the base route's rules, canary alone, one priority higher. */
export function apisixHeaderRoute(base: KubeObject, rollout: RoutedRollout, header: SetHeaderRoute): KubeObject {
  const { labels, annotations, namespace } = base.metadata;
  const { status: _, ...plain } = base;
  const fresh: KubeObject = {
    ...plain,
    metadata: {
      name: header.name ?? '',
      ...(namespace ? { namespace } : {}),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ownerReferences: [ownedBy(rollout)],
    },
  };
  return withRules(fresh, rollout, (rule) => ({
    ...canaryRule(rule, rollout, header),
    priority: (rule.priority ?? 0) + 1,
  }));
}

/** A header route that exists, for other headers. */
export function withApisixHeaders(route: KubeObject, rollout: RoutedRollout, header: SetHeaderRoute): KubeObject {
  return withRules(route, rollout, (rule) => canaryRule(rule, rollout, header));
}

function canaryRule(rule: Rule, rollout: RoutedRollout, { match = [] }: SetHeaderRoute): Rule {
  const { canaryService = '', stableService = '' } = canaryOf(rollout);
  const backends = setBackend(backendsOf(rule), canaryService, 100).filter(
    ({ serviceName }) => serviceName !== stableService,
  );
  const exprs = match.flatMap(({ headerName, headerValue: { exact, regex, prefix } }) => {
    const subject = { scope: 'Header', name: headerName };
    return [
      ...(exact ? [{ subject, op: 'Equal', value: exact }] : []),
      ...(regex ? [{ subject, op: 'RegexMatch', value: regex }] : []),
      ...(prefix ? [{ subject, op: 'RegexMatch', value: `^${prefix}.*` }] : []),
    ];
  });
  return { ...rule, backends, match: { ...rule.match, exprs } };
}

function withRules(route: KubeObject, rollout: RoutedRollout, change: (rule: Rule) => Rule): KubeObject {
  const { http } = specOf<{ http?: Rule[] }>(route);
  if (!http) throw invalidRouting('spec.http was not found in Apisix Route manifest');
  const { name = '', rules } = routingOf(rollout).apisix?.route ?? {};
  const wanted = rules ?? [name];
  for (const rule of wanted) {
    if (!http.some((candidate) => candidate.name === rule))
      throw invalidRouting(`Apisix http route rule ${rule} not found`);
  }
  return withSpec(route, { http: http.map((rule) => (wanted.includes(rule.name ?? '') ? change(rule) : rule)) });
}

function backendsOf({ backends }: Rule): Backend[] {
  if (!backends) throw invalidRouting('Apisix http route backends not found');
  return backends;
}

function setBackend(backends: readonly Backend[], name: string, weight: number): Backend[] {
  if (!backends.some(({ serviceName }) => serviceName === name))
    throw invalidRouting(`apisix route ${name} backend was not found`);
  return backends.map((backend) => (backend.serviceName === name ? { ...backend, weight } : backend));
}
