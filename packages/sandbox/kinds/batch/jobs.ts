import { isDeepStrictEqual } from 'node:util';
import type { Strategy } from '@tiphys/apimachinery';
import { ageOf, type batchV1, humanDuration, type KubeObject } from '@tiphys/kubernetes';
import { defaultPodSpec } from '../pod/pod-defaults.ts';
import { dropOfPod, ofTemplate } from '../pod/pod-gates.ts';
import { hostNameWarnings, templateWarnings } from '../pod/pod-warnings.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, listAt, numberAt, textAt } from '../shared/cell-values.ts';
import { age, containers, name, selector, TEMPLATE } from '../shared/cells.ts';
import { mapAt } from '../shared/gates.ts';
import { jobStatus } from './job-status.ts';
import { CONTROLLER_UID, type CronJobSpec, type JobSpec, validateCronJob, validateJob } from './job-validation.ts';

const jobSpec = (object: KubeObject) => object.spec as JobSpec;

const DELETION_WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** A condition that is asked for is one that is true. */
function defaultFailureRules({ podFailurePolicy }: JobSpec): void {
  for (const { onPodConditions } of podFailurePolicy?.rules ?? [])
    for (const condition of onPodConditions ?? []) condition.status ||= 'True';
}

export const job: Strategy = {
  metaRulesOnUpdate: true,
  validateStatus: jobStatus,
  orphansDependents: true,
  deletionWarnings: ({ propagationPolicy, orphanDependents }) =>
    propagationPolicy === undefined && orphanDependents === undefined ? [DELETION_WARNING] : [],
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
    defaultFailureRules(spec);
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
    const { labels } = spec.template.metadata ?? {};
    if (labels && isDeepStrictEqual(object.metadata.labels, labels))
      object.metadata.labels = sorted({ ...object.metadata.labels, ...added });
    spec.template = {
      ...spec.template,
      metadata: { ...spec.template.metadata, labels: sorted({ ...spec.template.metadata?.labels, ...added }) },
    };
    spec.selector = {
      ...spec.selector,
      matchLabels: { ...spec.selector?.matchLabels, [CONTROLLER_UID]: uid },
    };
  },
  warnings: templateWarnings('spec.template', hostNameWarnings),
  validate: validateJob,
  validateUpdate(object, old, errors) {
    const [now, before] = [jobSpec(object), jobSpec(old)];
    for (const field of [
      'completions',
      'selector',
      'template',
      'completionMode',
      'podFailurePolicy',
      'backoffLimitPerIndex',
      'managedBy',
      'successPolicy',
    ] as const) {
      if (field === 'completions' && before.completionMode === 'Indexed') continue;
      if (
        field === 'template' &&
        before.suspend &&
        (old.status as batchV1.JobStatus | undefined)?.startTime === undefined
      )
        continue;
      if (!isDeepStrictEqual(now[field], before[field]))
        errors.invalid(`spec.${field}`, now[field], 'field is immutable');
    }
  },
  fields: (object) => ({
    'status.successful': String((object.status as batchV1.JobStatus | undefined)?.succeeded ?? 0),
  }),
};

function sorted(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
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
    defaultFailureRules(spec.jobTemplate.spec);
    defaultPodSpec(spec.jobTemplate.spec.template.spec);
  },
  warnings: templateWarnings('spec.jobTemplate.spec.template', hostNameWarnings),
  validate: validateCronJob,
};

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

export const cronJobs: BuiltinKind = {
  strategy: cronJob,
  cells: (o, now) => [
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
  gated: { spec: (object) => dropOfPod(mapAt(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec')) },
};

export const jobs: BuiltinKind = {
  strategy: job,
  cells: jobCells,
  gated: { spec: ofTemplate },
};
