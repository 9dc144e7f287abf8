import { isConflict, isNotFound } from '@tiphys/kubernetes';
import { Controller, type ControllerContext, splitKey } from '../machinery/controller.ts';
import { finishedCondition, type Job } from './job-model.ts';

/** Deletes Jobs `ttlSecondsAfterFinished` after their end (pkg/controller/ttlafterfinished). */
export function startTtlAfterFinishedController(context: ControllerContext): void {
  const controller = new Controller(context, 'ttl-after-finished-controller');
  const jobs = context.stores.of<Job>('batch/v1', 'Job');
  controller.watch(jobs);
  controller.run(async (key) => {
    const job = jobs.get(...splitKey(key));
    const finished = job && finishedCondition(job);
    const ttl = job?.spec.ttlSecondsAfterFinished;
    if (!job || !finished || ttl === undefined || job.metadata.deletionTimestamp) return undefined;
    const left = Date.parse(finished.lastTransitionTime ?? '') + ttl * 1000 - controller.clock.now();
    if (left > 0) return { requeueAfter: left };
    const { name = '', namespace = '', uid = '' } = job.metadata;
    const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace, name };
    try {
      await controller.client.delete(ref, { propagationPolicy: 'Foreground', preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return undefined;
  });
}
