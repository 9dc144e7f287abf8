import { isConflict, isNotFound } from '@tiphys/kubernetes';
import type { Controller } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { byReadinessToGo } from '../machinery/pod-ranking.ts';
import { createPod, deletePod, isPodTerminal, podFromTemplate, slowStart } from '../machinery/pods.ts';
import type { Container, Pod } from '../machinery/workload-model.ts';
import { completionIndex } from './completion-indexes.ts';
import {
  indexAnnotation,
  indexFailures,
  indexIgnoredFailures,
  isIndexed,
  type Job,
  trackingFinalizer,
} from './job-model.ts';
import type { JobView } from './job-view.ts';
import {
  allFailuresOfIndex,
  backoffLeft,
  finishedAt,
  judgeFailure,
  numberIn,
  replacesFailedOnly,
} from './pod-failures.ts';

const burst = 500;

export interface JobPods {
  controller: Controller;
  pods: ObjectStore<Pod>;
}

/** What was done about the number of pods. */
export interface Managed {
  created: number;
  deleted: readonly Pod[];
  /** Milliseconds until another pod may be created. */
  wait?: number;
  error?: unknown;
}

/** Creates or deletes pods towards what the job wants now; `backoff` in milliseconds holds creation up. */
export async function managePods(io: JobPods, view: JobView, backoff: number): Promise<Managed> {
  const { job, active } = view;
  const wanted = job.spec.suspend ? 0 : wantedPods(view);
  const surplus = podsToRemove(view, Math.max(0, active.length - wanted)).slice(0, burst);
  if (surplus.length > 0 || job.spec.suspend) return removePods(io, job, surplus);
  const missing = wanted - active.length - (replacesFailedOnly(job) ? view.terminating : 0);
  if (missing <= 0) return { created: 0, deleted: [] };
  if (backoff > 0 && !view.failedIndexes) return { created: 0, deleted: [], wait: backoff };
  const count = Math.min(missing, burst);
  if (!isIndexed(job)) return create(io, count, () => newPod(job));
  const { indexes, wait } = creatableIndexes(view, count, io.controller.clock.now());
  const managed = await create(io, indexes.length, (nth) => newIndexedPod(view, indexes[nth] as number));
  return { ...managed, ...(wait === undefined ? {} : { wait }) };
}

