import { type Client, canonicalQuantity, type KubeObject, quantityValue } from '@tiphys/kubernetes';
import { isPodTerminal } from '../machinery/pods.ts';
import type { Container, PersistentVolumeClaim, Pod } from '../machinery/workload-model.ts';

export interface ResourceQuota extends KubeObject {
  spec: {
    hard?: Record<string, string>;
    scopes?: string[];
    scopeSelector?: { matchExpressions?: { scopeName: string; operator: string; values?: string[] }[] };
  };
  status?: { hard?: Record<string, string>; used?: Record<string, string> };
}

/** Kinds that may be counted by their plain plural. */
const plain: Record<string, string> = {
  services: 'Service',
  secrets: 'Secret',
  configmaps: 'ConfigMap',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  replicationcontrollers: 'ReplicationController',
  resourcequotas: 'ResourceQuota',
};
const classSuffix = '.storageclass.storage.k8s.io/';

/** What a namespace uses of each resource that the quota limits, as quantities. */
export async function quotaUsage(client: Client, quota: ResourceQuota): Promise<Record<string, string>> {
  const namespace = quota.metadata.namespace ?? '';
  const lists = new Map<string, Promise<KubeObject[]>>();
  const list = <T extends KubeObject>(apiVersion: string, kind: string): Promise<T[]> => {
    const key = `${apiVersion}/${kind}`;
    const known = lists.get(key) ?? client.list({ apiVersion, kind, namespace }).then(({ items }) => items);
    lists.set(key, known);
    return known as Promise<T[]>;
  };
  const used: Record<string, string> = {};
  for (const name of Object.keys(quota.spec.hard ?? {})) {
    const amount = await amountOf(client, quota, name, list);
    if (amount !== undefined) used[name] = canonicalQuantity(amount) ?? amount;
  }
  return used;
}

type Lister = <T extends KubeObject>(apiVersion: string, kind: string) => Promise<T[]>;

async function amountOf(client: Client, quota: ResourceQuota, name: string, list: Lister): Promise<string | undefined> {
  if (name.startsWith('count/')) return counted(client, name.slice('count/'.length), list);
  if (plain[name]) return String((await list('v1', plain[name])).length);
  if (name === 'services.loadbalancers' || name === 'services.nodeports') return services(name, list);
  if (name === 'requests.storage' || name.includes(classSuffix)) return storage(name, list);
  const pods = (await list<Pod>('v1', 'Pod')).filter((pod) => !isPodTerminal(pod) && isInScope(quota, pod));
  if (name === 'pods') return String(pods.length);
  const [, side = 'requests', resource = name] = /^(requests|limits)\.(.+)$/.exec(name) ?? [];
  const total = pods.reduce((sum, pod) => sum + podAmount(pod, side as 'requests' | 'limits', resource), 0);
  return quantityText(total, resource);
}

async function counted(client: Client, name: string, list: Lister): Promise<string | undefined> {
  const dot = name.indexOf('.');
  const [plural, group] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
  const resources = await client.discovery.resources();
  const resource = resources.find((each) => each.plural === plural && each.group === group);
  if (!resource) return '0';
  return String((await list(group ? `${group}/${resource.version}` : resource.version, resource.kind)).length);
}

async function services(name: string, list: Lister): Promise<string> {
  const all = await list<KubeObject & { spec: { type?: string; ports?: unknown[] } }>('v1', 'Service');
  if (name === 'services.loadbalancers') return String(all.filter(({ spec }) => spec.type === 'LoadBalancer').length);
  const exposed = all.filter(({ spec }) => spec.type === 'NodePort' || spec.type === 'LoadBalancer');
  return String(exposed.reduce((sum, { spec }) => sum + (spec.ports?.length ?? 0), 0));
}

async function storage(name: string, list: Lister): Promise<string> {
  const [className, what = ''] = name.includes(classSuffix) ? name.split(classSuffix) : [undefined, name];
  const claims = (await list<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim')).filter(
    ({ spec }) => className === undefined || spec.storageClassName === className,
  );
  if (what === 'persistentvolumeclaims') return String(claims.length);
  const total = claims.reduce((sum, { spec }) => sum + quantityValue(spec.resources?.requests?.storage ?? '0'), 0);
  return quantityText(total, 'storage');
}

/** A pod needs the sum of its containers, or the most that an init container needs; sidecars count with both. */
function podAmount({ spec }: Pod, side: 'requests' | 'limits', resource: string): number {
  const amount = ({ resources }: Container) => quantityValue(resources?.[side]?.[resource] ?? '0');
  const inits = spec.initContainers ?? [];
  const sidecars = inits
    .filter(({ restartPolicy }) => restartPolicy === 'Always')
    .reduce((sum, each) => sum + amount(each), 0);
  const main = spec.containers.reduce((sum, each) => sum + amount(each), sidecars);
  const init = Math.max(0, ...inits.filter(({ restartPolicy }) => restartPolicy !== 'Always').map(amount));
  return Math.max(main, init + sidecars) + quantityValue(spec.overhead?.[resource] ?? '0');
}

/** Bytes in binary units where they are whole, CPU in thousandths. */
function quantityText(amount: number, resource: string): string {
  if (resource === 'cpu') return `${Math.round(amount * 1000)}m`;
  const isBytes = /memory|storage|hugepages/.test(resource);
  return isBytes && amount > 0 && amount % 1024 === 0 ? `${amount / 1024}Ki` : String(amount);
}

function isInScope({ spec }: ResourceQuota, pod: Pod): boolean {
  const plainScopes = (spec.scopes ?? []).map((scopeName) => ({
    scopeName,
    operator: 'Exists',
    values: [] as string[],
  }));
  return [...plainScopes, ...(spec.scopeSelector?.matchExpressions ?? [])].every(({ scopeName, operator, values }) => {
    if (scopeName === 'PriorityClass') {
      const name = pod.spec.priorityClassName as string | undefined;
      if (operator === 'Exists') return Boolean(name);
      if (operator === 'DoesNotExist') return !name;
      return (values ?? []).includes(name ?? '') === (operator === 'In');
    }
    const terminating = pod.spec.activeDeadlineSeconds !== undefined;
    const bestEffort = ![...pod.spec.containers, ...(pod.spec.initContainers ?? [])].some(
      ({ resources }) => Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0,
    );
    const matches: Record<string, boolean> = {
      Terminating: terminating,
      NotTerminating: !terminating,
      BestEffort: bestEffort,
      NotBestEffort: !bestEffort,
    };
    return matches[scopeName] ?? false;
  });
}
