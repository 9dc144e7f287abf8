import { isCompleted, rolloutArguments } from '@tiphys/analysis';
import {
  type Experiment,
  type ExperimentStep,
  type ExperimentStepTemplate,
  type ExperimentTemplate,
  rolloutNames,
} from '@tiphys/api';
import { copyJson, deepEqual } from '@tiphys/controller';
import { isAlreadyExists, isNotFound } from '@tiphys/kubernetes';
import { create, refOf, remove } from '../../cluster/cluster.ts';
import { isControlledBy, ownedBy } from '../../objects/kinds.ts';
import { createdAt, hashOf, type ReplicaSet } from '../../objects/replica-set.ts';
import { currentStep, pauseCondition } from '../../objects/rollout.ts';
import type { Turn } from '../turn.ts';

/** Starts and follows the experiment of a step, ends those that are no longer wanted, and forgets the oldest. */
export async function experiment(turn: Turn): Promise<void> {
  if (turn.pauses.isAborted || turn.status.promoteFull)
    return cancel(turn, [...turn.otherExperiments, turn.experiment]);
  if (pauseCondition(turn.rollout, 'InconclusiveAnalysisRun')) return;
  const { step, index = 0 } = currentStep(turn.rollout);
  let others = [...turn.otherExperiments];
  if (step?.experiment) {
    if (!turn.experiment && !turn.stable) return;
    // an inconclusive one waits for people
    if (!turn.experiment && pauseCondition(turn.rollout, 'InconclusiveExperiment')) return;
    const current = turn.experiment ?? (await start(turn, step.experiment, index));
    judge(turn, current);
    if (turn.found.currentExperiment)
      others = others.filter(({ metadata }) => metadata.name !== turn.found.currentExperiment);
  } else if (turn.experiment) others.push(turn.experiment);
  await cancel(turn, others);
  for (const surplus of toDelete(turn, others))
    await remove(turn.context.cluster.client, turn.context.cluster.experiments, surplus);
}

function judge(turn: Turn, current: Experiment): void {
  const { phase, message } = current.status ?? {};
  const text = 'Experiment analysis phase is error/failed';
  if (phase === 'Inconclusive') turn.pauses.add('InconclusiveExperiment');
  else if (phase === 'Error' || phase === 'Failed') turn.pauses.abort(message ? `${text}: ${message}` : text);
  else if (phase !== 'Successful') {
    turn.experiment = current;
    turn.found.currentExperiment = current.metadata.name ?? '';
  }
}

