import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@tiphys/kubernetes';
import type { FieldErrors } from '../server/field-errors.ts';
import { isDnsLabel } from '../server/names.ts';
import { validateLabels } from '../server/object-meta.ts';
import type { Strategy } from '../server/strategy.ts';
import { validateIntOrPercent } from './int-or-percent.ts';
import { type LabelSelector, selectorMatches } from './label-selector.ts';
import { defaultPodSpec } from './pod-defaults.ts';
import { validatePodSpec } from './pod-validation.ts';
import type { PodTemplate, Workload } from './shapes.ts';
import { defaultClaimSpec } from './volumes.ts';

/** Validates a label selector; an empty one is refused where it would select everything. */
export function validateSelector(selector: LabelSelector | undefined, path: string, errors: FieldErrors): void {
  if (!selector) return;
  validateLabels(selector.matchLabels, `${path}.matchLabels`, errors);
  (selector.matchExpressions ?? []).forEach(({ operator, values }, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    if (operator === 'In' || operator === 'NotIn') {
      if (!values?.length) errors.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values?.length)
        errors.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else errors.invalid(`${at}.operator`, operator, 'not a valid selector operator');
  });
}

export function validateTemplate(template: PodTemplate, path: string, errors: FieldErrors): void {
  validateLabels(template.metadata?.labels, `${path}.metadata.labels`, errors, 'labels');
  validatePodSpec(template.spec, `${path}.spec`, errors);
}

/** What Deployments, ReplicaSets, StatefulSets and DaemonSets have in common. */
function validateWorkload(object: Workload, errors: FieldErrors): void {
  const { selector, template, replicas } = object.spec;
  if ((replicas ?? 0) < 0) errors.invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
  const minReady = object.spec.minReadySeconds;
  if (typeof minReady === 'number' && minReady < 0)
    errors.invalid('spec.minReadySeconds', minReady, 'must be greater than or equal to 0');
  if (!selector) {
    errors.required('spec.selector');
    errors.invalid(
      'spec.template.metadata.labels',
      template.metadata?.labels ?? null,
      '`selector` does not match template `labels`',
    );
  } else {
    const before = errors.causes.length;
    validateSelector(selector, 'spec.selector', errors);
    const bad = errors.causes.length > before;
    if (bad) errors.invalid('spec.selector', selector, 'invalid label selector');
    const empty = !Object.keys(selector.matchLabels ?? {}).length && !selector.matchExpressions?.length;
    if (empty)
      errors.invalid(
        'spec.selector',
        selector,
        `empty selector is invalid for ${object.kind === 'ReplicaSet' ? 'deployment' : object.kind.toLowerCase()}`,
      );
    else if (!bad && !selectorMatches(selector, template.metadata?.labels ?? {}))
      errors.invalid(
        'spec.template.metadata.labels',
        template.metadata?.labels ?? null,
        `\`selector\` does not match template \`labels\``,
      );
  }
  validateTemplate(withClaims(object), 'spec.template', errors);
  if (
    template.spec.restartPolicy &&
    template.spec.restartPolicy !== 'Always' &&
    ['OnFailure', 'Never'].includes(template.spec.restartPolicy)
  )
    errors.notSupported('spec.template.spec.restartPolicy', template.spec.restartPolicy, ['Always']);
  if (template.spec.activeDeadlineSeconds !== undefined)
    errors.forbidden(
      'spec.template.spec.activeDeadlineSeconds',
      `activeDeadlineSeconds in ${object.kind} is not Supported`,
    );
}

/** The template with the volumes that a StatefulSet makes of its claim templates. */
function withClaims({ spec }: Workload): PodTemplate {
  const { template } = spec;
  const claims = (spec as { volumeClaimTemplates?: { metadata?: { name?: string } }[] }).volumeClaimTemplates ?? [];
  const volumes = template.spec.volumes ?? [];
  const made = claims.flatMap(({ metadata }) =>
    metadata?.name && !volumes.some(({ name }) => name === metadata.name) ? [{ name: metadata.name }] : [],
  );
  return made.length === 0 ? template : { ...template, spec: { ...template.spec, volumes: [...volumes, ...made] } };
}

