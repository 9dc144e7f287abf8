import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@tiphys/kubernetes';
import { compareQuantities } from '../schema/quantity.ts';
import { timestamp } from '../server/context.ts';
import { forbidden } from '../server/status.ts';
import type { Strategy, WriteContext } from '../server/strategy.ts';
import { generateName } from '../server/write.ts';
import { defaultPodSpec } from './pod-defaults.ts';
import { validatePodSpec } from './pod-validation.ts';
import type { PodObject, PodSpec } from './shapes.ts';

export const pod: Strategy = {
  generation: true,
  statusSubresource: true,
  defaults(object) {
    const { spec } = object as PodObject;
    for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
      const { limits, requests } = container.resources ?? {};
      if (limits) container.resources = { ...container.resources, requests: { ...limits, ...requests } };
    }
    spec.enableServiceLinks ??= true;
    defaultPodSpec(spec);
  },
  prepareCreate(object, context) {
    const { spec } = object as PodObject;
    admitServiceAccount(object as PodObject, context);
    admitPriority(spec, object.metadata.name ?? '', context);
    admitTolerations(spec);
    const gated = spec.schedulingGates?.length;
    object.status = {
      phase: 'Pending',
      ...(gated
        ? {
            conditions: [
              {
                type: 'PodScheduled',
                status: 'False',
                lastProbeTime: null,
                lastTransitionTime: timestamp(context.server.clock),
                reason: 'SchedulingGated',
                message: 'Scheduling is blocked due to non-empty scheduling gates',
              },
            ],
          }
        : {}),
      qosClass: qosClass(spec),
    };
  },
  validate: (object, errors) => validatePodSpec((object as PodObject).spec, 'spec', errors),
  validateUpdate(object, old, errors) {
    if (!isDeepStrictEqual(frozen((object as PodObject).spec), frozen((old as PodObject).spec)))
      errors.forbidden(
        'spec',
        'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
      );
  },
  warnings(object) {
    const spreads = ((object as PodObject).spec.topologySpreadConstraints ?? []) as { labelSelector?: object }[];
    return spreads.flatMap(({ labelSelector }, index) =>
      labelSelector
        ? []
        : [`spec.topologySpreadConstraints[${index}].labelSelector: a null labelSelector results in matching no pod`],
    );
  },
  fields(object) {
    const { spec, status } = object as Partial<PodObject>;
    const network = status as { podIP?: string; nominatedNodeName?: string; phase?: string } | undefined;
    return {
      'spec.nodeName': spec?.nodeName ?? '',
      'spec.restartPolicy': spec?.restartPolicy ?? '',
      'spec.schedulerName': spec?.schedulerName ?? '',
      'spec.serviceAccountName': spec?.serviceAccountName ?? '',
      'spec.hostNetwork': String(spec?.hostNetwork ?? false),
      'status.phase': network?.phase ?? '',
      'status.podIP': network?.podIP ?? '',
      'status.nominatedNodeName': network?.nominatedNodeName ?? '',
    };
  },
};

/** The spec without what may change. */
function frozen(spec: PodSpec): unknown {
  const images = (containers: PodSpec['containers']) => containers?.map(({ image: _, ...rest }) => rest);
  const {
    activeDeadlineSeconds: _,
    tolerations: __,
    schedulingGates: ___,
    ephemeralContainers: ____,
    terminationGracePeriodSeconds: _____,
    nodeName: ______,
    ...rest
  } = spec;
  return { ...rest, containers: images(spec.containers), initContainers: images(spec.initContainers) };
}

/** The ServiceAccount admission: the account, its image pull secrets and its token's volume. */
function admitServiceAccount(pod: PodObject, { server }: WriteContext): void {
  const { spec } = pod;
  spec.serviceAccountName ||= 'default';
  spec.serviceAccount = spec.serviceAccountName;
  const name = spec.serviceAccountName;
  const account = server.store.collection('serviceaccounts').get(`${pod.metadata.namespace}/${name}`)?.object as
    | (KubeObject & { automountServiceAccountToken?: boolean; imagePullSecrets?: { name: string }[] })
    | undefined;
  if (!account)
    throw forbidden(
      { group: '', name: 'pods' },
      pod.metadata.name ?? '',
      `error looking up service account ${pod.metadata.namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
    spec.imagePullSecrets = account.imagePullSecrets;
  if (!(spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)) return;
  const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
  const volume = generateName('kube-api-access-');
  let used = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some((mount) => mount.mountPath === mountPath)) continue;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name: volume, readOnly: true, mountPath }];
    used = true;
  }
  if (!used) return;
  const token = { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } };
  const ca = { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } };
  const namespace = {
    downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
  };
  spec.volumes = [
    ...(spec.volumes ?? []),
    { name: volume, projected: { sources: [token, ca, namespace], defaultMode: 420 } },
  ];
}

function admitPriority(spec: PodSpec, name: string, { server }: WriteContext): void {
  const classes = server.store.collection('scheduling.k8s.io/priorityclasses');
  interface PriorityClass extends KubeObject {
    value: number;
    globalDefault?: boolean;
    preemptionPolicy?: string;
  }
  let chosen: PriorityClass | undefined;
  if (spec.priorityClassName) {
    chosen = classes.get(spec.priorityClassName)?.object as PriorityClass | undefined;
    if (!chosen)
      throw forbidden(
        { group: '', name: 'pods' },
        name,
        `no PriorityClass with name ${spec.priorityClassName} was found`,
      );
  } else {
    for (const key of classes.keys()) {
      const candidate = (classes.get(key) as { object: KubeObject }).object as PriorityClass;
      if (candidate.globalDefault) chosen = candidate;
    }
    if (chosen?.metadata.name) spec.priorityClassName = chosen.metadata.name;
  }
  spec.priority = chosen?.value ?? 0;
  spec.preemptionPolicy ??= chosen?.preemptionPolicy ?? 'PreemptLowerPriority';
}

function admitTolerations(spec: PodSpec): void {
  const tolerations = [...(spec.tolerations ?? [])];
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])
    if (
      !tolerations.some(
        (toleration) =>
          (toleration.key === key || !toleration.key) && (toleration.effect === 'NoExecute' || !toleration.effect),
      )
    )
      tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  spec.tolerations = tolerations;
}

/** Guaranteed, Burstable or BestEffort, from cpu and memory of all containers. */
function qosClass(spec: PodSpec): string {
  let any = false;
  let guaranteed = true;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const { limits = {}, requests = {} } = container.resources ?? {};
    for (const name of ['cpu', 'memory']) {
      const [limit, request] = [limits[name], requests[name]];
      const positive = (value: string | undefined) => value !== undefined && (compareQuantities(value, '0') ?? 0) > 0;
      if (positive(limit) || positive(request)) any = true;
      if (!positive(limit) || (request !== undefined && compareQuantities(limit as string, request) !== 0))
        guaranteed = false;
    }
  }
  return any ? (guaranteed ? 'Guaranteed' : 'Burstable') : 'BestEffort';
}
