import { isCompleted } from '@tiphys/analysis';
import type { ExperimentStatus, ExperimentTemplate, TemplateStatus } from '@tiphys/api';
import { copyJson, timestamp } from '@tiphys/controller';
import { isConflict } from '@tiphys/kubernetes';
import type { Service } from '../objects/kinds.ts';
import { available, type ReplicaSet, wanted } from '../objects/replica-set.ts';
import type { ExperimentPass } from './context.ts';
import { reconcileRun } from './experiment-analysis.ts';
import { conditionOf, decideProgress, setCondition, specProblem } from './experiment-conditions.ts';
import {
  assess,
  assessTemplates,
  deadlineSeconds,
  durationLeft,
  hasPassed,
  isEnding,
  isTemplateOver,
  templateStatusOf,
  wantedReplicas,
} from './experiment-state.ts';
import { makeTemplateSet, scaleTemplateSet, templateSets } from './template-replica-set.ts';
import { sentenceOf, syncTemplateService, templateServices } from './template-service.ts';

/** One pass over an Experiment. */
export async function reconcileExperiment(pass: ExperimentPass): Promise<void> {
  const { before, next } = pass;
  if (before.metadata.deletionTimestamp) return;
  const now = pass.clock.now();
  const status: ExperimentStatus = copyJson(before.status ?? {});
  const problem = specProblem(before);
  if (problem !== undefined) {
    if (conditionOf(status, 'InvalidSpec')?.message === problem.message) return;
    setCondition(
      status,
      { type: 'InvalidSpec', status: 'True', reason: 'InvalidSpec', message: problem.message },
      { now, renew: true },
    );
    next.status = { ...status, diagnoses: [problem] };
    return;
  }
  delete status.diagnoses;
  const sets = templateSets(pass);
  const services = templateServices(pass);
  for (const template of before.spec.templates) {
    const templateStatus = await reconcileTemplate(pass, template, { sets, services });
    const list = status.templateStatuses ?? [];
    const at = list.findIndex(({ name }) => name === template.name);
    status.templateStatuses = at < 0 ? [...list, templateStatus] : list.with(at, templateStatus);
  }
  for (const analysis of before.spec.analyses ?? []) await reconcileRun(pass, status, { analysis, sets });
  decidePhase(pass, status, now);
  decideProgress(before, status, now);
  next.status = status;
  requeue(pass, status, now);
  await pass.checkpoint();
  if (before.status?.phase !== status.phase) tellPhase(pass, status);
}

interface Parts {
  readonly sets: Map<string, ReplicaSet>;
  readonly services: ReadonlyMap<string, Service>;
}

async function reconcileTemplate(
  pass: ExperimentPass,
  template: ExperimentTemplate,
  { sets, services }: Parts,
): Promise<TemplateStatus> {
  const { before } = pass;
  const now = pass.clock.now();
  const earlier = templateStatusOf(before.status, template.name);
  const status: TemplateStatus = earlier
    ? { ...earlier }
    : { name: template.name, replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 };
  const count = wantedReplicas(before, template);
  try {
    await syncTemplate(pass, status, { template, sets, services, count });
  } catch (error) {
    if (isConflict(error)) throw error;
    status.status = 'Error';
    status.message = `Failed to create ReplicaSet for template '${template.name}': ${sentenceOf(error)}`;
  }
  const counts = countsOf(sets.get(template.name));
  if (Object.entries(counts).some(([field, value]) => (earlier ?? status)[field as keyof typeof counts] !== value))
    status.lastTransitionTime = timestamp(now);
  Object.assign(status, counts);
  if (!isTemplateOver(status.status)) decideTemplate(pass, status, { count, now });
  if (earlier?.status !== status.status) tellTemplate(pass, earlier, status);
  return status;
}