function immutableSelector(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const now = (object as Workload).spec.selector;
  if (!isDeepStrictEqual(now, (old as Workload).spec.selector))
    errors.invalid('spec.selector', now, 'field is immutable');
}

const base = { generation: true, statusSubresource: true } as const;

type Rolling = { maxUnavailable?: string | number; maxSurge?: string | number };

export const deployment: Strategy = {
  ...base,
  defaults(object) {
    const { spec } = object as Workload;
    spec.replicas ??= 1;
    const strategy = ((spec.strategy as { type?: string; rollingUpdate?: Rolling } | undefined) ?? {}) as {
      type?: string;
      rollingUpdate?: Rolling;
    };
    spec.strategy = strategy;
    strategy.type ??= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= '25%';
      strategy.rollingUpdate.maxSurge ??= '25%';
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    defaultPodSpec(spec.template.spec);
  },
  validate(object, errors) {
    const { spec } = object as Workload;
    validateWorkload(object as Workload, errors);
    const { type, rollingUpdate } = spec.strategy as { type: string; rollingUpdate?: Rolling };
    if (type === 'Recreate' && rollingUpdate)
      errors.forbidden('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'");
    else if (type !== 'Recreate' && type !== 'RollingUpdate')
      errors.notSupported('spec.strategy', spec.strategy, ['Recreate', 'RollingUpdate']);
    validateIntOrPercent(rollingUpdate?.maxSurge, 'spec.strategy.rollingUpdate.maxSurge', errors, { limited: false });
    validateIntOrPercent(rollingUpdate?.maxUnavailable, 'spec.strategy.rollingUpdate.maxUnavailable', errors, {
      limited: true,
    });
    if (rollingUpdate && isZero(rollingUpdate.maxUnavailable) && isZero(rollingUpdate.maxSurge))
      errors.invalid(
        'spec.strategy.rollingUpdate.maxUnavailable',
        rollingUpdate.maxUnavailable,
        'may not be 0 when `maxSurge` is 0',
      );
    const { minReadySeconds = 0, progressDeadlineSeconds = 600 } = spec as {
      minReadySeconds?: number;
      progressDeadlineSeconds?: number;
    };
    if (progressDeadlineSeconds <= minReadySeconds)
      errors.invalid('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds');
  },
  validateUpdate: immutableSelector,
};

function isZero(value: string | number | undefined): boolean {
  return value === 0 || value === '0%' || value === '0';
}

export const replicaSet: Strategy = {
  ...base,
  defaults(object) {
    const { spec } = object as Workload;
    spec.replicas ??= 1;
    defaultPodSpec(spec.template.spec);
  },
  validate: (object, errors) => validateWorkload(object as Workload, errors),
  validateUpdate: immutableSelector,
  fields: (object) => ({
    'status.replicas': String((object.status as { replicas?: number } | undefined)?.replicas ?? 0),
  }),
};

export const statefulSet: Strategy = {
  ...base,
  defaults(object) {
    const { spec } = object as Workload;
    spec.podManagementPolicy ??= 'OrderedReady';
    const strategy = (spec.updateStrategy ?? {}) as { type?: string; rollingUpdate?: { partition?: number } };
    spec.updateStrategy = strategy;
    strategy.type ??= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.partition ??= 0;
    }
    const retention = (spec.persistentVolumeClaimRetentionPolicy ?? {}) as {
      whenDeleted?: string;
      whenScaled?: string;
    };
    spec.persistentVolumeClaimRetentionPolicy = retention;
    retention.whenDeleted ??= 'Retain';
    retention.whenScaled ??= 'Retain';
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
    for (const claim of (spec.volumeClaimTemplates ?? []) as KubeObject[]) {
      claim.apiVersion ??= 'v1';
      claim.kind ??= 'PersistentVolumeClaim';
      defaultClaimSpec(claim.spec as { volumeMode?: string });
      claim.status = { ...(claim.status as object | undefined), phase: 'Pending' };
    }
    defaultPodSpec(spec.template.spec);
  },
  validate(object, errors) {
    const { spec } = object as Workload;
    if (spec.podManagementPolicy !== 'OrderedReady' && spec.podManagementPolicy !== 'Parallel')
      errors.invalid('spec.podManagementPolicy', spec.podManagementPolicy, "must be 'OrderedReady' or 'Parallel'");
    const strategy = spec.updateStrategy as { type: string };
    if (!['RollingUpdate', 'OnDelete'].includes(strategy.type))
      errors.invalid('spec.updateStrategy', strategy, "must be 'RollingUpdate' or 'OnDelete'");
    const { serviceName } = spec as { serviceName?: string };
    if (serviceName) for (const text of isDnsLabel(serviceName)) errors.invalid('spec.serviceName', serviceName, text);
    validateWorkload(object as Workload, errors);
  },
  validateUpdate(object, old, errors) {
    const mutable = [
      'replicas',
      'ordinals',
      'template',
      'updateStrategy',
      'revisionHistoryLimit',
      'persistentVolumeClaimRetentionPolicy',
      'minReadySeconds',
    ];
    const strip = (source: KubeObject) =>
      Object.fromEntries(Object.entries((source as Workload).spec).filter(([key]) => !mutable.includes(key)));
    if (!isDeepStrictEqual(strip(object), strip(old)))
      errors.forbidden(
        'spec',
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      );
  },
  nameRule: (name) => isDnsLabel(name),
};

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSet: Strategy = {
  ...base,
  defaults(object) {
    const { spec } = object as Workload;
    const strategy = (spec.updateStrategy ?? {}) as { type?: string; rollingUpdate?: Rolling };
    spec.updateStrategy = strategy;
    strategy.type ??= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= 1;
      strategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
    defaultPodSpec(spec.template.spec);
    const { annotations } = object.metadata;
    if (!annotations?.[TEMPLATE_GENERATION])
      object.metadata.annotations = { ...annotations, [TEMPLATE_GENERATION]: '1' };
  },
  prepareCreate(object) {
    object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: '1' };
  },
  prepareUpdate(object, old) {
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1);
    const changed = !isDeepStrictEqual((object as Workload).spec.template, (old as Workload).spec.template);
    object.metadata.annotations = {
      ...object.metadata.annotations,
      [TEMPLATE_GENERATION]: String(before + (changed ? 1 : 0)),
    };
  },
  validate(object, errors) {
    validateWorkload(object as Workload, errors);
    const strategy = (object as Workload).spec.updateStrategy as { type: string };
    if (!['RollingUpdate', 'OnDelete'].includes(strategy.type))
      errors.notSupported('spec.updateStrategy', strategy, ['RollingUpdate', 'OnDelete']);
  },
  validateUpdate: immutableSelector,
};

export const replicationController: Strategy = {
  ...base,
  defaults(object) {
    const spec = object.spec as { replicas?: number; selector?: Record<string, string>; template?: PodTemplate };
    spec.replicas ??= 1;
    const labels = spec.template?.metadata?.labels;
    if (labels && !Object.keys(spec.selector ?? {}).length) spec.selector = { ...labels };
    if (labels && !Object.keys(object.metadata.labels ?? {}).length) object.metadata.labels = { ...labels };
    if (spec.template) defaultPodSpec(spec.template.spec);
  },
  fields: (object) => ({
    'status.replicas': String((object.status as { replicas?: number } | undefined)?.replicas ?? 0),
  }),
};

export const podTemplate: Strategy = {
  generation: true,
  statusSubresource: false,
  defaults(object) {
    defaultPodSpec((object.template as PodTemplate).spec);
  },
};