function wantedPods({ job, active, succeeded }: JobView): number {
  const { completions, parallelism = 1 } = job.spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Of indexed jobs also pods whose index is taken or not valid. */
function podsToRemove({ job, active }: JobView, atLeast: number): Pod[] {
  const doomed: Pod[] = [];
  let left = byReadinessToGo(active, []);
  if (isIndexed(job)) {
    const taken = new Set<number>();
    for (const pod of [...left].reverse()) {
      const index = completionIndex(pod);
      if (index === undefined || index >= (job.spec.completions ?? 0) || taken.has(index)) doomed.push(pod);
      else taken.add(index);
    }
    left = left.filter((pod) => !doomed.includes(pod));
  }
  return [...doomed, ...left.slice(0, Math.max(0, atLeast - doomed.length))];
}

async function removePods({ controller, pods }: JobPods, job: Job, doomed: readonly Pod[]): Promise<Managed> {
  const results = await Promise.allSettled(
    doomed.map(async (pod) => {
      await untrack(controller, pods, pod);
      await deletePod(controller, pods, job, pod);
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  const deleted = doomed.filter((_, index) => results[index]?.status === 'fulfilled');
  return { created: 0, deleted, ...(failed ? { error: failed.reason } : {}) };
}

/** Removes the finalizer that kept the pod until it was counted. */
export async function untrack(controller: Controller, pods: ObjectStore<Pod>, pod: Pod): Promise<void> {
  const { uid, name = '', namespace = '', finalizers = [] } = pod.metadata;
  const left = finalizers.filter((finalizer) => finalizer !== trackingFinalizer);
  if (left.length === finalizers.length) return;
  const ref = { apiVersion: 'v1', kind: 'Pod', name, namespace };
  try {
    const body = { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } };
    pods.wrote(await controller.client.patch<Pod>(ref, 'strategic', body));
  } catch (error) {
    // gone, or another one of the same name
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function create({ controller, pods }: JobPods, count: number, make: (nth: number) => Made): Promise<Managed> {
  let created = 0;
  try {
    await slowStart(count, async (nth) => {
      const { job, pod } = make(nth);
      if (await createPod(controller, pods, job, pod)) created++;
    });
    return { created, deleted: [] };
  } catch (error) {
    return { created, deleted: [], error };
  }
}

interface Made {
  job: Job;
  pod: Pod;
}

function newPod(job: Job): Made {
  const pod = podFromTemplate(job.spec.template, job);
  const finalizers = [...new Set([...(pod.metadata.finalizers ?? []), trackingFinalizer])];
  return { job, pod: { ...pod, metadata: { ...pod.metadata, finalizers } } };
}

function newIndexedPod(view: JobView, index: number): Made {
  const { job } = view;
  const { pod } = newPod(job);
  const { name = '' } = job.metadata;
  const suffix = `-${index}-`;
  const { metadata, spec } = pod;
  return {
    job,
    pod: {
      ...pod,
      metadata: {
        ...metadata,
        generateName: `${name.slice(0, 58 - suffix.length)}${suffix}`,
        labels: { ...metadata.labels, [indexAnnotation]: String(index) },
        annotations: { ...metadata.annotations, [indexAnnotation]: String(index), ...failureCounts(view, index) },
      },
      spec: {
        ...spec,
        hostname: `${name}-${index}`,
        containers: spec.containers.map(withIndexVariable),
        ...(spec.initContainers ? { initContainers: spec.initContainers.map(withIndexVariable) } : {}),
      },
    },
  };
}

function failureCounts({ job, failedIndexes, keptForIndex }: JobView, index: number): Record<string, string> {
  if (!failedIndexes) return {};
  const former = keptForIndex.get(index);
  if (!former) return { [indexFailures]: '0' };
  const { counts } = judgeFailure(job, former);
  const ignored = numberIn(former, indexIgnoredFailures) + (counts ? 0 : 1);
  return {
    [indexFailures]: String(numberIn(former, indexFailures) + (counts ? 1 : 0)),
    ...(ignored > 0 ? { [indexIgnoredFailures]: String(ignored) } : {}),
  };
}

function withIndexVariable(container: Container): Container {
  const name = 'JOB_COMPLETION_INDEX';
  if (container.env?.some((variable) => variable.name === name)) return container;
  const variable = { name, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } } };
  return { ...container, env: [...(container.env ?? []), variable] } as Container;
}

/** The lowest indexes without pod, as far as each one's back-off is over; else how long the next one waits. */
function creatableIndexes(view: JobView, count: number, now: number): { indexes: number[]; wait?: number } {
  const { job, pods, active, succeededIndexes, failedIndexes, keptForIndex } = view;
  const busy = new Set(active.map(completionIndex));
  if (replacesFailedOnly(job))
    for (const pod of pods) if (pod.metadata.deletionTimestamp && !isPodTerminal(pod)) busy.add(completionIndex(pod));
  const pending: number[] = [];
  for (let index = 0; index < (job.spec.completions ?? 0) && pending.length < count; index++)
    if (!busy.has(index) && !succeededIndexes.has(index) && !failedIndexes?.has(index)) pending.push(index);
  const waits = pending.map((index) => {
    const former = keptForIndex.get(index);
    return former ? backoffLeft(allFailuresOfIndex(former) + 1, finishedAt(former), now) : 0;
  });
  const indexes = pending.filter((_, nth) => waits[nth] === 0);
  const later = waits.filter((wait) => wait > 0);
  return { indexes, ...(later.length > 0 ? { wait: Math.min(...later) } : {}) };
}
