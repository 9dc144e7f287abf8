import { type FieldErrors, type JobLimits, qualifiedNameProblems } from '@tiphys/apimachinery';
import { type KubeObject, type LabelSelector, selectorMatches } from '@tiphys/kubernetes';
import { validateTemplate } from '../apps/workload-validation.ts';
import { domainPathProblem, oneOf, validateNonNegative } from '../shared/field-rules.ts';
import { validateSelector } from '../shared/selector-validation.ts';
import type { PodTemplate } from '../shared/shapes.ts';
import { cronProblem, isTimeZone } from './cron.ts';

export const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

interface ExitCodes {
  operator?: string;
  containerName?: string;
  values?: number[] | null;
}

interface FailureRule {
  action?: string;
  onExitCodes?: ExitCodes;
  onPodConditions?: { type?: string; status?: string }[] | null;
}

export interface JobSpec extends JobLimits {
  podFailurePolicy?: { rules?: FailureRule[] | null };
  successPolicy?: { rules?: { succeededIndexes?: string; succeededCount?: number }[] | null };
  manualSelector?: boolean;
  selector?: LabelSelector;
  template: PodTemplate;
  [field: string]: unknown;
}

export function validateJob(object: KubeObject, errors: FieldErrors): void {
  const spec = object.spec as JobSpec;
  validateGenerated(object, spec, errors);
  validateJobSpec(spec, 'spec', errors);
  const labels = spec.template.metadata?.labels;
  const readable = validateSelector(spec.selector, 'spec.selector', errors);
  if (!spec.selector) errors.required('spec.selector');
  if (!readable) return;
  if (!spec.selector || !selectorMatches(spec.selector, labels ?? {}))
    errors.invalid('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`');
}

/** The selector and labels that tell the pods of one job from all others. */
function validateGenerated({ metadata }: KubeObject, spec: JobSpec, errors: FieldErrors): void {
  if (spec.manualSelector || !spec.selector) return;
  const { matchLabels = {}, matchExpressions } = spec.selector;
  const keys = Object.keys(matchLabels);
  const generated = keys.length === 1 && matchLabels[CONTROLLER_UID] === metadata.uid && !matchExpressions?.length;
  if (!validateSelector(spec.selector, '', errors.fresh())) return;
  const legacy = keys.length === 1 && matchLabels['controller-uid'] === metadata.uid && !matchExpressions?.length;
  if (!generated && !legacy) errors.invalid('spec.selector', spec.selector, '`selector` not auto-generated');
}

function validateJobSpec(spec: JobSpec, path: string, errors: FieldErrors): void {
  for (const field of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const)
    validateNonNegative(spec[field], `${path}.${field}`, errors);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified');
  if (spec.managedBy !== undefined) {
    const problem = domainPathProblem(spec.managedBy);
    if (!spec.managedBy) errors.required(`${path}.managedBy`);
    else if (problem) errors.invalid(`${path}.managedBy`, spec.managedBy, problem);
    if (Buffer.byteLength(spec.managedBy) > 63) errors.tooLong(`${path}.managedBy`, 63);
  }
  validateIndexes(spec, path, errors);
  const containers = [...(spec.template.spec.containers ?? []), ...(spec.template.spec.initContainers ?? [])];
  const names = new Set(containers.map(({ name }) => name));
  (spec.podFailurePolicy?.rules ?? []).forEach((rule, index) => {
    validateFailureRule(rule, { spec, names, at: `${path}.podFailurePolicy.rules[${index}]`, errors });
  });
  validateSuccess(spec, `${path}.successPolicy`, errors);
  oneOf(
    spec.podReplacementPolicy,
    spec.podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'],
    `${path}.podReplacementPolicy`,
    errors,
  );
  validateTemplate(spec.template, `${path}.template`, errors);
  validateRestart(spec, `${path}.template.spec.restartPolicy`, errors);
}

function validateIndexes(spec: JobSpec, path: string, errors: FieldErrors): void {
  oneOf(spec.completionMode, ['NonIndexed', 'Indexed'], `${path}.completionMode`, errors);
  const { completions, maxFailedIndexes } = spec;
  if (spec.completionMode === 'Indexed') {
    if (completions === undefined) errors.required(`${path}.completions`, 'when completion mode is Indexed');
    if ((spec.parallelism ?? 0) > 100_000)
      errors.invalid(
        `${path}.parallelism`,
        spec.parallelism,
        'must be less than or equal to 100000 when completion mode is Indexed',
      );
    if ((maxFailedIndexes ?? 0) > (completions ?? Number.POSITIVE_INFINITY))
      errors.invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions');
    return;
  }
  for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
    if (spec[field] !== undefined) errors.invalid(`${path}.${field}`, spec[field], 'requires indexed completion mode');
}

interface RuleScope {
  readonly spec: JobSpec;
  readonly names: ReadonlySet<string>;
  readonly at: string;
  readonly errors: FieldErrors;
}

