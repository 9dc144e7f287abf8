import { type FieldErrors, isDnsLabel, validateAnnotations, validateLabels } from '@tiphys/apimachinery';
import { type appsV1, type coreV1, type KubeObject, selectorMatches } from '@tiphys/kubernetes';
import { validatePodSpec } from '../pod/pod-validation.ts';
import { validateClaimSpec } from '../pod/storage-validation.ts';
import { oneOf, validateNonNegative } from '../shared/field-rules.ts';
import { validateAtMostAll, validateIntOrPercent } from '../shared/int-or-percent.ts';
import { isEmptySelector, validateSelector } from '../shared/selector-validation.ts';
import type { PodTemplate, Workload } from '../shared/shapes.ts';

export interface Rolling {
  maxUnavailable?: string | number;
  maxSurge?: string | number;
}

type Spec = Workload['spec'];

const NOT_SELECTED = '`selector` does not match template `labels`';

export function validateTemplate(template: PodTemplate, path: string, errors: FieldErrors): void {
  validateLabels(template.metadata?.labels, `${path}.labels`, errors);
  validateAnnotations(template.metadata?.annotations, errors, `${path}.annotations`);
  validatePodSpec(template.spec, `${path}.spec`, errors);
  if (template.spec.ephemeralContainers?.length)
    errors.forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template');
}

/** Validates the template of pods that run forever; `kind` is what the texts call their owner. */
function validateForever(template: PodTemplate, kind: string, errors: FieldErrors): void {
  validateTemplate(template, 'spec.template', errors);
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== 'Always') errors.notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always']);
  if (activeDeadlineSeconds !== undefined)
    errors.forbidden('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${kind} is not Supported`);
}

interface Words {
  /** What an empty selector is invalid for. */
  readonly owner: string;
  /** What a selector that can't be read is called. */
  readonly unreadable: string;
}

/** True when the template may be compared with the selector. */
function validateSelection({ selector, template }: Spec, words: Words, errors: FieldErrors): boolean {
  if (!selector) errors.required('spec.selector');
  const readable = validateSelector(selector, 'spec.selector', errors);
  const empty = isEmptySelector(selector);
  if (selector && empty) errors.invalid('spec.selector', selector, `empty selector is invalid for ${words.owner}`);
  if (!readable) {
    errors.invalid('spec.selector', selector, words.unreadable);
    return false;
  }
  const labels = template.metadata?.labels;
  if (selector ? !empty && !selectorMatches(selector, labels ?? {}) : true)
    errors.invalid('spec.template.metadata.labels', labels ?? null, NOT_SELECTED);
  return true;
}

function numbers(spec: Spec, fields: readonly string[], errors: FieldErrors): void {
  for (const field of fields) validateNonNegative(spec[field] as number | undefined, `spec.${field}`, errors);
}

