import { ageOf, humanDuration, type KubeObject } from '@tiphys/kubernetes';
import type { SigningRequest } from '@tiphys/pki';
import { at, formatLabels, listAt, numberAt, shortList, textAt } from './cell-values.ts';
import {
  accessModes,
  age,
  balancerText,
  bindingCells,
  type Cells,
  componentCells,
  containers,
  deviceClaimState,
  endpointList,
  eventCells,
  hostsText,
  jobCells,
  metricsText,
  name,
  nodeCells,
  parametersText,
  quotaCells,
  replicaCells,
  selector,
  serviceCells,
  storageClassOf,
  TEMPLATE,
} from './kind-cells.ts';
import { podCells } from './pod-cells.ts';
import { requestState } from './request-state.ts';

const nameAndAge: Cells = (object, now) => [name(object), age(object, now)];
const nameAndCreation: Cells = (object) => [name(object), object.metadata.creationTimestamp];

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
  '/limitranges': nameAndCreation,
  '/componentstatuses': componentCells,
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
  'autoscaling/horizontalpodautoscalers': (o, now) => [
    name(o),
    `${textAt(o, 'spec.scaleTargetRef.kind')}/${textAt(o, 'spec.scaleTargetRef.name')}`,
    metricsText(o),
    textAt(o, 'spec.minReplicas', '<unset>'),
    numberAt(o, 'spec.maxReplicas'),
    numberAt(o, 'status.currentReplicas'),
    age(o, now),
  ],
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
    const group = at(o, 'spec.parameters.apiGroup');
    const parameters = at(o, 'spec.parameters')
      ? `${textAt(o, 'spec.parameters.kind')}${typeof group === 'string' ? `.${group}` : ''}/${textAt(o, 'spec.parameters.name')}`
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
      listAt(o, 'ports').map((port) => textAt(port, 'port') || textAt(port, 'name')),
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
    `${name(o)}${isDefaultClass(o) ? ' (default)' : ''}`,
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
  'admissionregistration.k8s.io/validatingadmissionpolicies': (o, now) => [
    name(o),
    listAt(o, 'spec.validations').length,
    at(o, 'spec.paramKind')
      ? `${textAt(o, 'spec.paramKind.apiVersion')}/${textAt(o, 'spec.paramKind.kind')}`
      : '<unset>',
    age(o, now),
  ],
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': (o, now) => [
    name(o),
    textAt(o, 'spec.policyName'),
    parametersText(o),
    age(o, now),
  ],
  'resource.k8s.io/resourceclaims': (o, now) => [name(o), deviceClaimState(o), age(o, now)],
  'resource.k8s.io/resourceslices': (o, now) => [
    name(o),
    textAt(o, 'spec.nodeName'),
    textAt(o, 'spec.driver'),
    textAt(o, 'spec.pool.name'),
    age(o, now),
  ],
  'certificates.k8s.io/certificatesigningrequests': (o, now) => [
    name(o),
    age(o, now),
    textAt(o, 'spec.signerName', '<none>'),
    textAt(o, 'spec.username'),
    at(o, 'spec.expirationSeconds') ? humanDuration(numberAt(o, 'spec.expirationSeconds') * 1000) : '<none>',
    requestState(o as SigningRequest),
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

const isDefaultClass = ({ metadata }: KubeObject): boolean =>
  ['storageclass.kubernetes.io', 'storageclass.beta.kubernetes.io'].some(
    (group) => metadata.annotations?.[`${group}/is-default-class`] === 'true',
  );

/** The cells of a table row, in the order of the resource's columns, of an object as it is stored in this collection. */
export function cellsOf(collection: string): Cells {
  return PRINTERS[collection.includes('/') ? collection : `/${collection}`] ?? nameAndAge;
}

/** What a row says of an object besides its cells. */
export function rowConditionsOf(collection: string): ((object: KubeObject) => readonly object[]) | undefined {
  return collection === 'pods' ? podRowConditions : undefined;
}

const COMPLETED: Record<string, readonly object[]> = Object.fromEntries(
  [
    ['Succeeded', 'The pod has completed successfully.'],
    ['Failed', 'The pod failed.'],
  ].map(([reason = '', message]) => [reason, [{ type: 'Completed', status: 'True', reason, message }]]),
);

const podRowConditions = (object: KubeObject): readonly object[] => COMPLETED[textAt(object, 'status.phase')] ?? [];

/** Lists of flow schemas come as they are tried. */
export function rowOrderOf(collection: string): ((a: KubeObject, b: KubeObject) => number) | undefined {
  return collection === 'flowcontrol.apiserver.k8s.io/flowschemas'
    ? (a, b) =>
        numberAt(a, 'spec.matchingPrecedence') - numberAt(b, 'spec.matchingPrecedence') ||
        (textAt(a, 'metadata.name') < textAt(b, 'metadata.name') ? -1 : 1)
    : undefined;
}
