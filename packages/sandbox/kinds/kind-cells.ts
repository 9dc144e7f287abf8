import { formatSelector, type LabelSelector } from '@tiphys/apimachinery';
import { ageOf, humanDuration, type KubeObject } from '@tiphys/kubernetes';
import { at, formatLabels, listAt, numberAt, shortList, textAt } from './cell-values.ts';

export type Cells = (object: KubeObject, now: number) => unknown[];

export const age = (object: KubeObject, now: number): string => ageOf(object.metadata.creationTimestamp, now);
export const name = (object: KubeObject): string | undefined => object.metadata.name;

/** Names and images of a template's containers. */
export function containers(object: unknown, path: string): [string, string] {
  const list = listAt<{ name: string; image?: string }>(object, path);
  return [list.map((container) => container.name).join(','), list.map(({ image = '' }) => image).join(',')];
}

export function selector(object: unknown, path = 'spec.selector'): string {
  return formatSelector(at(object, path) as LabelSelector | undefined);
}

export const TEMPLATE = 'spec.template.spec.containers';

export const replicaCells: Cells = (o, now) => [
  name(o),
  numberAt(o, 'spec.replicas'),
  numberAt(o, 'status.replicas'),
  numberAt(o, 'status.readyReplicas'),
  age(o, now),
];

export function componentCells(o: KubeObject): unknown[] {
  const found = listAt<{ type: string; status: string; message?: string; error?: string }>(o, 'conditions').find(
    ({ type }) => type === 'Healthy',
  );
  const status = { True: 'Healthy', False: 'Unhealthy' }[found?.status ?? ''] ?? 'Unknown';
  return [name(o), status, found?.message ?? '', found?.error ?? ''];
}

export function nodeCells(o: KubeObject, now: number): unknown[] {
  const ready = listAt<{ type: string; status: string }>(o, 'status.conditions').find(({ type }) => type === 'Ready');
  const status = [ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown'];
  if (at(o, 'spec.unschedulable') === true) status.push('SchedulingDisabled');
  const roles = Object.entries(o.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith('node-role.kubernetes.io/')) return key.slice('node-role.kubernetes.io/'.length) || [];
    return key === 'kubernetes.io/role' && value ? value : [];
  });
  const address = (type: string) =>
    listAt<{ type: string; address: string }>(o, 'status.addresses').find((item) => item.type === type)?.address ??
    '<none>';
  return [
    name(o),
    status.join(','),
    [...new Set(roles)].sort().join(',') || '<none>',
    age(o, now),
    textAt(o, 'status.nodeInfo.kubeletVersion'),
    address('InternalIP'),
    address('ExternalIP'),
    textAt(o, 'status.nodeInfo.osImage', '<unknown>'),
    textAt(o, 'status.nodeInfo.kernelVersion', '<unknown>'),
    textAt(o, 'status.nodeInfo.containerRuntimeVersion', '<unknown>'),
  ];
}

export function balancerText(o: KubeObject): string {
  const found = listAt<{ ip?: string; hostname?: string }>(o, 'status.loadBalancer.ingress').map(
    ({ ip, hostname }) => ip || hostname || '',
  );
  return [...new Set(found.filter(Boolean))].sort().join(',');
}

