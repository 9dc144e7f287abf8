import { isCompleted } from '@tiphys/analysis';
import type { Experiment, ExperimentCondition, ExperimentStatus, TemplateStatus } from '@tiphys/api';
import { deepEqual, timestamp } from '@tiphys/controller';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { deadlineSeconds, hasPassed, templateStatusOf } from './experiment-state.ts';

type NewCondition = Pick<ExperimentCondition, 'type' | 'status' | 'reason' | 'message'>;

export function conditionOf(
  status: ExperimentStatus | undefined,
  type: ExperimentCondition['type'],
): ExperimentCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Sets a condition; one that says the same stays, unless it is to be renewed. */
export function setCondition(
  status: ExperimentStatus,
  condition: NewCondition,
  { now, renew = false }: { now: number; renew?: boolean },
): void {
  const current = conditionOf(status, condition.type);
  if (!renew && current?.status === condition.status && current.reason === condition.reason) return;
  const time = timestamp(now);
  status.conditions = [
    ...(status.conditions ?? []).filter(({ type }) => type !== condition.type),
    {
      ...condition,
      lastUpdateTime: time,
      lastTransitionTime: current?.status === condition.status ? current.lastTransitionTime : time,
    },
  ];
}

const experimentInvalid = defineDiagnosis(
  'ExperimentInvalid',
  'The spec of an Experiment is not valid, so that nothing is made of it',
  'O9',
);

/** What is wrong with the spec, in upstream's words; undefined if nothing is. */
export function specProblem(experiment: Experiment): Diagnosis | undefined {
  const { metadata, spec } = experiment;
  const seen = new Set<string>();
  for (const [index, template] of spec.templates.entries()) {
    const { name, selector, minReadySeconds = 0 } = template;
    const deadline = deadlineSeconds(experiment);
    const told = (message: string, field: string, remedy: string) =>
      diagnose(experimentInvalid, {
        message,
        place: {
          object: `argoproj.io/Experiment ${metadata.namespace}/${metadata.name}`,
          field: `spec.templates[${index}].${field}`,
        },
        remedies: [remedy],
      });
    const labels = JSON.stringify(template.template?.metadata?.labels ?? {});
    const selecting = `Select the labels of the template: matchLabels: ${labels}`;
    if (!selector) return told(`Rollout has missing field '.Spec.Templates[${index}].Selector'`, 'selector', selecting);
    if (deepEqual(selector, {}))
      return told(
        `This experiment is selecting all pods at index ${index}. A non-empty selector is required.`,
        'selector',
        selecting,
      );
    if (minReadySeconds > deadline)
      return told(
        `MinReadySeconds cannot be longer than ProgressDeadlineSeconds. Check template index ${index}`,
        'minReadySeconds',
        `Set it to at most ${deadline}, or spec.progressDeadlineSeconds to at least ${minReadySeconds}`,
      );
    if (!name)
      return told(`Experiment ${metadata.name} has empty template name at index ${index}`, 'name', 'Name the template');
    if (seen.has(name))
      return told(
        `Experiment ${metadata.name} has repeated template name '${name}' in templates`,
        'name',
        'Give each template a name of its own',
      );
    seen.add(name);
  }
  return undefined;
}

/** The condition that tells how far the experiment is. */
export function decideProgress(experiment: Experiment, status: ExperimentStatus, now: number): void {
  const name = experiment.metadata.name ?? '';
  status.conditions = (status.conditions ?? []).filter(({ type }) => type !== 'InvalidSpec');
  if (isCompleted(status.phase) && status.phase === 'Successful')
    setCondition(
      status,
      {
        type: 'Progressing',
        status: 'False',
        reason: 'ExperimentCompleted',
        message: `Experiment "${name}" has successfully ran and completed.`,
      },
      { now },
    );
  else if (isProgressing(experiment, status))
    setCondition(
      status,
      {
        type: 'Progressing',
        status: 'True',
        reason: 'ReplicaSetUpdated',
        message: `Experiment "${name}" is progressing.`,
      },
      { now, renew: true },
    );
  else if (experiment.status?.availableAt && !hasPassed(experiment, now))
    setCondition(
      status,
      {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `Experiment "${name}" is running.`,
      },
      { now },
    );
}

function isProgressing({ status: before }: Experiment, after: ExperimentStatus): boolean {
  const old = before?.templateStatuses ?? [];
  if (old.length < (after.templateStatuses ?? []).length) return true;
  const counts = ({ replicas, updatedReplicas, readyReplicas, availableReplicas }: TemplateStatus) =>
    [replicas, updatedReplicas, readyReplicas, availableReplicas].join();
  return old.some((template) => {
    const now = templateStatusOf(after, template.name);
    return now !== undefined && counts(now) !== counts(template);
  });
}