function validateFailureRule(rule: FailureRule, scope: RuleScope): void {
  const { spec, at, errors } = scope;
  const { action, onExitCodes } = rule;
  const onPodConditions = rule.onPodConditions ?? [];
  if (!action) errors.required(`${at}.action`, 'valid values: ["Count" "FailIndex" "FailJob" "Ignore"]');
  else if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined)
    errors.invalid(`${at}.action`, action, 'requires the backoffLimitPerIndex to be set');
  else oneOf(action, ['Count', 'FailIndex', 'FailJob', 'Ignore'], `${at}.action`, errors);
  if (onExitCodes) validateExitCodes(onExitCodes, { ...scope, at: `${at}.onExitCodes` });
  onPodConditions.forEach(({ type = '', status }, index) => {
    const here = `${at}.onPodConditions[${index}]`;
    for (const text of qualifiedNameProblems(type)) errors.invalid(`${here}.type`, type, text);
    oneOf(status, ['False', 'True', 'Unknown'], `${here}.status`, errors);
  });
  if (onExitCodes && onPodConditions.length)
    errors.invalidWhole(at, 'specifying both OnExitCodes and OnPodConditions is not supported');
  if (!onExitCodes && !onPodConditions.length)
    errors.invalidWhole(at, 'specifying one of OnExitCodes and OnPodConditions is required');
}

function validateExitCodes({ operator, containerName, ...codes }: ExitCodes, scope: RuleScope): void {
  const values = codes.values ?? [];
  const { at, names, errors } = scope;
  if (!operator) errors.required(`${at}.operator`, 'valid values: ["In" "NotIn"]');
  else oneOf(operator, ['In', 'NotIn'], `${at}.operator`, errors);
  if (containerName !== undefined && !names.has(containerName))
    errors.invalid(
      `${at}.containerName`,
      containerName,
      'must be one of the container or initContainer names in the pod template',
    );
  if (!values.length) errors.invalid(`${at}.values`, codes.values ?? null, 'at least one value is required');
  values.forEach((value, index) => {
    const here = `${at}.values[${index}]`;
    if (operator === 'In' && value === 0) errors.invalid(here, value, 'must not be 0 for the In operator');
    if (values.indexOf(value) < index) errors.duplicate(here, value);
  });
  if (values.some((value, index) => index > 0 && (values[index - 1] as number) > value))
    errors.invalid(`${at}.values`, values, 'must be ordered');
}

function validateSuccess(
  { successPolicy, completionMode, completions = 0 }: JobSpec,
  at: string,
  errors: FieldErrors,
): void {
  if (!successPolicy) return;
  if (completionMode !== 'Indexed') {
    errors.invalid(at, successPolicy, 'requires indexed completion mode');
    return;
  }
  const rules = successPolicy.rules ?? [];
  if (!rules.length)
    errors.required(`${at}.rules`, 'at least one rules must be specified when the successPolicy is specified');
  rules.forEach(({ succeededCount, succeededIndexes }, index) => {
    const here = `${at}.rules[${index}]`;
    if (succeededCount === undefined && succeededIndexes === undefined)
      errors.required(here, 'at least one of succeededCount or succeededIndexes must be specified');
    validateNonNegative(succeededCount, `${here}.succeededCount`, errors);
    if ((succeededCount ?? 0) > completions)
      errors.invalid(
        `${here}.succeededCount`,
        succeededCount,
        `must be less than or equal to ${completions} (the number of specified completions)`,
      );
  });
}

function validateRestart(spec: JobSpec, at: string, errors: FieldErrors): void {
  const { restartPolicy } = spec.template.spec;
  if (restartPolicy === 'Always') errors.required(at, 'valid values: "OnFailure", "Never"');
  else if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never')
    errors.notSupported(at, restartPolicy, ['OnFailure', 'Never']);
  else if (spec.podFailurePolicy && restartPolicy !== 'Never')
    errors.invalid(at, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified');
}

export interface CronJobSpec {
  schedule?: string;
  timeZone?: string;
  concurrencyPolicy?: string;
  suspend?: boolean;
  startingDeadlineSeconds?: number;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
  jobTemplate: { spec: JobSpec };
}

export function validateCronJob(object: KubeObject, errors: FieldErrors): void {
  const spec = object.spec as CronJobSpec;
  if (!spec.schedule) errors.required('spec.schedule');
  else {
    const problem = cronProblem(spec.schedule);
    if (problem) errors.invalid('spec.schedule', spec.schedule, problem);
  }
  validateNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds', errors);
  if (spec.timeZone !== undefined) validateTimeZone(spec.timeZone, errors);
  oneOf(spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace'], 'spec.concurrencyPolicy', errors);
  const inner = spec.jobTemplate.spec;
  const at = 'spec.jobTemplate.spec';
  validateJobSpec(inner, at, errors);
  if (inner.manualSelector) {
    if (inner.selector) errors.invalid(`${at}.selector`, inner.selector, '`selector` will be auto-generated');
    errors.notSupported(`${at}.manualSelector`, true, ['nil', 'false']);
  } else if (inner.selector) errors.invalid(`${at}.selector`, inner.selector, '`selector` will be auto-generated');
  validateNonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit', errors);
  validateNonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit', errors);
  if ((object.metadata.name ?? '').length > 52)
    errors.invalid('metadata.name', object.metadata.name, 'must be no more than 52 characters');
}

function validateTimeZone(zone: string, errors: FieldErrors): void {
  if (!zone) {
    errors.invalid('spec.timeZone', zone, 'timeZone must be nil or non-empty string');
    return;
  }
  if (zone.toLowerCase() === 'local')
    errors.invalid(
      'spec.timeZone',
      zone,
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    );
  if (zone.includes('..')) errors.invalid('spec.timeZone', zone, 'time: invalid location name');
  else if (zone !== 'Local' && !isTimeZone(zone)) errors.invalid('spec.timeZone', zone, `unknown time zone ${zone}`);
}
