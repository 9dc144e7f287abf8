import { type Strategy, timestamp } from '@tiphys/apimachinery';
import { compareQuantities, type coreV1, type KubeObject } from '@tiphys/kubernetes';
import { defaultPodIps, podAddressWarnings } from '../shared/address-status.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { textAt } from '../shared/cell-values.ts';
import { mapAt } from '../shared/gates.ts';
import { applyLabelKeys } from '../shared/label-keys.ts';
import type { PodObject, PodSpec } from '../shared/shapes.ts';
import { keepAllButEphemeral, validateEphemeralUpdate } from './ephemeral-containers.ts';
import { admitPod, admitTolerations, refuseOverhead } from './pod-admission.ts';
import { podCells } from './pod-cells.ts';
import { defaultPodSpec } from './pod-defaults.ts';
import { dropOfPod, dropOfPodStatus } from './pod-gates.ts';
import { defaultPodResources } from './pod-level-resources.ts';
import { keepAllButResources, validateResize } from './pod-resize.ts';
import { validatePodUpdate } from './pod-update.ts';
import { validatePodSpec } from './pod-validation.ts';
import { podWarnings } from './pod-warnings.ts';
import { podStatus } from './status-validation.ts';

export const pod: Strategy = {
  metaRulesOnUpdate: true,
  generation: true,
  statusSubresource: true,
  defaults(object) {
    const { spec } = object as PodObject;
    for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
      const { limits, requests } = container.resources ?? {};
      if (limits) container.resources = { ...container.resources, requests: { ...limits, ...requests } };
    }
    defaultPodResources(spec);
    spec.enableServiceLinks ??= true;
    defaultPodSpec(spec);
    if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
    if (spec.hostNetwork)
      for (const { ports } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])])
        for (const port of ports ?? []) port.hostPort ||= port.containerPort;
    defaultPodIps(object);
  },
  admit: admitPod,
  prepareCreate(object, context) {
    const { spec } = object as PodObject;
    applyLabelKeys(object as PodObject);
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
  prepareUpdate(object, old, { subresource }) {
    if (subresource === '') admitTolerations((object as PodObject).spec);
    if (subresource === 'resize') keepAllButResources(object as PodObject, old as PodObject);
    if (subresource === 'ephemeralcontainers') keepAllButEphemeral(object as PodObject, old as PodObject);
  },
  // The class is the server's own.
  prepareStatus(object, old) {
    const { qosClass } = (old.status ?? {}) as coreV1.PodStatus;
    const status = (object.status ?? {}) as coreV1.PodStatus;
    if (qosClass && !status.qosClass) object.status = { ...status, qosClass };
  },
  validateStatus: podStatus,
  statusWarnings: podAddressWarnings,
  validate(object, errors) {
    const { spec } = object as PodObject;
    validatePodSpec(spec, 'spec', errors);
    // Templates may have such images: they were taken once.
    for (const list of ['containers', 'initContainers'] as const)
      for (const [index, { image = '' }] of (spec[list] ?? []).entries())
        if (image !== image.trim())
          errors.invalid(`spec.${list}[${index}].image`, image, 'must not have leading or trailing whitespace');
  },
  validateCreate(object, errors) {
    if ((object as PodObject).spec.ephemeralContainers?.length)
      errors.forbidden('spec.ephemeralContainers', 'cannot be set on create');
    if (!errors.any) refuseOverhead(object as PodObject);
  },
  validateUpdate(object, old, errors, { subresource }) {
    if (subresource === 'resize') {
      validateResize(object as PodObject, old as PodObject, errors, qosClass);
      return;
    }
    if (subresource === 'ephemeralcontainers') {
      validateEphemeralUpdate(object as PodObject, old as PodObject, errors);
      return;
    }
    validatePodUpdate((object as PodObject).spec, (old as PodObject).spec, errors);
  },
  warnings: (object, old) => (old ? [] : podWarnings(object as PodObject, '')),
  fieldAliases: { 'spec.host': 'spec.nodeName' },
  fields(object) {
    const { spec, status } = object as Partial<PodObject>;
    const network = status as coreV1.PodStatus | undefined;
    return {
      'spec.nodeName': spec?.nodeName ?? '',
      'spec.restartPolicy': spec?.restartPolicy ?? '',
      'spec.schedulerName': spec?.schedulerName ?? '',
      'spec.serviceAccountName': spec?.serviceAccountName ?? '',
      'spec.hostNetwork': String(spec?.hostNetwork ?? false),
      'status.phase': network?.phase ?? '',
      'status.podIP': network?.podIP ?? '',
      // offered, and never filled
      'status.podIPs': '',
      'status.nominatedNodeName': network?.nominatedNodeName ?? '',
    };
  },
};

/** Guaranteed, Burstable or BestEffort, from cpu and memory of all containers. */
function qosClass(spec: PodSpec): string {
  let any = false;
  let guaranteed = true;
  const whole = (spec as coreV1.PodSpec).resources;
  const parts = whole ? [{ resources: whole }] : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  for (const { resources } of parts) {
    const { limits = {}, requests = {} } = resources ?? {};
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

const COMPLETED: Record<string, readonly object[]> = Object.fromEntries(
  [
    ['Succeeded', 'The pod has completed successfully.'],
    ['Failed', 'The pod failed.'],
  ].map(([reason = '', message]) => [reason, [{ type: 'Completed', status: 'True', reason, message }]]),
);

const podRowConditions = (object: KubeObject): readonly object[] => COMPLETED[textAt(object, 'status.phase')] ?? [];

export const pods: BuiltinKind = {
  strategy: pod,
  cells: podCells,
  gated: { spec: (object) => dropOfPod(mapAt(object, 'spec')), status: dropOfPodStatus },
  rowConditions: podRowConditions,
};