export function serviceCells(o: KubeObject, now: number): unknown[] {
  const externalIps = listAt<string>(o, 'spec.externalIPs');
  const type = textAt(o, 'spec.type');
  let external = externalIps.join(',') || '<none>';
  if (type === 'LoadBalancer') external = [balancerText(o), ...externalIps].filter(Boolean).join(',') || '<pending>';
  if (type === 'ExternalName') external = textAt(o, 'spec.externalName');
  const ports = listAt<{ port: number; nodePort?: number; protocol: string }>(o, 'spec.ports').map(
    ({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`,
  );
  return [
    name(o),
    type,
    listAt<string>(o, 'spec.clusterIPs')[0] ?? '<none>',
    external,
    ports.join(',') || '<none>',
    age(o, now),
    formatLabels(at(o, 'spec.selector')),
  ];
}

export function endpointList(o: KubeObject): string {
  const subsets = listAt(o, 'subsets');
  const all = subsets.flatMap((subset) => {
    const addresses = listAt<{ ip: string }>(subset, 'addresses');
    const ports = listAt<{ port: number }>(subset, 'ports');
    if (!ports.length) return addresses.map(({ ip }) => ip);
    return ports.flatMap(({ port }) =>
      addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
    );
  });
  if (!subsets.length) return '<none>';
  return all.length ? shortList(all, 3) : '';
}

export function eventCells(o: KubeObject, now: number): unknown[] {
  const first = at(o, 'firstTimestamp') ? ageOf(o.firstTimestamp, now) : ageOf(o.eventTime, now);
  const seriesCount = at(o, 'series.count');
  const last = at(o, 'series')
    ? ageOf(at(o, 'series.lastObservedTime'), now)
    : at(o, 'lastTimestamp')
      ? ageOf(o.lastTimestamp, now)
      : first;
  const involved = textAt(o, 'involvedObject.name');
  const kind = textAt(o, 'involvedObject.kind').toLowerCase();
  const component = textAt(o, 'source.component') || textAt(o, 'reportingComponent');
  const host = textAt(o, 'source.host') || textAt(o, 'reportingInstance');
  return [
    last,
    textAt(o, 'type'),
    textAt(o, 'reason'),
    involved ? `${kind}/${involved}` : kind,
    textAt(o, 'involvedObject.fieldPath'),
    host ? `${component}, ${host}` : component,
    textAt(o, 'message').trim(),
    first,
    typeof seriesCount === 'number' ? seriesCount : numberAt(o, 'count') || 1,
    name(o),
  ];
}

export function quotaCells(o: KubeObject, now: number): unknown[] {
  const hard = (at(o, 'status.hard') ?? {}) as Record<string, string>;
  const used = (at(o, 'status.used') ?? {}) as Record<string, string>;
  const names = Object.keys(hard).sort();
  const text = (wanted: boolean) =>
    names
      .filter((resource) => resource.startsWith('limits.') === wanted)
      .map((resource) => `${resource}: ${used[resource] ?? '0'}/${hard[resource]}`)
      .join(', ');
  return [name(o), text(false), text(true), age(o, now)];
}

const MODES: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export function accessModes(modes: unknown): string {
  const present = Array.isArray(modes) ? (modes as string[]) : [];
  return Object.keys(MODES)
    .filter((mode) => present.includes(mode))
    .map((mode) => MODES[mode])
    .join(',');
}

export function storageClassOf(o: KubeObject): string {
  return o.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? textAt(o, 'spec.storageClassName');
}

export function jobCells(o: KubeObject, now: number): unknown[] {
  const conditions = listAt<{ type: string; status: string }>(o, 'status.conditions');
  const has = (type: string) => conditions.some((condition) => condition.type === type && condition.status === 'True');
  let status = 'Running';
  if (has('Complete')) status = 'Complete';
  else if (has('Failed')) status = 'Failed';
  else if (o.metadata.deletionTimestamp) status = 'Terminating';
  else status = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
  const succeeded = numberAt(o, 'status.succeeded');
  const parallelism = numberAt(o, 'spec.parallelism');
  const wanted = at(o, 'spec.completions');
  const completions =
    wanted === undefined ? `${succeeded}/1${parallelism > 1 ? ` of ${parallelism}` : ''}` : `${succeeded}/${wanted}`;
  const [started, ended] = [textAt(o, 'status.startTime'), textAt(o, 'status.completionTime')];
  const duration = started ? humanDuration((ended ? Date.parse(ended) : now) - Date.parse(started)) : '';
  return [name(o), status, completions, duration, age(o, now), ...containers(o, TEMPLATE), selector(o)];
}

export function hostsText(o: KubeObject): string {
  const rules = listAt(o, 'spec.rules');
  const hosts = rules.map((rule) => textAt(rule, 'host'));
  const named = hosts.filter(Boolean);
  const shown = named.slice(0, 3);
  if (!shown.length) return '*';
  // What is left out is counted in rules, those for any host included.
  let seen = 0;
  const third = hosts.findIndex((host) => host !== '' && ++seen === 3);
  const more = shown.length === 3 && third < rules.length - 1;
  return more ? `${shown.join(',')} + ${rules.length - 3} more...` : shown.join(',');
}

export function bindingCells(o: KubeObject, now: number): unknown[] {
  const subjects = listAt<{ kind: string; name: string; namespace?: string }>(o, 'subjects');
  const of = (kind: string) => subjects.filter((subject) => subject.kind === kind);
  return [
    name(o),
    `${textAt(o, 'roleRef.kind')}/${textAt(o, 'roleRef.name')}`,
    age(o, now),
    of('User')
      .map((subject) => subject.name)
      .join(', '),
    of('Group')
      .map((subject) => subject.name)
      .join(', '),
    of('ServiceAccount')
      .map((subject) => `${subject.namespace ?? ''}/${subject.name}`)
      .join(', '),
  ];
}

const SOURCES: Record<string, string> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
};

export function metricsText(o: KubeObject): string {
  const current = listAt(o, 'status.currentMetrics');
  const all = listAt(o, 'spec.metrics').map((metric, index) => {
    const source = SOURCES[textAt(metric, 'type')] ?? '';
    const target = at(metric, `${source}.target`);
    const now = at(current[index], `${source}.current`);
    const resource = source === 'resource' || source === 'containerResource';
    const prefix = resource ? `${textAt(metric, `${source}.name`)}: ` : '';
    if (at(target, 'averageValue') !== undefined) {
      const text = `${prefix}${textAt(now, 'averageValue', '<unknown>')}/${textAt(target, 'averageValue')}`;
      return source === 'external' || source === 'object' ? `${text} (avg)` : text;
    }
    if (resource) {
      const percent = (value: unknown, missing: string) => (value === undefined ? missing : `${String(value)}%`);
      return `${prefix}${percent(at(now, 'averageUtilization'), '<unknown>')}/${percent(at(target, 'averageUtilization'), '<auto>')}`;
    }
    return `${textAt(now, 'value', '<unknown>')}/${textAt(target, 'value', '0')}`;
  });
  return all.length ? shortList(all, 2, ', ') : '<none>';
}

/** Which parameters a binding of a policy names. */
export function parametersText(o: KubeObject): string {
  const name = textAt(o, 'spec.paramRef.name');
  if (name) return `${textAt(o, 'spec.paramRef.namespace', '*')}/${name}`;
  const selector = at(o, 'spec.paramRef.selector') as LabelSelector | undefined;
  return selector ? goSelector(selector) : '<unset>';
}

/** A label selector as Go prints its struct. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
    .join('');
  const expressions = matchExpressions
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
    )
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

export function deviceClaimState(o: KubeObject): string {
  const deleted = o.metadata.deletionTimestamp !== undefined;
  const states = deleted ? ['deleted'] : [];
  if (at(o, 'status.allocation')) {
    states.push('allocated');
    if (listAt(o, 'status.reservedFor').length) states.push('reserved');
  } else if (!deleted) states.push('pending');
  return states.join(',');
}