async function start(turn: Turn, step: ExperimentStep, index: number): Promise<Experiment> {
  const { client, experiments } = turn.context.cluster;
  const wanted = experimentOf(turn, step, index);
  for (let count = 1, next = wanted; ; count += 1) {
    try {
      const made = await create(client, experiments, next);
      turn.event('Normal', 'ExperimentCreated', `Created Experiment '${made.metadata.name}'`);
      return made;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const existing = await client.find<Experiment>(refOf(next));
    const isSame = existing && isControlledBy(existing, turn.rollout) && sameSpec(existing, next);
    if (isSame && !isCompleted(existing.status?.phase)) {
      turn.event('Normal', 'ExperimentCreated', `Created Experiment '${existing.metadata.name}'`);
      return experiments.keep(existing);
    }
    next = { ...wanted, metadata: { ...wanted.metadata, name: `${wanted.metadata.name}-${count}` } };
  }
}

function sameSpec(
  { spec: { terminate: _, ...one } }: Experiment,
  { spec: { terminate: __, ...other } }: Experiment,
): boolean {
  return deepEqual(one, other);
}

/** The Experiment that a step asks for: its templates are the pods of stable and canary. */
function experimentOf(turn: Turn, step: ExperimentStep, index: number): Experiment {
  const { rollout, templateHash } = turn;
  const revision = turn.pass.next.metadata.annotations?.[rolloutNames.annotations.revision] ?? '';
  const stable = turn.stable as ReplicaSet;
  const values = { rollout, stableHash: hashOf(stable), latestHash: hashOf(turn.desired) };
  const { progressDeadlineSeconds } = rollout.spec;
  return {
    apiVersion: rolloutNames.apiVersion,
    kind: 'Experiment',
    metadata: {
      name: `${rollout.metadata.name}-${templateHash}-${revision}-${index}`,
      namespace: turn.namespace,
      labels: { ...rollout.metadata.labels, [rolloutNames.labels.podTemplateHash]: templateHash },
      annotations: { [rolloutNames.annotations.revision]: revision },
      ownerReferences: ownedBy(rollout),
    },
    spec: {
      templates: step.templates.map((template) =>
        templateOf(template, template.specRef === 'stable' ? stable : turn.desired),
      ),
      ...(step.duration ? { duration: step.duration } : {}),
      ...(progressDeadlineSeconds === undefined ? {} : { progressDeadlineSeconds }),
      ...(step.dryRun ? { dryRun: step.dryRun } : {}),
      ...(step.analysisRunMetadata ? { analysisRunMetadata: step.analysisRunMetadata } : {}),
      ...(step.scaleDownDelaySeconds === undefined ? {} : { scaleDownDelaySeconds: step.scaleDownDelaySeconds }),
      ...(step.analyses
        ? {
            analyses: step.analyses.map(({ args, ...analysis }) => ({
              ...analysis,
              ...(args ? { args: rolloutArguments(args, values) } : {}),
            })),
          }
        : {}),
    },
  };
}

function templateOf(wanted: ExperimentStepTemplate, set: ReplicaSet): ExperimentTemplate {
  const template = copyJson(set.spec.template ?? {});
  const selector = copyJson(wanted.selector ?? set.spec.selector ?? {});
  const { labels, annotations } = wanted.metadata ?? {};
  if (labels) selector.matchLabels = { ...selector.matchLabels, ...labels };
  if (labels || annotations)
    template.metadata = {
      ...template.metadata,
      ...(labels ? { labels: { ...template.metadata?.labels, ...labels } } : {}),
      ...(annotations ? { annotations: { ...template.metadata?.annotations, ...annotations } } : {}),
    };
  const hasService = wanted.weight !== undefined || wanted.service !== undefined;
  return {
    name: wanted.name,
    ...(wanted.replicas === undefined ? {} : { replicas: wanted.replicas }),
    ...(set.spec.minReadySeconds ? { minReadySeconds: set.spec.minReadySeconds } : {}),
    selector,
    template,
    ...(hasService ? { service: wanted.service?.name ? { name: wanted.service.name } : {} } : {}),
  };
}

async function cancel(turn: Turn, list: readonly (Experiment | undefined)[]): Promise<void> {
  const { client, experiments } = turn.context.cluster;
  for (const each of list) {
    if (!each || each.spec.terminate || isCompleted(each.status?.phase)) continue;
    try {
      experiments.keep(await client.patch<Experiment>(refOf(each), 'merge', { spec: { terminate: true } }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      experiments.drop(each);
    }
  }
}

/** Experiments of revisions that are gone, and beyond the limits the oldest that are over. */
function toDelete(turn: Turn, list: readonly Experiment[]): Experiment[] {
  const { successfulRunHistoryLimit = 5, unsuccessfulRunHistoryLimit = 5 } = turn.rollout.spec.analysis ?? {};
  const kept = new Set(turn.sets.all.filter(({ metadata }) => !metadata.deletionTimestamp).map(hashOf));
  const left = { successful: successfulRunHistoryLimit, unsuccessful: unsuccessfulRunHistoryLimit };
  return [...list]
    .sort((a, b) => createdAt(b) - createdAt(a))
    .filter((each) => {
      if (hashOf(each) === '' || !kept.has(hashOf(each))) return true;
      const { phase } = each.status ?? {};
      if (!isCompleted(phase)) return false;
      const kind = phase === 'Successful' ? 'successful' : 'unsuccessful';
      left[kind] -= 1;
      return left[kind] < 0;
    });
}