export function validateDeployment(object: KubeObject, errors: FieldErrors): void {
  const { spec } = object as Workload;
  numbers(spec, ['replicas'], errors);
  if (validateSelection(spec, { owner: 'deployment', unreadable: 'invalid label selector' }, errors))
    validateForever(spec.template, 'ReplicaSet', errors);
  validateDeploymentStrategy(spec.strategy as appsV1.DeploymentStrategy, errors);
  numbers(spec, ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'], errors);
  const { minReadySeconds = 0, progressDeadlineSeconds = 600 } = object.spec as appsV1.DeploymentSpec;
  if (progressDeadlineSeconds <= minReadySeconds)
    errors.invalid('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds');
}

function validateDeploymentStrategy(strategy: appsV1.DeploymentStrategy, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy;
  const at = 'spec.strategy.rollingUpdate';
  if (type === 'Recreate') {
    if (rollingUpdate) errors.forbidden(at, "may not be specified when strategy `type` is 'Recreate'");
    return;
  }
  if (type !== 'RollingUpdate') {
    errors.notSupported('spec.strategy', strategy, ['Recreate', 'RollingUpdate']);
    return;
  }
  validateIntOrPercent(rollingUpdate?.maxUnavailable, `${at}.maxUnavailable`, errors, { limited: false });
  validateIntOrPercent(rollingUpdate?.maxSurge, `${at}.maxSurge`, errors, { limited: false });
  if (isZero(rollingUpdate?.maxUnavailable) && isZero(rollingUpdate?.maxSurge))
    errors.invalid(`${at}.maxUnavailable`, rollingUpdate?.maxUnavailable, 'may not be 0 when `maxSurge` is 0');
  validateAtMostAll(rollingUpdate?.maxUnavailable, `${at}.maxUnavailable`, errors);
}

/** Zero, or what is no number at all. */
function isZero(value: string | number | undefined): boolean {
  if (typeof value === 'number') return value === 0;
  return !/^\d+%$/.test(value ?? '') || Number.parseInt(value ?? '', 10) === 0;
}

export function validateReplicaSet(object: KubeObject, errors: FieldErrors): void {
  const { spec } = object as Workload;
  numbers(spec, ['replicas', 'minReadySeconds'], errors);
  if (validateSelection(spec, { owner: 'deployment', unreadable: 'invalid label selector' }, errors))
    validateForever(spec.template, 'ReplicaSet', errors);
}

export function validateDaemonSet(object: KubeObject, errors: FieldErrors): void {
  const { spec } = object as Workload;
  const { selector, template } = spec;
  const readable = validateSelector(selector, 'spec.selector', errors);
  const labels = template.metadata?.labels;
  // One that is missing is stored as null, and selects nothing.
  const matches = Boolean(selector) && (isEmptySelector(selector) || selectorMatches(selector ?? {}, labels ?? {}));
  if (readable && !matches) errors.invalid('spec.template.metadata.labels', labels ?? null, NOT_SELECTED);
  if (selector && isEmptySelector(selector))
    errors.invalid('spec.selector', selector, 'empty selector is invalid for daemonset');
  validateForever(template, 'DaemonSet', errors);
  numbers(spec, ['minReadySeconds'], errors);
  const strategy = spec.updateStrategy as appsV1.DaemonSetUpdateStrategy;
  if (strategy.type === 'RollingUpdate') validateDaemonRolling(strategy.rollingUpdate ?? {}, errors);
  else if (strategy.type !== 'OnDelete')
    errors.notSupported('spec.updateStrategy', strategy, ['RollingUpdate', 'OnDelete']);
  numbers(spec, ['revisionHistoryLimit'], errors);
}

function validateDaemonRolling({ maxUnavailable, maxSurge }: Rolling, errors: FieldErrors): void {
  const at = 'spec.updateStrategy.rollingUpdate';
  validateIntOrPercent(maxUnavailable, `${at}.maxUnavailable`, errors, { limited: false });
  validateIntOrPercent(maxSurge, `${at}.maxSurge`, errors, { limited: false });
  validateAtMostAll(maxUnavailable, `${at}.maxUnavailable`, errors);
  validateAtMostAll(maxSurge, `${at}.maxSurge`, errors);
  if (!isZero(maxUnavailable) && !isZero(maxSurge))
    errors.invalid(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero');
  if (isZero(maxUnavailable) && isZero(maxSurge))
    errors.required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0');
}

interface StatefulSpec extends Spec {
  podManagementPolicy?: string;
  updateStrategy?: { type: string; rollingUpdate?: { partition?: number; maxUnavailable?: string | number } };
  persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  ordinals?: { start?: number };
  serviceName?: string;
  volumeClaimTemplates?: { metadata?: { name?: string }; spec?: object }[];
}

export function validateStatefulSet(object: KubeObject, errors: FieldErrors): void {
  const spec = (object as Workload).spec as StatefulSpec;
  if (spec.podManagementPolicy !== 'OrderedReady' && spec.podManagementPolicy !== 'Parallel')
    errors.invalid('spec.podManagementPolicy', spec.podManagementPolicy, "must be 'OrderedReady' or 'Parallel'");
  validateStatefulStrategy(spec, errors);
  for (const field of ['whenDeleted', 'whenScaled'] as const)
    oneOf(
      spec.persistentVolumeClaimRetentionPolicy?.[field],
      ['Retain', 'Delete'],
      `spec.persistentVolumeClaimRetentionPolicy.${field}`,
      errors,
    );
  numbers(spec, ['replicas', 'minReadySeconds'], errors);
  validateNonNegative(spec.ordinals?.start, 'spec.ordinals.start', errors);
  if (validateSelection(spec, { owner: 'statefulset', unreadable: '' }, errors))
    validateForever(asMade(spec), 'StatefulSet', errors);
}

/** What cannot change later is only looked at in new ones. */
export function validateNewStatefulSet(object: KubeObject, errors: FieldErrors): void {
  const { volumeClaimTemplates = [], serviceName } = (object as Workload).spec as StatefulSpec;
  volumeClaimTemplates.forEach((claim, index) => {
    validateClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`, errors);
  });
  if (serviceName) for (const text of isDnsLabel(serviceName)) errors.invalid('spec.serviceName', serviceName, text);
}

function validateStatefulStrategy({ updateStrategy }: StatefulSpec, errors: FieldErrors): void {
  const { type, rollingUpdate } = updateStrategy ?? { type: '' };
  const at = 'spec.updateStrategy';
  if (type === 'OnDelete') {
    if (rollingUpdate)
      errors.invalid(`${at}.rollingUpdate`, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type === 'RollingUpdate') {
    validateNonNegative(rollingUpdate?.partition, `${at}.rollingUpdate.partition`, errors);
  } else errors.invalid(at, updateStrategy, "must be 'RollingUpdate' or 'OnDelete'");
}

/** The template as pods get it: with volumes of the claim templates, and names of their own. */
function asMade({ template, volumeClaimTemplates = [] }: StatefulSpec): PodTemplate {
  const { hostname: _, subdomain: __, ...spec } = template.spec as PodTemplate['spec'] & Record<string, unknown>;
  const names = [...new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ''))];
  if (!names.length) return { ...template, spec };
  const made = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (spec.volumes ?? []).filter(({ name }) => !names.includes(name));
  return { ...template, spec: { ...spec, volumes: [...made, ...others] } };
}

export function validateReplicationController(object: KubeObject, errors: FieldErrors): void {
  const spec = (object.spec ?? {}) as coreV1.ReplicationControllerSpec;
  validateNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors);
  if (!Object.keys(spec.selector ?? {}).length) errors.required('spec.selector');
  validateNonNegative(spec.replicas, 'spec.replicas', errors);
  if (!spec.template) {
    errors.required('spec.template');
    return;
  }
  const labels = spec.template.metadata?.labels;
  if (!selectorMatches({ matchLabels: spec.selector ?? {} }, labels ?? {}))
    errors.invalid('spec.template.metadata.labels', labels ?? null, NOT_SELECTED);
  validateForever(spec.template as PodTemplate, 'ReplicationController', errors);
}