async function syncTemplate(
  pass: ExperimentPass,
  status: TemplateStatus,
  { template, sets, services, count }: Parts & { template: ExperimentTemplate; count: number },
): Promise<void> {
  const now = pass.clock.now();
  const set = sets.get(template.name);
  if (!set) {
    // what is over needs no pods any more
    if (isEnding(pass.before)) return;
    const made = await makeTemplateSet(pass, template);
    if (made) {
      sets.set(template.name, made);
      status.lastTransitionTime = timestamp(now);
    } else status.collisionCount = (status.collisionCount ?? 0) + 1;
    return;
  }
  await syncTemplateService(pass, status, { template, set, service: services.get(template.name), count });
  const isOff = wanted(set) !== count;
  const scaled = await scaleTemplateSet(pass, set, { count, full: template.replicas ?? 1 });
  if (isOff) status.lastTransitionTime = timestamp(now);
  if (scaled) sets.set(template.name, scaled);
  else sets.delete(template.name);
}

function countsOf(set: ReplicaSet | undefined) {
  const { replicas = 0, readyReplicas = 0 } = set?.status ?? {};
  return { replicas, updatedReplicas: replicas, readyReplicas, availableReplicas: available(set) };
}

function decideTemplate(
  pass: ExperimentPass,
  status: TemplateStatus,
  { count, now }: { count: number; now: number },
): void {
  const ends = isEnding(pass.before);
  if (status.availableReplicas === count) {
    status.status = hasPassed(pass.before, now) || ends ? 'Successful' : 'Running';
    return;
  }
  const seconds = deadlineSeconds(pass.before);
  const since = Date.parse(status.lastTransitionTime ?? timestamp(now));
  if (now > since + seconds * 1000) {
    status.status = 'Failed';
    status.message = `Template '${status.name}' exceeded its progressDeadlineSeconds (${seconds})`;
  } else status.status = ends ? 'Successful' : 'Progressing';
}

function tellTemplate(
  pass: ExperimentPass,
  earlier: TemplateStatus | undefined,
  { name, status, message }: TemplateStatus,
): void {
  pass.context.tell(pass.before, {
    type: status === 'Failed' || status === 'Error' ? 'Warning' : 'Normal',
    reason: `Template${status}`,
    message: `Template '${name}' transitioned from ${earlier?.status ?? ''} -> ${status}${message ? `: ${message}` : ''}`,
  });
}

function decidePhase({ before }: ExperimentPass, status: ExperimentStatus, now: number): void {
  if (!status.phase) {
    status.phase = 'Pending';
    return;
  }
  if (isCompleted(status.phase)) return;
  if (assessTemplates(before, status).phase === 'Running') status.availableAt ??= timestamp(now);
  const { phase, message } = assess(before, status);
  status.phase = phase;
  if (message) status.message = message;
  else delete status.message;
}

function tellPhase(pass: ExperimentPass, { phase }: ExperimentStatus): void {
  const isBad = phase === 'Error' || phase === 'Failed' || phase === 'Inconclusive';
  pass.context.tell(pass.before, {
    type: isBad ? 'Warning' : 'Normal',
    reason: `Experiment${phase}`,
    message: `Experiment transitioned from ${pass.before.status?.phase ?? ''} -> ${phase}`,
  });
}

/** Looks again at the end of the duration, and when the time of a template that waits for pods is over. */
function requeue(pass: ExperimentPass, status: ExperimentStatus, now: number): void {
  const next = { ...pass.before, status };
  if (isEnding(next)) return;
  const left = durationLeft(next, now);
  if (left !== undefined && left >= 0) pass.requeueIn(left + 1);
  for (const template of next.spec.templates) {
    const { lastTransitionTime, availableReplicas } = templateStatusOf(status, template.name) ?? {};
    if (availableReplicas === wantedReplicas(next, template) || !lastTransitionTime) continue;
    pass.requeueIn(Math.max(0, Date.parse(lastTransitionTime) + deadlineSeconds(next) * 1000 - now) + 1000);
  }
}
