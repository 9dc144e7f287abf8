import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Strategy } from '../server/strategy.ts';
import type { LabelSelector } from './label-selector.ts';
import { defaultPodSpec } from './pod-defaults.ts';
import type { PodTemplate } from './shapes.ts';
import { validateTemplate } from './workloads.ts';

interface JobSpec {
  parallelism?: number;
  completions?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: object;
  manualSelector?: boolean;
  selector?: LabelSelector;
  template: PodTemplate;
  [field: string]: unknown;
}

const jobSpec = (object: KubeObject) => object.spec as JobSpec;

export const job: Strategy = {
  generation: true,
  statusSubresource: true,
  defaults(object) {
    const spec = jobSpec(object);
    if (spec.completions === undefined && spec.parallelism === undefined) {
      spec.completions = 1;
      spec.parallelism = 1;
    }
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647;
    const labels = spec.template.metadata?.labels;
    if (labels && !Object.keys(object.metadata.labels ?? {}).length) object.metadata.labels = { ...labels };
    spec.completionMode ??= 'NonIndexed';
    spec.suspend ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
    spec.manualSelector ??= false;
    defaultPodSpec(spec.template.spec);
  },
  prepareCreate(object) {
    const spec = jobSpec(object);
    const { uid = '', name = '' } = object.metadata;
    if (spec.manualSelector) return;
    const added = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    };
    // Labels taken over from the template get what the template gets.
    if (isDeepStrictEqual(object.metadata.labels, spec.template.metadata?.labels))
      object.metadata.labels = sorted({ ...object.metadata.labels, ...added });
    spec.template = {
      ...spec.template,
      metadata: { ...spec.template.metadata, labels: sorted({ ...spec.template.metadata?.labels, ...added }) },
    };
    spec.selector ??= {};
    spec.selector.matchLabels = { ...spec.selector.matchLabels, 'batch.kubernetes.io/controller-uid': uid };
  },
  validate(object, errors) {
    const spec = jobSpec(object);
    for (const field of [
      'parallelism',
      'completions',
      'backoffLimit',
      'activeDeadlineSeconds',
      'ttlSecondsAfterFinished',
    ] as const)
      if ((spec[field] ?? 0) < 0) errors.invalid(`spec.${field}`, spec[field], 'must be greater than or equal to 0');
    if (spec.completionMode !== 'NonIndexed' && spec.completionMode !== 'Indexed')
      errors.notSupported('spec.completionMode', spec.completionMode, ['NonIndexed', 'Indexed']);
    if (spec.completionMode === 'Indexed' && spec.completions === undefined)
      errors.required('spec.completions', 'when completion mode is Indexed');
    validateTemplate(spec.template, 'spec.template', errors);
    const { restartPolicy } = spec.template.spec;
    if (restartPolicy === 'Always')
      errors.required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"');
  },
  validateUpdate(object, old, errors) {
    const [now, before] = [jobSpec(object), jobSpec(old)];
    for (const field of [
      'completions',
      'selector',
      'template',
      'completionMode',
      'podFailurePolicy',
      'backoffLimitPerIndex',
    ] as const) {
      if (field === 'completions' && before.completionMode === 'Indexed') continue;
      if (
        field === 'template' &&
        before.suspend &&
        (old.status as { startTime?: string } | undefined)?.startTime === undefined
      )
        continue;
      if (!isDeepStrictEqual(now[field], before[field]))
        errors.invalid(`spec.${field}`, now[field], 'field is immutable');
    }
  },
  fields: (object) => ({
    'status.successful': String((object.status as { succeeded?: number } | undefined)?.succeeded ?? 0),
  }),
};

function sorted(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface CronJobSpec {
  schedule?: string;
  timeZone?: string;
  concurrencyPolicy?: string;
  suspend?: boolean;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
  jobTemplate: { spec: JobSpec };
}

export const cronJob: Strategy = {
  generation: true,
  statusSubresource: true,
  defaults(object) {
    const spec = object.spec as CronJobSpec;
    spec.concurrencyPolicy ??= 'Allow';
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    defaultPodSpec(spec.jobTemplate.spec.template.spec);
  },
  validate(object, errors) {
    const spec = object.spec as CronJobSpec;
    if (!spec.schedule) errors.required('spec.schedule');
    else {
      const problem = cronProblem(spec.schedule);
      if (problem) errors.invalid('spec.schedule', spec.schedule, problem);
    }
    if (spec.timeZone !== undefined && !isTimeZone(spec.timeZone))
      errors.invalid('spec.timeZone', spec.timeZone, `unknown time zone ${spec.timeZone}`);
    if (!['Allow', 'Forbid', 'Replace'].includes(spec.concurrencyPolicy ?? ''))
      errors.notSupported('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']);
    if ((object.metadata.name ?? '').length > 52)
      errors.invalid('metadata.name', object.metadata.name, 'must be no more than 52 characters');
    validateTemplate(spec.jobTemplate.spec.template, 'spec.jobTemplate.spec.template', errors);
    if (spec.jobTemplate.spec.template.spec.restartPolicy === 'Always')
      errors.required('spec.jobTemplate.spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"');
  },
};

const RANGES: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
];
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');

/** What is wrong with a cron expression, in the words of the API server's parser. */
function cronProblem(schedule: string): string | undefined {
  if (/^TZ=|^CRON_TZ=/.test(schedule)) return 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  if (schedule.startsWith('@'))
    return /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/.test(schedule)
      ? undefined
      : `unrecognized descriptor: ${schedule}`;
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, field] of fields.entries()) {
    const [low, high] = RANGES[index] as readonly [number, number];
    for (const part of field.split(',')) {
      const [range = '', step] = part.split('/');
      if (step !== undefined && !/^[1-9]\d*$/.test(step))
        return `failed to parse int from ${step}: strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`;
      if (range === '*' || range === '?') continue;
      const names = index === 3 ? MONTHS : index === 4 ? DAYS : [];
      const ends = range
        .split('-')
        .map((end) =>
          names.includes(end.toLowerCase()) ? names.indexOf(end.toLowerCase()) + (index === 3 ? 1 : 0) : end,
        );
      for (const end of ends) {
        if (!/^\d+$/.test(String(end)))
          return `failed to parse int from ${end}: strconv.Atoi: parsing ${JSON.stringify(end)}: invalid syntax`;
        if (Number(end) > high) return `end of range (${end}) above maximum (${high}): ${part}`;
        if (Number(end) < low) return `beginning of range (${end}) below minimum (${low}): ${part}`;
      }
    }
  }
  return undefined;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
