import { getOption } from '@bufbuild/protobuf';
import { httpRule } from '@tiphys/api';
import type { Endpoint } from '../rpc/dispatcher.ts';

/** A REST route of an endpoint, from its `google.api.http` rule. */
export interface Route {
  readonly verb: string;
  readonly endpoint: Endpoint;
  /** `*`, a field's name, or empty. */
  readonly body: string;
  /** Field values of a path (still percent-encoded segments), or undefined if it is another route's. */
  match(path: string): Record<string, string> | undefined;
  /** Number of literal segments: the more, the more specific. */
  readonly weight: number;
}

type Rule = ReturnType<typeof ruleOf>;

function ruleOf(endpoint: Endpoint) {
  return getOption(endpoint.method, httpRule);
}

/** All routes, the most specific first. */
export function routesOf(endpoints: readonly Endpoint[], mayEndEmpty = false): Route[] {
  const routes = endpoints.flatMap((endpoint) => {
    const rule = ruleOf(endpoint);
    return [rule, ...rule.additionalBindings].flatMap((binding) => routeOf(endpoint, binding, mayEndEmpty));
  });
  return routes.sort((a, b) => b.weight - a.weight);
}

function routeOf(endpoint: Endpoint, rule: Rule, mayEndEmpty: boolean): Route[] {
  if (rule.pattern.case === undefined) return [];
  const names: string[] = [];
  const segments = rule.pattern.value.split('/').slice(1);
  const source = segments.map((segment, index) => {
    const name = /^\{([^=}]+)(=\*\*)?\}$/.exec(segment);
    if (!name) return `/${segment.replaceAll('.', '\\.')}`;
    names.push(name[1] as string);
    if (name[2]) return '/(.*)';
    return mayEndEmpty && index === segments.length - 1 ? '/([^/]*)' : '/([^/]+)';
  });
  const expression = new RegExp(`^${source.join('')}$`);
  return [
    {
      verb: rule.pattern.case.toUpperCase(),
      endpoint,
      body: rule.body,
      weight: segments.length * 10 - names.length,
      match(path) {
        const found = expression.exec(path);
        return found ? Object.fromEntries(names.map((name, i) => [name, found[i + 1] as string])) : undefined;
      },
    },
  ];
}
