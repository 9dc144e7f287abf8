import { timestamp } from '@tiphys/controller';
import { isAlreadyExists, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { resultOf } from '../decisions/phases.ts';
import { badAnswer } from '../model/failures.ts';
import type { Measurement, Metric } from '../model/types.ts';
import type { JobView, ProviderContext, TaskProvider } from './provider.ts';

/** Marks Jobs and Pods of metrics with the run's uid; informers select by it. */
export const runUidLabel = 'analysisrun.argoproj.io/uid';
const maxName = 63;
/** Reasons of waiting containers out of which a Job does not come by itself. */
const hopeless = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName']);

/** Runs a Job: its success is the measurement's; a Job that cannot start is inconclusive. */
export const job: TaskProvider = { kind: 'task', run, resume, terminate, garbageCollect };

async function run(metric: Metric, context: ProviderContext): Promise<Measurement> {
  const wanted = metricJob(metric, context);
  const created = await createOrAdopt(wanted, context);
  const now = timestamp(context.clock.now());
  return {
    phase: 'Running',
    startedAt: now,
    metadata: { 'job-name': created.metadata.name ?? '', 'job-namespace': created.metadata.namespace ?? '' },
    // looked at once more at once: a short Job may be complete by now
    resumeAt: now,
  };
}

async function createOrAdopt(wanted: KubeObject, { client, run, signal }: ProviderContext): Promise<KubeObject> {
  try {
    return await client.create(wanted, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name = '', namespace = '' } = wanted.metadata;
    const existing = await client.get({ apiVersion: 'batch/v1', kind: 'Job', name, namespace }, { signal });
    const owner = existing.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    if ((owner ?? existing.metadata.labels?.[runUidLabel]) !== run.metadata.uid) throw error;
    return existing;
  }
}

interface JobSpec {
  template?: { metadata?: { labels?: Record<string, string> } };
}

function metricJob(metric: Metric, { run, environment }: ProviderContext): KubeObject {
  const { metadata = {}, spec } = metric.provider.job as NonNullable<Metric['provider']['job']>;
  const { name = '', namespace = '', uid = '' } = run.metadata;
  const jobNamespace = environment.ARGO_ROLLOUTS_ANALYSIS_JOB_NAMESPACE || namespace;
  const { template = {} } = spec as JobSpec;
  const owner = { apiVersion: run.apiVersion, kind: run.kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(metric, uid, measurementNumber(run, metric.name)),
      namespace: jobNamespace,
      labels: { ...metadata.labels, [runUidLabel]: uid },
      annotations: {
        ...metadata.annotations,
        'analysisrun.argoproj.io/name': name,
        'analysisrun.argoproj.io/namespace': namespace,
        'analysisrun.argoproj.io/metric-name': metric.name,
      },
      ...(jobNamespace === namespace ? { ownerReferences: [owner] } : {}),
    },
    spec: {
      ...spec,
      template: {
        ...template,
        metadata: { ...template.metadata, labels: { ...template.metadata?.labels, [runUidLabel]: uid } },
      },
    },
  };
}

function jobName(metric: Metric, uid: string, number: number): string {
  const room = maxName - uid.length - String(number).length - 2;
  return `${uid}.${metric.name.slice(0, Math.max(0, room))}.${number}`;
}

function measurementNumber(run: ProviderContext['run'], metric: string): number {
  const result = resultOf(run, metric);
  return (result?.count ?? 0) + (result?.error ?? 0) + 1;
}

async function resume(_metric: Metric, context: ProviderContext, measurement: Measurement): Promise<Measurement> {
  const { name, namespace } = jobOf(measurement, context);
  const found = context.jobs.job(namespace, name);
  if (!found) throw badAnswer(`job.batch "${name}" not found`);
  const now = context.clock.now();
  const { resumeAt: _, ...rest } = measurement;
  for (const { type } of conditionsOf(found)) {
    if (type === 'Complete') return { ...measurement, phase: 'Successful', finishedAt: timestamp(now) };
    if (type === 'Failed') return { ...measurement, phase: 'Failed', finishedAt: timestamp(now) };
  }
  const hopelessness = context.jobs
    .podsOf(found)
    .map(terminalError)
    .find((message) => message !== undefined);
  if (hopelessness !== undefined)
    return { ...measurement, phase: 'Inconclusive', message: hopelessness, finishedAt: timestamp(now) };
  const elapsed = Math.max(0, (now - Date.parse(measurement.startedAt ?? '')) / 1000);
  // looks come seldomer the longer it takes; completion is reported by the informer anyway
  return { ...rest, resumeAt: timestamp(now + Math.max(1, Math.sqrt(2 * elapsed)) * 1000) };
}

/** Whether the Job of a measurement has ended: there is nothing to wait for then. */
export function isJobDone({ metadata }: Measurement, jobs: JobView): boolean {
  const found = jobs.job(metadata?.['job-namespace'] ?? '', metadata?.['job-name'] ?? '');
  return conditionsOf(found).some(({ type }) => type === 'Complete' || type === 'Failed');
}

function conditionsOf(job: KubeObject | undefined): { type: string }[] {
  return ((job?.status ?? {}) as { conditions?: { type: string }[] }).conditions ?? [];
}

interface ContainerStatus {
  name: string;
  state?: { waiting?: { reason?: string; message?: string } };
}

function terminalError(pod: KubeObject): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = (pod.status ?? {}) as Record<
    string,
    ContainerStatus[]
  >;
  for (const { name, state } of [...initContainerStatuses, ...containerStatuses]) {
    const { reason = '', message = '' } = state?.waiting ?? {};
    if (hopeless.has(reason))
      return `Pod ${pod.metadata.name}, container ${name} has terminal error (${reason}): ${message}\n`;
  }
  return undefined;
}

async function terminate(_metric: Metric, context: ProviderContext, measurement: Measurement): Promise<Measurement> {
  await deleteJob(context, jobOf(measurement, context));
  return { ...measurement, phase: 'Inconclusive', finishedAt: timestamp(context.clock.now()) };
}

async function garbageCollect(_metric: Metric, context: ProviderContext, limit: number): Promise<void> {
  const jobs = context.jobs
    .jobsOf(context.run.metadata.uid ?? '')
    .sort((a, b) => Date.parse(a.metadata.creationTimestamp ?? '') - Date.parse(b.metadata.creationTimestamp ?? ''));
  for (const { metadata } of jobs.slice(0, Math.max(0, jobs.length - limit)))
    await deleteJob(context, { name: metadata.name ?? '', namespace: metadata.namespace ?? '' });
}

async function deleteJob({ client, signal }: ProviderContext, ref: { name: string; namespace: string }): Promise<void> {
  try {
    await client.delete({ apiVersion: 'batch/v1', kind: 'Job', ...ref }, { propagationPolicy: 'Foreground', signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function jobOf({ metadata }: Measurement, { run }: ProviderContext): { name: string; namespace: string } {
  const name = metadata?.['job-name'];
  if (!name) throw badAnswer('job metadata reference missing');
  return { name, namespace: metadata['job-namespace'] || run.metadata.namespace || '' };
}
