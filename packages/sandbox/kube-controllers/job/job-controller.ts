import { timestamp } from '../machinery/conditions.ts';
import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import { controllerOf, type ObjectStore } from '../machinery/object-store.ts';
import { claimPods, deletePod, isPodReady, podOwners } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Condition, Pod } from '../machinery/workload-model.ts';
import { JobBackoffs } from './job-backoffs.ts';
import { finishedCondition, isIndexed, type Job, type JobStatus } from './job-model.ts';
import { managePods, untrack } from './job-pods.ts';
import {
  countReleasedPods,
  finishedStatus,
  nameEndedPods,
  trackedUids,
  withCounts,
  withJobCondition,
} from './job-tracking.ts';
import { completionsReached, deadlineLeft, isComplete, judgeJob, type Verdict } from './job-verdict.ts';
import { isTracked, type JobView, viewJob } from './job-view.ts';

/** Keys of the queue that mean a pod without job. */
const orphanPrefix = 'pod without job ';

/** Runs Jobs to their end (pkg/controller/job). */
export function startJobController(context: ControllerContext): void {
  const controller = new Controller(context, 'job-controller', { firstDelay: 1000 });
  const jobs = context.stores.of<Job>('batch/v1', 'Job');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const worker = new JobWorker(controller, jobs, pods);
  controller.watch(jobs).watch(pods, podOwners('Job', jobs));
  controller.watch(pods, (pod) => (isTracked(pod) && !worker.jobOf(pod) ? [orphanPrefix + keyFor(pod)] : []));
  jobs.subscribe(({ type, object }) => {
    if (type !== 'deleted') return;
    for (const pod of pods.controlledBy(object.metadata.uid ?? ''))
      if (isTracked(pod)) controller.queue.add(orphanPrefix + keyFor(pod));
  });
  controller.run((key) =>
    key.startsWith(orphanPrefix) ? worker.release(key.slice(orphanPrefix.length)) : worker.sync(key),
  );
}

/** What became of the pods in one turn. */
interface Turn {
  active: number;
  ready: number;
  terminating: number;
  verdict?: Verdict;
  wait?: number;
  error?: unknown;
}

class JobWorker {
  readonly #controller: Controller;
  readonly #jobs: ObjectStore<Job>;
  readonly #pods: ObjectStore<Pod>;
  readonly #backoffs = new JobBackoffs();

  constructor(controller: Controller, jobs: ObjectStore<Job>, pods: ObjectStore<Pod>) {
    this.#controller = controller;
    this.#jobs = jobs;
    this.#pods = pods;
  }

  jobOf(pod: Pod): Job | undefined {
    const owner = controllerOf(pod);
    const job = owner?.kind === 'Job' ? this.#jobs.get(pod.metadata.namespace ?? '', owner.name) : undefined;
    return job?.metadata.uid === owner?.uid ? job : undefined;
  }

  /** A pod whose job is gone has nobody who counts it. */
  async release(key: string): Promise<undefined> {
    const pod = this.#pods.get(...splitKey(key));
    const owner = pod && controllerOf(pod);
    if (!pod || !isTracked(pod) || this.jobOf(pod) || (owner && owner.kind !== 'Job')) return undefined;
    // the cache of jobs may be behind that of pods
    const ref = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace: pod.metadata.namespace ?? '',
      name: owner?.name ?? '',
    };
    const job = owner ? await this.#controller.client.find(ref) : undefined;
    if (job?.metadata.uid !== owner?.uid || !job) await untrack(this.#controller, this.#pods, pod);
    return undefined;
  }

