import { type Attributes, admissionForbidden } from '@tiphys/admission-rules';
import type { Container, PodObject } from '@tiphys/kinds';
import { type coreV1, formatQuantity, type KubeObject, type Quantity } from '@tiphys/kubernetes';
import { type Amounts, amountsOf, podAmounts } from './pod-resources.ts';

interface Limit extends coreV1.LimitRangeItem {
  type: string;
}

function limitRanges({ server, namespace }: Attributes): Limit[][] {
  const collection = server.store.collection('limitranges');
  return collection
    .keys()
    .filter((key) => key.startsWith(`${namespace}/`))
    .map((key) => ((collection.objectOf(key).spec as coreV1.LimitRangeSpec | undefined)?.limits ?? []) as Limit[]);
}

/** Whether limits concern a request: new pods and claims, and claims that change. */
function concerns({ resource, subresource, operation }: Attributes): boolean {
  if (resource.collection === 'pods' && subresource === 'resize') return operation === 'UPDATE';
  if (subresource) return false;
  if (resource.collection === 'pods') return operation === 'CREATE';
  return resource.collection === 'persistentvolumeclaims' && (operation === 'CREATE' || operation === 'UPDATE');
}

/** Gives the containers of a new pod what LimitRanges set where nothing else is said. */
export function defaultLimits(attributes: Attributes): void {
  if (attributes.resource.collection !== 'pods' || !concerns(attributes) || attributes.operation !== 'CREATE') return;
  const pod = attributes.object as PodObject;
  for (const limits of limitRanges(attributes)) {
    const notes: string[] = [];
    const containers = limits.filter(({ type }) => type === 'Container');
    const defaults = {
      limits: Object.assign({}, ...containers.map((limit) => limit.default)) as Record<string, string>,
      requests: Object.assign({}, ...containers.map((limit) => limit.defaultRequest)) as Record<string, string>,
    };
    for (const container of pod.spec.containers ?? []) fill(container, defaults, 'container', notes);
    for (const container of pod.spec.initContainers ?? []) fill(container, defaults, 'init container', notes);
    if (notes.length)
      pod.metadata.annotations = {
        ...pod.metadata.annotations,
        'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${notes.join('; ')}`,
      };
  }
}

function fill(
  container: Container,
  defaults: { limits: Record<string, string>; requests: Record<string, string> },
  kind: string,
  notes: string[],
): void {
  for (const side of ['requests', 'limits'] as const) {
    const present = container.resources?.[side] ?? {};
    const missing = Object.keys(defaults[side]).filter((name) => present[name] === undefined);
    if (!missing.length) continue;
    const added = Object.fromEntries(missing.map((name) => [name, defaults[side][name] as string]));
    container.resources = { ...container.resources, [side]: sorted({ ...present, ...added }) };
    notes.push(
      `${missing.sort().join(', ')} ${side === 'requests' ? 'request' : 'limit'} for ${kind} ${container.name}`,
    );
  }
}

function sorted(list: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Refuses what LimitRanges don't allow. */
export function enforceLimits(attributes: Attributes): void {
  if (!concerns(attributes) || !attributes.object) return;
  for (const limits of limitRanges(attributes)) {
    const errors = limits.flatMap((limit) =>
      attributes.resource.collection === 'pods'
        ? podErrors(limit, attributes.object as PodObject)
        : claimErrors(limit, attributes.object as KubeObject),
    );
    // The same complaint about several containers is reported once.
    const unique = [...new Set(errors)];
    if (unique.length)
      throw admissionForbidden(attributes, unique.length === 1 ? (unique[0] as string) : `[${unique.join(', ')}]`);
  }
}

function podErrors(limit: Limit, { spec }: PodObject): string[] {
  if (limit.type === 'Container')
    return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      constraintErrors(limit, amountsOf(resources?.requests), amountsOf(resources?.limits)),
    );
  if (limit.type === 'Pod') return constraintErrors(limit, podAmounts(spec, 'requests'), podAmounts(spec, 'limits'));
  return [];
}

function claimErrors(limit: Limit, claim: KubeObject): string[] {
  if (limit.type !== 'PersistentVolumeClaim') return [];
  const { resources } = claim.spec as coreV1.PersistentVolumeClaimSpec;
  const requests = amountsOf(resources?.requests);
  return [
    ...each(limit.min, (name, bound) => minimum(limit.type, name, bound, requests, new Map())),
    ...each(limit.max, (name, bound) => {
      const request = requests.get(name);
      if (!request)
        return `maximum ${name} usage per ${limit.type} is ${formatQuantity(bound)}.  No request is specified`;
      if (request.nano <= bound.nano) return undefined;
      return `maximum ${name} usage per ${limit.type} is ${formatQuantity(bound)}, but request is ${formatQuantity(request)}`;
    }),
  ];
}

function each(
  list: Record<string, string> | undefined,
  check: (name: string, bound: Quantity) => string | undefined,
): string[] {
  return [...amountsOf(list)].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, bound]) => check(name, bound) ?? []);
}

function constraintErrors(limit: Limit, requests: Amounts, limits: Amounts): string[] {
  const { type } = limit;
  return [
    ...each(limit.min, (name, bound) => minimum(type, name, bound, requests, limits)),
    ...each(limit.max, (name, bound) => {
      const [request, top] = [requests.get(name), limits.get(name)];
      const head = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
      if (!top) return `${head}.  No limit is specified`;
      if (top.nano > bound.nano) return `${head}, but limit is ${formatQuantity(top)}`;
      return request && request.nano > bound.nano ? `${head}, but request is ${formatQuantity(request)}` : undefined;
    }),
    ...each(limit.maxLimitRequestRatio, (name, bound) =>
      ratio(type, name, bound, requests.get(name), limits.get(name)),
    ),
  ];
}

function minimum(type: string, name: string, bound: Quantity, requests: Amounts, limits: Amounts): string | undefined {
  const [request, top] = [requests.get(name), limits.get(name)];
  const head = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  if (!request) return `${head}.  No request is specified`;
  if (request.nano < bound.nano) return `${head}, but request is ${formatQuantity(request)}`;
  return top && top.nano < bound.nano ? `${head}, but limit is ${formatQuantity(top)}` : undefined;
}

function ratio(
  type: string,
  name: string,
  bound: Quantity,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string | undefined {
  const head = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`;
  if (!request?.nano) return `${head}, but no request is specified or request is 0`;
  if (!limit?.nano) return `${head}, but no limit is specified or limit is 0`;
  const observed = Number(limit.nano) / Number(request.nano);
  return observed > Number(bound.nano) / 1e9 ? `${head}, but provided ratio is ${observed.toFixed(6)}` : undefined;
}
