import type { KubeObject } from '@tiphys/kubernetes';
import { ageOf, humanDuration } from './age.ts';
import { at, formatLabels, listAt, numberAt, shortList, textAt } from './cell-values.ts';
import { formatSelector, type LabelSelector } from './label-selector.ts';
import { podCells } from './pod-cells.ts';
import { eventToCore } from './events.ts';
import { autoscalerToV2 } from './scaling.ts';

type Cells = (object: KubeObject, now: number) => unknown[];

const age = (object: KubeObject, now: number) => ageOf(object.metadata.creationTimestamp, now);
const name = (object: KubeObject) => object.metadata.name;
const nameAndAge: Cells = (object, now) => [name(object), age(object, now)];
const nameAndCreation: Cells = (object) => [name(object), object.metadata.creationTimestamp];

function containers(object: unknown, path: string): [string, string] {
  const list = listAt<{ name: string; image?: string }>(object, path);
  return [list.map((container) => container.name).join(','), list.map(({ image = '' }) => image).join(',')];
}

function selector(object: unknown, path = 'spec.selector'): string {
  return formatSelector(at(object, path) as LabelSelector | undefined);
}

const TEMPLATE = 'spec.template.spec.containers';

/** Rows of the built-in kinds, in the order of their columns. */
const PRINTERS: Record<string, Cells> = {
  '/pods': podCells,
  '/configmaps': (o, now) => [
    name(o),
    Object.keys((o.data ?? {}) as object).length + Object.keys((o.binaryData ?? {}) as object).length,
    age(o, now),
  ],
  '/secrets': (o, now) => [name(o), o.type, Object.keys((o.data ?? {}) as object).length, age(o, now)],
  '/serviceaccounts': (o, now) => [name(o), listAt(o, 'secrets').length, age(o, now)],
  '/namespaces': (o, now) => [name(o), textAt(o, 'status.phase'), age(o, now)],
  '/nodes': nodeCells,
  '/services': serviceCells,
  '/endpoints': (o, now) => [name(o), endpointList(o), age(o, now)],
  '/events': eventCells,
  'events.k8s.io/events': (o, now) => eventCells(eventToCore(o), now),
  '/limitranges': nameAndCreation,
  '/resourcequotas': quotaCells,
  '/persistentvolumes': (o, now) => [
    name(o),
    textAt(o, 'spec.capacity.storage', '0'),
    accessModes(at(o, 'spec.accessModes')),
    textAt(o, 'spec.persistentVolumeReclaimPolicy'),
    o.metadata.deletionTimestamp ? 'Terminating' : textAt(o, 'status.phase'),
    at(o, 'spec.claimRef') ? `${textAt(o, 'spec.claimRef.namespace')}/${textAt(o, 'spec.claimRef.name')}` : '',
    storageClassOf(o),
    textAt(o, 'spec.volumeAttributesClassName', '<unset>'),
    textAt(o, 'status.reason'),
    age(o, now),
    textAt(o, 'spec.volumeMode', '<unset>'),
  ],
  '/persistentvolumeclaims': (o, now) => [
    name(o),
    o.metadata.deletionTimestamp ? 'Terminating' : textAt(o, 'status.phase'),
    textAt(o, 'spec.volumeName'),
    textAt(o, 'spec.volumeName') ? textAt(o, 'status.capacity.storage', '0') : '',
    textAt(o, 'spec.volumeName') ? accessModes(at(o, 'status.accessModes')) : '',
    storageClassOf(o),
    textAt(o, 'spec.volumeAttributesClassName', '<unset>'),
    age(o, now),
    textAt(o, 'spec.volumeMode', '<unset>'),
  ],
  '/podtemplates': (o) => [
    name(o),
    ...containers(o, 'template.spec.containers'),
    formatLabels(at(o, 'template.metadata.labels')),
  ],
  '/replicationcontrollers': (o, now) => [
    ...replicaCells(o, now),
    ...containers(o, TEMPLATE),
    formatLabels(at(o, 'spec.selector')),
  ],
  'apps/deployments': (o, now) => [
    name(o),
    `${numberAt(o, 'status.readyReplicas')}/${numberAt(o, 'spec.replicas')}`,
    numberAt(o, 'status.updatedReplicas'),
    numberAt(o, 'status.availableReplicas'),
    age(o, now),
    ...containers(o, TEMPLATE),
    selector(o),
  ],
  'apps/replicasets': (o, now) => [...replicaCells(o, now), ...containers(o, TEMPLATE), selector(o)],
  'apps/statefulsets': (o, now) => [
    name(o),
    `${numberAt(o, 'status.readyReplicas')}/${numberAt(o, 'spec.replicas')}`,
    age(o, now),
    ...containers(o, TEMPLATE),
  ],
  'apps/daemonsets': (o, now) => [
    name(o),
    ...[
      'desiredNumberScheduled',
      'currentNumberScheduled',
      'numberReady',
      'updatedNumberScheduled',
      'numberAvailable',
    ].map((field) => numberAt(o, `status.${field}`)),
    formatLabels(at(o, 'spec.template.spec.nodeSelector')),
    age(o, now),
    ...containers(o, TEMPLATE),
    selector(o),
  ],
  'apps/controllerrevisions': (o, now) => {
    const owner = o.metadata.ownerReferences?.find(({ controller }) => controller);
    const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
    return [name(o), owner ? `${owner.kind.toLowerCase()}${group}/${owner.name}` : '<none>', o.revision, age(o, now)];
  },
  'batch/jobs': jobCells,
  'batch/cronjobs': (o, now) => [
    name(o),
    textAt(o, 'spec.schedule'),
    textAt(o, 'spec.timeZone', '<none>'),
    at(o, 'spec.suspend') === true ? 'True' : 'False',
    listAt(o, 'status.active').length,
    at(o, 'status.lastScheduleTime') ? ageOf(at(o, 'status.lastScheduleTime'), now) : '<none>',
    age(o, now),
    ...containers(o, 'spec.jobTemplate.spec.template.spec.containers'),
    selector(o, 'spec.jobTemplate.spec.selector'),
  ],
  'autoscaling/horizontalpodautoscalers': (given, now) => {
    const o = given.apiVersion === 'autoscaling/v1' ? autoscalerToV2(given) : given;
    return [
      name(o),
      `${textAt(o, 'spec.scaleTargetRef.kind')}/${textAt(o, 'spec.scaleTargetRef.name')}`,
      metricsText(o),
      textAt(o, 'spec.minReplicas', '<unset>'),
      numberAt(o, 'spec.maxReplicas'),
      numberAt(o, 'status.currentReplicas'),
      age(o, now),
    ];
  },
  'policy/poddisruptionbudgets': (o, now) => [
    name(o),
    textAt(o, 'spec.minAvailable', 'N/A'),
    textAt(o, 'spec.maxUnavailable', 'N/A'),
    numberAt(o, 'status.disruptionsAllowed'),
    age(o, now),
  ],
  'networking.k8s.io/ingresses': (o, now) => [
    name(o),
    textAt(o, 'spec.ingressClassName', '<none>'),
    hostsText(o),
    balancerText(o),
    listAt(o, 'spec.tls').length ? '80, 443' : '80',
    age(o, now),
  ],
  'networking.k8s.io/ingressclasses': (o, now) => {
    const group = textAt(o, 'spec.parameters.apiGroup');
    const parameters = at(o, 'spec.parameters')
      ? `${textAt(o, 'spec.parameters.kind')}${group ? `.${group}` : ''}/${textAt(o, 'spec.parameters.name')}`
      : '<none>';
    return [name(o), textAt(o, 'spec.controller'), parameters, age(o, now)];
  },
  'networking.k8s.io/networkpolicies': (o, now) => [name(o), selector(o, 'spec.podSelector'), age(o, now)],
  'networking.k8s.io/ipaddresses': (o, now) => {
    const [group, namespace] = [textAt(o, 'spec.parentRef.group'), textAt(o, 'spec.parentRef.namespace')];
    const parent = `${textAt(o, 'spec.parentRef.resource')}${group ? `.${group}` : ''}${namespace ? `/${namespace}` : ''}/${textAt(o, 'spec.parentRef.name')}`;
    return [name(o), parent, age(o, now)];
  },
  'networking.k8s.io/servicecidrs': (o, now) => [name(o), listAt<string>(o, 'spec.cidrs').join(','), age(o, now)],
  'discovery.k8s.io/endpointslices': (o, now) => [
    name(o),
    o.addressType,
    shortList(
      listAt(o, 'ports').map((port) => textAt(port, 'port') || textAt(port, 'name', '*')),
      3,
    ),
    shortList(
      listAt(o, 'endpoints').flatMap((endpoint) => listAt<string>(endpoint, 'addresses')),
      3,
    ),
    age(o, now),
  ],
  'rbac.authorization.k8s.io/roles': nameAndCreation,
  'rbac.authorization.k8s.io/clusterroles': nameAndCreation,
  'rbac.authorization.k8s.io/rolebindings': bindingCells,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingCells,
  'apiextensions.k8s.io/customresourcedefinitions': nameAndCreation,
  'apiregistration.k8s.io/apiservices': (o, now) => {
    const service = at(o, 'spec.service')
      ? `${textAt(o, 'spec.service.namespace')}/${textAt(o, 'spec.service.name')}`
      : 'Local';
    const available = listAt<{ type: string; status: string; reason?: string }>(o, 'status.conditions').find(
      ({ type }) => type === 'Available',
    );
    return [
      name(o),
      service,
      available ? (available.status === 'True' ? 'True' : `${available.status} (${available.reason})`) : 'Unknown',
      age(o, now),
    ];
  },
  'storage.k8s.io/storageclasses': (o, now) => [
    `${name(o)}${o.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ? ' (default)' : ''}`,
    o.provisioner,
    textAt(o, 'reclaimPolicy', 'Delete'),
    textAt(o, 'volumeBindingMode', 'Immediate'),
    at(o, 'allowVolumeExpansion') === true,
    age(o, now),
  ],
  'storage.k8s.io/csistoragecapacities': nameAndCreation,
  'storage.k8s.io/csinodes': (o, now) => [name(o), listAt(o, 'spec.drivers').length, age(o, now)],
  'storage.k8s.io/csidrivers': (o, now) => [
    name(o),
    at(o, 'spec.attachRequired') !== false,
    at(o, 'spec.podInfoOnMount') === true,
    at(o, 'spec.storageCapacity') === true,
    at(o, 'spec.tokenRequests')
      ? listAt<{ audience: string }>(o, 'spec.tokenRequests')
          .map(({ audience }) => audience)
          .join(',')
      : '<unset>',
    at(o, 'spec.requiresRepublish') === true,
    listAt<string>(o, 'spec.volumeLifecycleModes').join(',') || '<none>',
    age(o, now),
  ],
  'storage.k8s.io/volumeattachments': (o, now) => [
    name(o),
    textAt(o, 'spec.attacher'),
    textAt(o, 'spec.source.persistentVolumeName'),
    textAt(o, 'spec.nodeName'),
    at(o, 'status.attached') === true,
    age(o, now),
  ],
  'storage.k8s.io/volumeattributesclasses': (o, now) => [name(o), o.driverName, age(o, now)],
  'scheduling.k8s.io/priorityclasses': (o, now) => [
    name(o),
    o.value,
    o.globalDefault === true,
    age(o, now),
    textAt(o, 'preemptionPolicy'),
  ],
  'coordination.k8s.io/leases': (o, now) => [name(o), textAt(o, 'spec.holderIdentity'), age(o, now)],
  'node.k8s.io/runtimeclasses': (o, now) => [name(o), o.handler, age(o, now)],
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': (o, now) => [
    name(o),
    listAt(o, 'webhooks').length,
    age(o, now),
  ],
  'admissionregistration.k8s.io/validatingwebhookconfigurations': (o, now) => [
    name(o),
    listAt(o, 'webhooks').length,
    age(o, now),
  ],
  'certificates.k8s.io/certificatesigningrequests': (o, now) => [
    name(o),
    age(o, now),
    textAt(o, 'spec.signerName', '<none>'),
    textAt(o, 'spec.username'),
    at(o, 'spec.expirationSeconds') ? humanDuration(numberAt(o, 'spec.expirationSeconds') * 1000) : '<none>',
    'Pending',
  ],
  'flowcontrol.apiserver.k8s.io/flowschemas': (o, now) => [
    name(o),
    textAt(o, 'spec.priorityLevelConfiguration.name'),
    numberAt(o, 'spec.matchingPrecedence'),
    textAt(o, 'spec.distinguisherMethod.type', '<none>'),
    age(o, now),
    listAt<{ type: string; status: string }>(o, 'status.conditions').find(({ type }) => type === 'Dangling')?.status ??
      '?',
  ],
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': (o, now) => {
    const queuing = 'spec.limited.limitResponse.queuing';
    return [
      name(o),
      textAt(o, 'spec.type'),
      at(o, 'spec.limited.nominalConcurrencyShares') ?? '<none>',
      ...['queues', 'handSize', 'queueLengthLimit'].map((field) => at(o, `${queuing}.${field}`) ?? '<none>'),
      age(o, now),
    ];
  },
};

