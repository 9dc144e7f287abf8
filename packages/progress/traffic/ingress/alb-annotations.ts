import { invalidRouting } from '../model/diagnoses.ts';
import { canaryOf, routingOf, stableAndCanary, stableWeight } from '../model/services.ts';
import type { AlbRouting, RoutedRollout, SetHeaderRoute, WeightDestination } from '../model/types.ts';

/** Tells which annotations of an Ingress belong to which Rollout. */
const managedAnnotation = 'rollouts.argoproj.io/managed-alb-annotations';
const maxStickiness = 604_800;

export type Annotations = Readonly<Record<string, string>>;

function albOf(rollout: RoutedRollout): AlbRouting {
  return routingOf(rollout).alb ?? { servicePort: 0 };
}

/** The Service that rules of the Ingress name, and the load balancer's action with it. */
export function actionService(rollout: RoutedRollout): string {
  return albOf(rollout).rootService || canaryOf(rollout).stableService || '';
}

export function actionKey(rollout: RoutedRollout, action: string): string {
  return `${albOf(rollout).annotationPrefix || 'alb.ingress.kubernetes.io'}/actions.${action}`;
}

function conditionKey(rollout: RoutedRollout, action: string): string {
  return `${albOf(rollout).annotationPrefix || 'alb.ingress.kubernetes.io'}/conditions.${action}`;
}

/** The annotations with the action that divides requests between canary, additional destinations and stable. */
export function withWeightAction(
  annotations: Annotations,
  rollout: RoutedRollout,
  wanted: { weight: number; additional: readonly WeightDestination[] },
): Annotations {
  const { stable, canary } = stableAndCanary(rollout, { preferPingPong: true });
  const groups = [
    { service: canary, weight: wanted.weight },
    ...wanted.additional.map(({ serviceName = '', weight }) => ({ service: serviceName, weight })),
    { service: stable, weight: stableWeight(wanted.weight, wanted.additional) },
  ];
  const key = actionKey(rollout, actionService(rollout));
  return managed({ ...annotations, [key]: forwardAction(rollout, groups) }, rollout, { add: [key] });
}

/** The annotations with action and condition of a header route to the canary; without them if nothing is to match. */
export function withHeaderAction(annotations: Annotations, rollout: RoutedRollout, route: SetHeaderRoute): Annotations {
  const name = route.name ?? '';
  if (!route.match) return withoutActions(annotations, rollout, [name]);
  const { canary } = stableAndCanary(rollout, { preferPingPong: true });
  const keys = [actionKey(rollout, name), conditionKey(rollout, name)] as const;
  const texts = {
    [keys[0]]: forwardAction(rollout, [{ service: canary, weight: 100 }]),
    [keys[1]]: headerConditions(route),
  };
  return managed({ ...annotations, ...texts }, rollout, { add: keys });
}

/** The annotations without those of header routes. */
export function withoutActions(
  annotations: Annotations,
  rollout: RoutedRollout,
  names: readonly string[],
): Annotations {
  const keys = names.flatMap((name) => [actionKey(rollout, name), conditionKey(rollout, name)]);
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !keys.includes(key)));
  return managed(kept, rollout, { remove: keys });
}

/** The text of an action, in the order of members that the load balancer's controller has always been given. */
function forwardAction(rollout: RoutedRollout, groups: readonly { service: string; weight: number }[]): string {
  const { servicePort, stickinessConfig } = albOf(rollout);
  const TargetGroups = groups.map(({ service, weight }) => ({
    ...(service ? { ServiceName: service } : {}),
    ServicePort: String(servicePort),
    Weight: weight,
  }));
  const sticky = stickinessConfig?.enabled ? stickinessConfig.durationSeconds : undefined;
  if (sticky !== undefined && (sticky < 1 || sticky > maxStickiness))
    throw invalidRouting("TargetGroupStickinessConfig's duration must be between 1 and 604800 seconds (7 days)!");
  const stickiness =
    sticky === undefined ? {} : { TargetGroupStickinessConfig: { Enabled: true, DurationSeconds: sticky } };
  return JSON.stringify({ Type: 'forward', ForwardConfig: { TargetGroups, ...stickiness } });
}

/** Exact values of one header become the values of one condition. */
function headerConditions({ match = [] }: SetHeaderRoute): string {
  const values = new Map<string, string[]>();
  for (const { headerName, headerValue } of match)
    values.set(headerName, [...(values.get(headerName) ?? []), headerValue.exact ?? '']);
  return JSON.stringify(
    [...values].map(([httpHeaderName, list]) => ({
      field: 'http-header',
      httpHeaderConfig: { httpHeaderName, values: list },
    })),
  );
}

function managed(
  annotations: Annotations,
  rollout: RoutedRollout,
  changes: { add?: readonly string[]; remove?: readonly string[] },
): Annotations {
  const all = parseManaged(annotations[managedAnnotation]);
  const name = rollout.metadata.name ?? '';
  const own = new Set(all.get(name));
  for (const key of changes.add ?? []) own.add(key);
  for (const key of changes.remove ?? []) own.delete(key);
  all.set(name, [...own]);
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...annotations, [managedAnnotation]: JSON.stringify(Object.fromEntries(sorted)) };
}

function parseManaged(text: string | undefined): Map<string, string[]> {
  if (!text) return new Map();
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, string[]>));
  } catch {
    throw invalidRouting(`annotation ${managedAnnotation} is no JSON: ${text.slice(0, 200)}`, undefined, [
      'Remove the annotation: it is written anew',
    ]);
  }
}