  async sync(key: string): Promise<undefined | { requeueAfter: number }> {
    const job = this.#jobs.get(...splitKey(key));
    if (!job || finishedCondition(job)) this.#backoffs.forget(key);
    const { managedBy } = job?.spec ?? {};
    if (!job || finishedCondition(job) || (managedBy && managedBy !== 'kubernetes.io/job-controller')) return undefined;
    const now = this.#controller.clock.now();
    const started = job.status?.startTime === undefined && !job.spec.suspend;
    const status: JobStatus = { ...job.status, ...(started ? { startTime: timestamp(this.#controller.clock) } : {}) };
    const view = viewJob({ ...job, status }, await claimPods(this.#controller, this.#pods, job));
    const turn = await this.#act(key, view, now);
    const conditions = turn.verdict ? status.conditions : this.#suspension(view, status);
    const resumed = conditions !== status.conditions && !job.spec.suspend;
    const next = {
      ...status,
      ...(conditions?.length ? { conditions } : {}),
      ...(resumed ? { startTime: timestamp(this.#controller.clock) } : {}),
    };
    await this.#track(key, view, next, turn);
    if (turn.error) throw turn.error;
    const waits = [turn.wait, deadlineLeft({ ...job, status: next }, now)].filter((wait) => wait !== undefined);
    return waits.length > 0 && !turn.verdict ? { requeueAfter: Math.max(1, Math.min(...waits)) } : undefined;
  }

  /** Creates and deletes pods, and tells whether the job is at its end. */
  async #act(key: string, view: JobView, now: number): Promise<Turn> {
    const { job, active, ready, terminating } = view;
    const verdict = judgeJob(view, now);
    if (verdict) return this.#removeAll(view, verdict);
    const idle: Turn = { active: active.length, ready, terminating };
    const turn = job.metadata.deletionTimestamp ? idle : await this.#manage(key, view, now);
    return isComplete(view, turn.active) ? { ...turn, verdict: completionsReached } : turn;
  }

  async #removeAll({ job, active, ready, terminating }: JobView, verdict: Verdict): Promise<Turn> {
    const results = await Promise.allSettled(active.map((pod) => deletePod(this.#controller, this.#pods, job, pod)));
    const failed = results.find((result) => result.status === 'rejected');
    const gone = active.filter((_, index) => results[index]?.status === 'fulfilled');
    return {
      active: active.length - gone.length,
      ready: ready - gone.filter(isPodReady).length,
      terminating: terminating + gone.length,
      // with pods that could not be deleted the job has not ended yet
      ...(failed ? { error: failed.reason } : { verdict }),
    };
  }

  async #manage(key: string, view: JobView, now: number): Promise<Turn> {
    const { active, ready, terminating } = view;
    const io = { controller: this.#controller, pods: this.#pods };
    const { created, deleted, wait, error } = await managePods(io, view, this.#backoffs.left(key, view, now));
    return {
      active: active.length + created - deleted.length,
      ready: ready - deleted.filter(isPodReady).length,
      terminating: terminating + deleted.length,
      ...(wait === undefined ? {} : { wait }),
      ...(error === undefined ? {} : { error }),
    };
  }

  #suspension({ job }: JobView, status: JobStatus): Condition[] | undefined {
    const { suspend = false } = job.spec;
    const before = status.conditions ?? [];
    const [reason, message] = suspend ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
    const condition = { type: 'Suspended', status: suspend ? ('True' as const) : ('False' as const), reason, message };
    const after = withJobCondition(before, condition, timestamp(this.#controller.clock));
    if (semanticallyEqual(before, after)) return status.conditions;
    this.#controller.events.event(job, 'Normal', suspend ? 'Suspended' : 'Resumed', message);
    return after;
  }

  /** Writes the status: first what is to be counted, then, with the finalizers gone, the counts and the end. */
  async #track(key: string, view: JobView, before: JobStatus, turn: Turn): Promise<void> {
    const { verdict, ready, terminating, active } = turn;
    const indexed = isIndexed(view.job);
    const counted = countReleasedPods(before, trackedUids(view.pods), indexed);
    const named = nameEndedPods(view, withCounts({ ...counted, ready, terminating }, { active }), verdict);
    const conditions = verdict
      ? withJobCondition(
          named.status.conditions ?? [],
          { ...verdict, status: 'True' },
          timestamp(this.#controller.clock),
        )
      : named.status.conditions;
    let job = await this.#write(view.job, { ...named.status, ...(conditions?.length ? { conditions } : {}) });
    this.#backoffs.remember(key, view);
    await Promise.all(named.release.map((pod) => untrack(this.#controller, this.#pods, pod)));
    const released = new Set(named.release.map((pod) => pod.metadata.uid));
    const tracked = trackedUids(view.pods.filter((pod) => !released.has(pod.metadata.uid)));
    const status = countReleasedPods(job.status ?? {}, tracked, indexed);
    const finished = verdict && finishedStatus(status, verdict, terminating, this.#controller.clock);
    job = await this.#write(job, finished?.status ?? status);
    if (finished) this.#tellEnd(job, finished.condition);
  }

  #tellEnd(job: Job, { type, reason = '', message = '' }: Condition): void {
    const { events } = this.#controller;
    if (type === 'Failed') {
      events.event(job, 'Warning', reason, message);
      return;
    }
    if ((job.status?.succeeded ?? 0) > (job.spec.completions ?? Number.POSITIVE_INFINITY))
      events.event(
        job,
        'Warning',
        'TooManySucceededPods',
        'Too many succeeded pods running after completion count reached',
      );
    events.event(job, 'Normal', 'Completed', 'Job completed');
  }

  /** `job` is the state that was judged, but for its status: a newer one refuses the write. */
  async #write(job: Job, status: JobStatus): Promise<Job> {
    const stored = this.#jobs.get(job.metadata.namespace ?? '', job.metadata.name ?? '');
    if (stored?.metadata.uid === job.metadata.uid && semanticallyEqual(stored?.status, status))
      return { ...job, status };
    return this.#controller.updateStatus(this.#jobs, { ...job, status });
  }
}
