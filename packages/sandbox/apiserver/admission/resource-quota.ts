import { type Attributes, admissionForbidden } from '@tiphys/admission-rules';
import { fieldManagerOf, type Resource } from '@tiphys/apimachinery';
import { type Container, POD_QUOTAS, type PodObject, type PodSpec, type ServiceSpec } from '@tiphys/kinds';
import { type coreV1, formatQuantity, type KubeObject, type Quantity } from '@tiphys/kubernetes';
import { type Amounts, addAmounts, amountsOf, podAmounts } from './pod-resources.ts';

interface ScopeRequirement {
  scopeName: string;
  operator: string;
  values?: string[];
}

interface Quota extends KubeObject {
  spec: { scopes?: string[]; scopeSelector?: { matchExpressions?: ScopeRequirement[] } };
  status?: { hard?: Record<string, string>; used?: Record<string, string> };
}

const ONE: Quantity = { nano: 1_000_000_000n, format: 'decimal' };
const ALIASES = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);
const CLASS = '.storageclass.storage.k8s.io/';
/** What every container has to state when a quota limits it. */
const STATED = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];

/** Refuses what exceeds a ResourceQuota of the namespace, and charges what is allowed. */
export function enforceQuotas(attributes: Attributes): void {
  const { server, namespace, object, dryRun } = attributes;
  const collection = server.store.collection('resourcequotas');
  if (!namespace || !object || !collection.size || !counts(attributes)) return;
  const charges: { key: string; quota: Quota; used: Amounts }[] = [];
  for (const key of collection.keys().filter((candidate) => candidate.startsWith(`${namespace}/`))) {
    const quota = collection.get(key)?.object as Quota;
    const used = charge(attributes, object, quota);
    if (used) charges.push({ key, quota, used });
  }
  if (dryRun) return;
  const resource = server.registry.find('', 'v1', 'resourcequotas') as Resource;
  for (const { key, quota, used } of charges) {
    const next = { ...quota, status: { ...quota.status, used: texts(used) } };
    server.store.put(collection, key, fieldManagerOf(server, resource, 'status').update(quota, next, 'kube-apiserver'));
  }
}

/** Only what may change a usage is counted. */
function counts({ resource, subresource, operation, object, old }: Attributes): boolean {
  if (resource.collection === 'pods') {
    if (subresource === 'resize') return operation === 'UPDATE';
    if (subresource) return false;
    return operation === 'CREATE' || (operation === 'UPDATE' && isTerminating(object) !== isTerminating(old));
  }
  if (subresource) return false;
  if (resource.collection === 'services' || resource.collection === 'persistentvolumeclaims')
    return operation === 'CREATE' || operation === 'UPDATE';
  return operation === 'CREATE';
}

/** What would be used after the request; undefined if the quota does not concern it. */
function charge(attributes: Attributes, object: KubeObject, quota: Quota): Amounts | undefined {
  const { resource, operation, old } = attributes;
  const name = quota.metadata.name ?? '';
  const hard = amountsOf(quota.status?.hard);
  const usage = usageOf(attributes, object);
  const restricted = [...hard.keys()].filter((key) => restricts(attributes, key, usage));
  if (!restricted.length || !inScope(quota, attributes, object)) return undefined;
  if (resource.collection === 'pods') requireStated(attributes, name, restricted, (object as PodObject).spec);
  const used = amountsOf(quota.status?.used);
  if (restricted.some((key) => !used.has(key)))
    throw admissionForbidden(
      attributes,
      `status unknown for quota: ${name}, resources: ${restricted.sort().join(',')}`,
    );
  const before =
    operation === 'UPDATE' && old && inScope(quota, attributes, old) ? usageOf(attributes, old) : new Map();
  const requested: Amounts = new Map();
  for (const [key, quantity] of usage) {
    const nano = quantity.nano - ((before.get(key) as Quantity | undefined)?.nano ?? 0n);
    if (nano > 0n && hard.has(key)) requested.set(key, { ...quantity, nano });
  }
  if (!requested.size) return undefined;
  const next = addAmounts(used, requested);
  const exceeded = [...requested.keys()].filter(
    (key) => (next.get(key) as Quantity).nano > (hard.get(key) as Quantity).nano,
  );
  if (exceeded.length) {
    const show = (amounts: Amounts) => pretty(new Map([...amounts].filter(([key]) => exceeded.includes(key))));
    throw admissionForbidden(
      attributes,
      `exceeded quota: ${name}, requested: ${show(requested)}, used: ${show(used)}, limited: ${show(hard)}`,
    );
  }
  return next;
}

function pretty(amounts: Amounts): string {
  return [...amounts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, quantity]) => `${key}=${formatQuantity(quantity)}`)
    .join(',');
}

function texts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([key, quantity]) => [key, formatQuantity(quantity)]));
}

/** Whether a limited resource is one that such objects use. */
function restricts({ resource }: Attributes, key: string, usage: Amounts): boolean {
  switch (resource.collection) {
    case 'pods':
      return (
        key === 'count/pods' ||
        POD_QUOTAS.includes(key) ||
        /^(requests\.)?hugepages-/.test(key) ||
        (key.startsWith('requests.') && key.includes('/') && !key.includes(CLASS))
      );
    case 'services':
      return ['services', 'services.nodeports', 'services.loadbalancers', 'count/services'].includes(key);
    case 'persistentvolumeclaims':
      return (
        ['persistentvolumeclaims', 'requests.storage', 'count/persistentvolumeclaims'].includes(key) ||
        key.endsWith(`${CLASS}persistentvolumeclaims`) ||
        key.endsWith(`${CLASS}requests.storage`)
      );
    default:
      return usage.has(key);
  }
}

