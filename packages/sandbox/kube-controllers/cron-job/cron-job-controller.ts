import { isAlreadyExists, isNotFound, type KubeObject, timestamp } from '@tiphys/kubernetes';
import { finishedCondition, type Job } from '../job/job-model.ts';
import { Controller, type ControllerContext, controllerKey, controllerRef, splitKey } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { isNamespaceTerminating, serverMessage } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import { type CronSchedule, checkTimeZone, cronSchedule, zonedTime } from './cron-schedule.ts';
import { missedTimes, untilNext } from './cron-times.ts';

interface JobReference {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  resourceVersion?: string;
}

export interface CronJob extends KubeObject {
  spec: {
    schedule: string;
    timeZone?: string;
    startingDeadlineSeconds?: number;
    concurrencyPolicy?: string;
    suspend?: boolean;
    jobTemplate: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: Job['spec'];
    };
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
  };
  status?: { active?: JobReference[]; lastScheduleTime?: string; lastSuccessfulTime?: string };
}

type Status = NonNullable<CronJob['status']>;

/** Starts the Jobs of CronJobs when they are due (pkg/controller/cronjob). Schedules without time zone are in UTC. */
export function startCronJobController(context: ControllerContext): void {
  const controller = new Controller(context, 'cronjob-controller');
  const cronJobs = context.stores.of<CronJob>('batch/v1', 'CronJob');
  const jobs = context.stores.of<Job>('batch/v1', 'Job');
  controller.watch(cronJobs).watch(jobs, (job) => controllerKey(job, 'CronJob'));
  const worker = new CronJobWorker(controller, jobs);
  controller.run(async (key) => {
    const cronJob = cronJobs.get(...splitKey(key));
    if (!cronJob) return undefined;
    const own = [...jobs.controlledBy(cronJob.metadata.uid ?? '')];
    let status = await worker.removeOld(cronJob, own, cronJob.status ?? {});
    status = worker.follow(cronJob, own, status);
    let result: Started = { status };
    try {
      result = await worker.start(cronJob, status);
    } finally {
      if (!semanticallyEqual(cronJob.status, result.status))
        await controller.updateStatus(cronJobs, { ...cronJob, status: result.status });
    }
    return result.wait === undefined ? undefined : { requeueAfter: result.wait };
  });
}

interface Started {
  status: Status;
  wait?: number;
}

class CronJobWorker {
  readonly #controller: Controller;
  readonly #jobs: ObjectStore<Job>;

  constructor(controller: Controller, jobs: ObjectStore<Job>) {
    this.#controller = controller;
    this.#jobs = jobs;
  }

  /** Deletes finished jobs beyond the history limits, oldest first. */
  async removeOld(cronJob: CronJob, own: readonly Job[], status: Status): Promise<Status> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
    let next = status;
    for (const [type, limit] of [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const) {
      if (limit === undefined) continue;
      const ended = own.filter((job) => finishedCondition(job)?.type === type && !job.metadata.deletionTimestamp);
      for (const job of ended.sort(byStart).slice(0, Math.max(0, ended.length - limit)))
        next = await this.#delete(cronJob, job, next);
    }
    return next;
  }

