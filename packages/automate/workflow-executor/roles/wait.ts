import { captureLogs } from '../outputs/logs.ts';
import { captureParameters } from '../outputs/parameters.ts';
import { followProgress } from '../outputs/progress.ts';
import { captureResult } from '../outputs/result.ts';
import { captureArtifacts } from '../outputs/save-artifacts.ts';
import { containersEnded, endContainers } from '../pod/containers.ts';
import { say } from '../pod/say.ts';
import { mainContainers, type Outputs } from '../pod/template.ts';
import { writeTermination } from '../pod/termination-log.ts';
import { Problems, type Work } from '../work/work.ts';

/**
 * `wait`: waits for the end of the user's containers, then collects what they leave and reports it. Throws the first problem after all
 * that could be saved was reported.
 */
export async function wait(work: Work): Promise<void> {
  const { context, report } = work;
  const problems = new Problems();
  await problems.try(() => report.write({}));
  try {
    await problems.try(() => mainEnded(work));
    const outputs = context.template.resource ? await logsAlone(work, problems) : await allOutputs(work, problems);
    await problems.try(() => report.write({ outputs }));
  } finally {
    await problems.try(() => report.complete());
  }
  problems.throwFirst();
}

async function mainEnded(work: Work): Promise<void> {
  const { context, signal, env } = work;
  const names = mainContainers(context.template);
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  const progress = followProgress(work, until);
  const timer =
    context.deadline === undefined ? undefined : setTimeout(() => void pastDeadline(), timeLeft(context.deadline));
  async function pastDeadline(): Promise<void> {
    say('Step exceeded its deadline', 'warning');
    writeTermination('Step exceeded its deadline', env);
    await endContainers(context.folders, { names, grace: context.grace });
  }
  try {
    await containersEnded(context.folders, names, signal);
    say('the main container has ended');
  } catch (error) {
    // the pod is being deleted: what is there is saved nevertheless
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    ended.abort(new Error('the main container has ended'));
    await progress;
  }
}

/** A timer fires at once when it is set to more than it can hold: no workflow has weeks left that matter to a timer. */
function timeLeft(deadline: number): number {
  return Math.min(Math.max(deadline - Date.now(), 0), 2 ** 31 - 1);
}

async function logsAlone(work: Work, problems: Problems): Promise<Outputs> {
  return { artifacts: await captureLogs(work, problems) };
}

async function allOutputs(work: Work, problems: Problems): Promise<Outputs> {
  const outputs: Outputs = { ...work.context.template.outputs };
  await problems.try(async () => {
    const result = await captureResult(work.context);
    if (result !== undefined) outputs.result = result;
  });
  await problems.try(async () => {
    if (outputs.parameters) outputs.parameters = captureParameters(work.context, outputs.parameters);
  });
  const saved = await captureArtifacts(work, problems);
  outputs.artifacts = [...saved, ...(await captureLogs(work, problems))];
  return outputs;
}