function usageOf({ resource }: Attributes, object: KubeObject): Amounts {
  const usage: Amounts = new Map([[`count/${resource.plural}${resource.group ? `.${resource.group}` : ''}`, ONE]]);
  switch (resource.collection) {
    case 'pods':
      for (const [key, quantity] of podUsage(object as PodObject)) usage.set(key, quantity);
      return usage;
    case 'services':
      for (const [key, quantity] of serviceUsage(object.spec as ServiceSpec)) usage.set(key, quantity);
      return usage;
    case 'persistentvolumeclaims':
      for (const [key, quantity] of claimUsage(object)) usage.set(key, quantity);
      return usage;
    default:
      if (resource.group === '' && ALIASES.has(resource.plural)) usage.set(resource.plural, ONE);
      return usage;
  }
}

function podUsage({ spec, status }: PodObject): Amounts {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return new Map();
  return namedUsage(podAmounts(spec, 'requests'), podAmounts(spec, 'limits'));
}

function namedUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage: Amounts = new Map([['pods', ONE]]);
  for (const [name, quantity] of requests) {
    if (['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-'))
      usage.set(name, quantity);
    usage.set(`requests.${name}`, quantity);
  }
  for (const [name, quantity] of limits)
    if (['cpu', 'memory', 'ephemeral-storage'].includes(name)) usage.set(`limits.${name}`, quantity);
  return usage;
}

function serviceUsage({ type, ports = [], allocateLoadBalancerNodePorts }: ServiceSpec): Amounts {
  const usage: Amounts = new Map([['services', ONE]]);
  const count = (value: number): Quantity => ({ nano: BigInt(value) * ONE.nano, format: 'decimal' });
  const balanced = type === 'LoadBalancer';
  const exposed = type === 'NodePort' || (balanced && allocateLoadBalancerNodePorts !== false);
  const nodePorts = exposed ? ports.length : balanced ? ports.filter(({ nodePort }) => nodePort).length : 0;
  usage.set('services.nodeports', count(nodePorts));
  usage.set('services.loadbalancers', count(balanced ? 1 : 0));
  return usage;
}

function claimUsage(object: KubeObject): Amounts {
  const spec = object.spec as coreV1.PersistentVolumeClaimSpec;
  const usage: Amounts = new Map([['persistentvolumeclaims', ONE]]);
  const className = object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName;
  const storage = amountsOf(spec.resources?.requests).get('storage');
  if (storage) usage.set('requests.storage', storage);
  if (!className) return usage;
  usage.set(`${className}${CLASS}persistentvolumeclaims`, ONE);
  if (storage) usage.set(`${className}${CLASS}requests.storage`, storage);
  return usage;
}

function requireStated(attributes: Attributes, quota: string, restricted: readonly string[], spec: PodSpec): void {
  const required = STATED.filter((key) => restricted.includes(key));
  const missing = new Map<string, string[]>();
  const inspect = ({ name, resources }: Container) => {
    const stated = namedUsage(amountsOf(resources?.requests), amountsOf(resources?.limits));
    for (const key of required) if (!stated.has(key)) missing.set(key, [...(missing.get(key) ?? []), name]);
  };
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) inspect(container);
  if (!missing.size) return;
  const list = [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, names]) => `${key} for: ${names.sort().join(',')}`);
  throw admissionForbidden(attributes, `failed quota: ${quota}: must specify ${list.join('; ')}`);
}

function isTerminating(object: KubeObject | undefined): boolean {
  const { activeDeadlineSeconds: deadline } = (object?.spec ?? {}) as PodSpec;
  return deadline !== undefined && deadline >= 0;
}

function inScope({ spec }: Quota, { resource }: Attributes, object: KubeObject): boolean {
  const requirements: ScopeRequirement[] = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  if (!requirements.length) return true;
  if (resource.collection !== 'pods') return false;
  return requirements.every((requirement) => podMatches((object as PodObject).spec, object, requirement));
}

function podMatches(
  spec: PodSpec,
  object: KubeObject,
  { scopeName, operator, values = [] }: ScopeRequirement,
): boolean {
  switch (scopeName) {
    case 'Terminating':
      return isTerminating(object);
    case 'NotTerminating':
      return !isTerminating(object);
    case 'BestEffort':
      return isBestEffort(spec);
    case 'NotBestEffort':
      return !isBestEffort(spec);
    case 'CrossNamespacePodAffinity':
      return /"namespaces":\[".|"namespaceSelector":/.test(JSON.stringify((spec as coreV1.PodSpec).affinity ?? {}));
    case 'PriorityClass': {
      const name = spec.priorityClassName ?? '';
      if (operator === 'Exists') return name !== '';
      if (operator === 'DoesNotExist') return name === '';
      return operator === 'In' ? values.includes(name) : !values.includes(name);
    }
    default:
      return false;
  }
}

function isBestEffort(spec: PodSpec): boolean {
  return ![...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(({ resources }) =>
    [resources?.requests, resources?.limits].some((list) => list?.cpu !== undefined || list?.memory !== undefined),
  );
}