  /** Brings `active` and `lastSuccessfulTime` in line with the jobs there are. */
  follow(cronJob: CronJob, own: readonly Job[], status: Status): Status {
    const { events } = this.#controller;
    let { active = [], lastSuccessfulTime } = status;
    for (const job of own) {
      const { uid, name } = job.metadata;
      const known = active.some((reference) => reference.uid === uid);
      const finished = finishedCondition(job);
      if (!finished) {
        if (!known)
          events.event(
            cronJob,
            'Warning',
            'UnexpectedJob',
            `Saw a job that the controller did not create or forgot: ${name}`,
          );
        continue;
      }
      if (known) {
        active = active.filter((reference) => reference.uid !== uid);
        events.event(cronJob, 'Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${finished.type}`);
      }
      const end = finished.type === 'Complete' ? job.status?.completionTime : undefined;
      if (end && (!lastSuccessfulTime || end > lastSuccessfulTime)) lastSuccessfulTime = end;
    }
    for (const reference of active) {
      if (own.some((job) => job.metadata.uid === reference.uid)) continue;
      active = active.filter((each) => each !== reference);
      events.event(cronJob, 'Normal', 'MissingJob', `Active job went missing: ${reference.name}`);
    }
    return withActive({ ...status, ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}) }, active);
  }

  /** Starts the job that is due, and tells when to look again. */
  async start(cronJob: CronJob, status: Status): Promise<Started> {
    const schedule = cronJob.metadata.deletionTimestamp ? undefined : this.#schedule(cronJob);
    if (!schedule) return { status };
    const now = this.#controller.clock.now();
    const due = this.#due(cronJob, schedule, status, now);
    if (due === 'invalid') return { status };
    const wait = () => {
      const next = untilNext(schedule, earliestOf(cronJob, status), now);
      return next === undefined ? { status } : { status, wait: next };
    };
    const deadline = cronJob.spec.startingDeadlineSeconds;
    if (due === undefined) return wait();
    if (deadline !== undefined && due + deadline * 1000 < now) {
      const time = new Date(due).toUTCString().replace('GMT', '+0000');
      this.#warn(cronJob, 'MissSchedule', `Missed scheduled time to start a job: ${time}`);
      return wait();
    }
    const name = jobName(cronJob, due);
    const { active = [], lastScheduleTime } = status;
    if (active.some((each) => each.name === name) || (lastScheduleTime && Date.parse(lastScheduleTime) === due))
      return wait();
    if (cronJob.spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
      const text = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#controller.events.event(cronJob, 'Normal', 'JobAlreadyActive', text);
      return wait();
    }
    const cleared = cronJob.spec.concurrencyPolicy === 'Replace' ? await this.#deleteActive(cronJob, status) : status;
    const started = await this.#create(cronJob, cleared, due);
    const next = untilNext(schedule, earliestOf(cronJob, started), now);
    return { status: started, ...(next === undefined ? {} : { wait: next }) };
  }

  /** Undefined for a CronJob that is suspended or cannot be understood. */
  #schedule(cronJob: CronJob): CronSchedule | undefined {
    const { schedule, timeZone, suspend } = cronJob.spec;
    try {
      if (timeZone) checkTimeZone(timeZone);
    } catch (error) {
      this.#warn(cronJob, 'UnknownTimeZone', `invalid timeZone: ${JSON.stringify(timeZone)}: ${serverMessage(error)}`);
      return undefined;
    }
    if (suspend) return undefined;
    try {
      return cronSchedule(schedule, timeZone);
    } catch (error) {
      const text = `unparseable schedule: ${JSON.stringify(schedule)} : ${serverMessage(error)}`;
      this.#warn(cronJob, 'UnparseableSchedule', text);
      return undefined;
    }
  }

  #due(cronJob: CronJob, schedule: CronSchedule, status: Status, now: number): number | undefined | 'invalid' {
    const deadline = cronJob.spec.startingDeadlineSeconds;
    const earliest = earliestOf(cronJob, status);
    try {
      const from = deadline === undefined ? earliest : Math.max(earliest, now - deadline * 1000);
      const { due, missed } = missedTimes(schedule, from, now);
      if (due !== undefined && missed === 'many')
        this.#warn(
          cronJob,
          'TooManyMissedTimes',
          'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
        );
      return due;
    } catch (error) {
      this.#warn(cronJob, 'InvalidSchedule', `invalid schedule: ${cronJob.spec.schedule} : ${serverMessage(error)}`);
      return 'invalid';
    }
  }

  async #deleteActive(cronJob: CronJob, status: Status): Promise<Status> {
    let next = status;
    for (const { namespace, name, uid } of status.active ?? []) {
      const job = this.#jobs.get(namespace, name);
      if (job?.metadata.uid === uid && job) next = await this.#delete(cronJob, job, next);
    }
    return next;
  }

  async #delete(cronJob: CronJob, job: Job, status: Status): Promise<Status> {
    const { events } = this.#controller;
    try {
      await this.#controller.delete(this.#jobs, job);
    } catch (error) {
      if (!isNotFound(error)) events.event(cronJob, 'Warning', 'FailedDelete', `Deleted job: ${serverMessage(error)}`);
      throw error;
    }
    events.event(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
    const active = (status.active ?? []).filter(({ uid }) => uid !== job.metadata.uid);
    return withActive(status, active);
  }

  async #create(cronJob: CronJob, status: Status, due: number): Promise<Status> {
    const job = jobFor(cronJob, due);
    let created: Job;
    try {
      created = await this.#controller.create(this.#jobs, job);
      this.#controller.events.event(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
    } catch (error) {
      if (isNamespaceTerminating(error)) return status;
      if (!isAlreadyExists(error)) {
        this.#warn(cronJob, 'FailedCreate', `Error creating job: ${serverMessage(error)}`);
        throw error;
      }
      const { name = '', namespace = '' } = job.metadata;
      created = await this.#controller.client.get<Job>({ apiVersion: 'batch/v1', kind: 'Job', namespace, name });
      // somebody else's job of the same name
      if (!created.metadata.ownerReferences?.some(({ uid }) => uid === cronJob.metadata.uid)) return status;
    }
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = created.metadata;
    const reference = { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion };
    const lastScheduleTime = timestamp(due);
    return withActive({ ...status, lastScheduleTime }, [...(status.active ?? []), reference]);
  }

  #warn(cronJob: CronJob, reason: string, message: string): void {
    this.#controller.events.event(cronJob, 'Warning', reason, message);
  }
}

function jobFor(cronJob: CronJob, due: number): Job {
  const { jobTemplate, timeZone } = cronJob.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(cronJob, due),
      namespace: cronJob.metadata.namespace ?? '',
      ...(labels ? { labels } : {}),
      annotations: { ...annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': zonedTime(due, timeZone) },
      ownerReferences: [controllerRef(cronJob)],
    },
    spec: jobTemplate.spec,
  };
}

/** The same for the same time, so that no time starts two jobs. */
function jobName(cronJob: CronJob, due: number): string {
  return `${cronJob.metadata.name}-${Math.floor(due / 60_000)}`;
}

function earliestOf({ metadata }: CronJob, { lastScheduleTime }: Status): number {
  return Date.parse(lastScheduleTime ?? metadata.creationTimestamp ?? '');
}

function withActive({ active: _, ...status }: Status, active: JobReference[]): Status {
  return active.length > 0 ? { ...status, active } : status;
}

function byStart(a: Job, b: Job): number {
  const key = ({ metadata, status }: Job) => `${status?.startTime ?? '~'} ${metadata.name}`;
  return key(a) < key(b) ? -1 : 1;
}