/** The cells of a table row, in the order of the resource's columns. */
export function cellsOf(group: string, plural: string): Cells {
  return PRINTERS[`${group}/${plural}`] ?? nameAndAge;
}

const replicaCells: Cells = (o, now) => [
  name(o),
  numberAt(o, 'spec.replicas'),
  numberAt(o, 'status.replicas'),
  numberAt(o, 'status.readyReplicas'),
  age(o, now),
];

function nodeCells(o: KubeObject, now: number): unknown[] {
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

function balancerText(o: KubeObject): string {
  const found = listAt<{ ip?: string; hostname?: string }>(o, 'status.loadBalancer.ingress').map(
    ({ ip, hostname }) => ip || hostname || '',
  );
  return [...new Set(found.filter(Boolean))].sort().join(',');
}

function serviceCells(o: KubeObject, now: number): unknown[] {
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

function endpointList(o: KubeObject): string {
  const all = listAt(o, 'subsets').flatMap((subset) => {
    const addresses = listAt<{ ip: string }>(subset, 'addresses');
    const ports = listAt<{ port: number }>(subset, 'ports');
    if (!ports.length) return addresses.map(({ ip }) => ip);
    return ports.flatMap(({ port }) =>
      addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
    );
  });
  return all.length ? shortList(all, 3) : '<none>';
}

function eventCells(o: KubeObject, now: number): unknown[] {
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

function quotaCells(o: KubeObject, now: number): unknown[] {
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

function accessModes(modes: unknown): string {
  const present = Array.isArray(modes) ? (modes as string[]) : [];
  return Object.keys(MODES)
    .filter((mode) => present.includes(mode))
    .map((mode) => MODES[mode])
    .join(',');
}

function storageClassOf(o: KubeObject): string {
  return o.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? textAt(o, 'spec.storageClassName');
}

function jobCells(o: KubeObject, now: number): unknown[] {
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

function hostsText(o: KubeObject): string {
  const hosts = listAt(o, 'spec.rules')
    .map((rule) => textAt(rule, 'host'))
    .filter(Boolean);
  return hosts.length ? shortList(hosts, 3) : '*';
}

function bindingCells(o: KubeObject, now: number): unknown[] {
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

function metricsText(o: KubeObject): string {
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
