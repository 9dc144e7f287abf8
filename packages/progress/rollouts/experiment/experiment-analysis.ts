import {
  type AnalysisRun,
  analysisRunFromTemplates,
  gatherTemplates,
  isCompleted,
  type TemplateSet,
} from '@tiphys/analysis';
import {
  type Argument,
  type Experiment,
  type ExperimentAnalysis,
  type ExperimentAnalysisRun,
  type ExperimentStatus,
  type Rollout,
  rolloutNames,
} from '@tiphys/api';
import { timestamp } from '@tiphys/controller';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { goDuration } from '@tiphys/go';
import { isNotFound } from '@tiphys/kubernetes';
import { refOf } from '../cluster/cluster.ts';
import { createRun } from '../cluster/create-run.ts';
import { ownedBy } from '../objects/kinds.ts';
import { hashOf, type ReplicaSet } from '../objects/replica-set.ts';
import type { ExperimentPass } from './context.ts';
import { isEnding, runStatusOf } from './experiment-state.ts';
import { sentenceOf } from './template-service.ts';

const argumentUnknown = defineDiagnosis(
  'ExperimentArgumentUnknown',
  'An argument of an analysis speaks of something that the Experiment does not have',
);

/** Starts, follows or ends one analysis of an Experiment, and notes how it is. */
export async function reconcileRun(
  pass: ExperimentPass,
  status: ExperimentStatus,
  { analysis, sets }: { analysis: ExperimentAnalysis; sets: ReadonlyMap<string, ReplicaSet> },
): Promise<void> {
  const before = runStatusOf(pass.before.status, analysis.name);
  const after = await nextRunStatus(pass, before, { analysis, sets });
  if (!after) return;
  const list = status.analysisRuns ?? [];
  const at = list.findIndex(({ name }) => name === analysis.name);
  status.analysisRuns = at < 0 ? [...list, after] : list.with(at, after);
  if (after.phase && after.phase !== before?.phase) tell(pass, before, after);
}

async function nextRunStatus(
  pass: ExperimentPass,
  before: ExperimentAnalysisRun | undefined,
  { analysis, sets }: { analysis: ExperimentAnalysis; sets: ReadonlyMap<string, ReplicaSet> },
): Promise<ExperimentAnalysisRun | undefined> {
  const { name } = analysis;
  const failed = (message: string): ExperimentAnalysisRun => ({
    name,
    analysisRun: before?.analysisRun ?? '',
    phase: 'Error',
    message,
  });
  if (!pass.before.status?.availableAt) {
    const problem = missingTemplate(pass, analysis);
    return problem ? failed(problem) : before;
  }
  if (!before?.analysisRun) {
    if (isEnding(pass.before)) return before;
    try {
      const run = await start(pass, analysis, sets);
      return { name, analysisRun: run.metadata.name ?? '', phase: 'Pending' };
    } catch (error) {
      return failed(`Failed to create AnalysisRun for analysis '${name}': ${sentenceOf(error)}`);
    }
  }
  if (isCompleted(before.phase)) return before;
  const run = await findRun(pass, before.analysisRun);
  if (!run) return failed(`analysisruns.argoproj.io "${before.analysisRun}" not found`);
  if (isEnding(pass.before)) {
    await end(pass, { analysis, run });
    return before;
  }
  const { phase = '', message } = run.status ?? {};
  return { name, analysisRun: before.analysisRun, phase: phase || before.phase, ...(message ? { message } : {}) };
}

function missingTemplate(
  pass: ExperimentPass,
  { name, templateName, clusterScope = false }: ExperimentAnalysis,
): string | undefined {
  if (pass.context.cluster.template(pass.before.metadata.namespace ?? '', templateName, clusterScope)) return undefined;
  const kind = clusterScope ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate';
  return `${kind} verification failed for analysis '${name}': ${kind.toLowerCase()}.argoproj.io "${templateName}" not found`;
}

async function findRun(pass: ExperimentPass, name: string): Promise<AnalysisRun | undefined> {
  const namespace = pass.before.metadata.namespace ?? '';
  const { analysisRuns, client } = pass.context.cluster;
  return (
    analysisRuns.get(namespace, name) ??
    (await client.find<AnalysisRun>({ apiVersion: rolloutNames.apiVersion, kind: 'AnalysisRun', namespace, name }))
  );
}

async function end(
  pass: ExperimentPass,
  { analysis, run }: { analysis: ExperimentAnalysis; run: AnalysisRun },
): Promise<void> {
  if (isCompleted(run.status?.phase) || run.spec.terminate) return;
  pass.context.tell(pass.before, {
    type: 'Normal',
    reason: 'AnalysisRunTerminating',
    message: `Terminating ${analysis.name} (${run.metadata.name})`,
  });
  const { client, analysisRuns } = pass.context.cluster;
  try {
    analysisRuns.keep(await client.patch<AnalysisRun>(refOf(run), 'merge', { spec: { terminate: true } }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function start(
  pass: ExperimentPass,
  analysis: ExperimentAnalysis,
  sets: ReadonlyMap<string, ReplicaSet>,
): Promise<AnalysisRun> {
  const { metadata, spec } = pass.before;
  const namespace = metadata.namespace ?? '';
  const templates: TemplateSet = gatherTemplates(
    [{ templateName: analysis.templateName, clusterScope: analysis.clusterScope ?? false }],
    (name, clusterScope) => pass.context.cluster.template(namespace, name, clusterScope),
  );
  const instanceId = metadata.labels?.[rolloutNames.labels.instanceId];
  const values = valuesOf(pass.before, sets);
  const run = analysisRunFromTemplates({
    ...templates,
    args: (analysis.args ?? []).map((arg) => resolved(arg, values)),
    dryRun: spec.dryRun ?? [],
    measurementRetention: spec.measurementRetention ?? [],
    metadata: {
      name: `${metadata.name}-${analysis.name}`,
      namespace,
      labels: {
        ...(instanceId ? { [rolloutNames.labels.instanceId]: instanceId } : {}),
        ...spec.analysisRunMetadata?.labels,
      },
      annotations: { ...spec.analysisRunMetadata?.annotations },
      ownerReferences: ownedBy(pass.before),
    },
  });
  return createRun(pass.context.cluster, run);
}

/** What `{{…}}` in arguments may speak of. */
function valuesOf({ spec, status }: Experiment, sets: ReadonlyMap<string, ReplicaSet>): Map<string, string> {
  const values = new Map<string, string>();
  if (status?.availableAt) {
    values.set('experiment.availableAt', status.availableAt);
    const duration = spec.duration ? goDuration(spec.duration) : undefined;
    if (duration !== undefined)
      values.set('experiment.finishedAt', timestamp(Date.parse(status.availableAt) + duration));
  }
  for (const [name, set] of sets) {
    values.set(`templates.${name}.podTemplateHash`, hashOf(set));
    values.set(`templates.${name}.replicaset.name`, set.metadata.name ?? '');
  }
  return values;
}

function resolved({ name, value }: Argument, values: ReadonlyMap<string, string>): Argument {
  if (value === undefined) return { name };
  return {
    name,
    value: value.replace(/\{\{([^{}]*)\}\}/g, (_, key: string) => {
      const known = values.get(key.trim());
      if (known !== undefined) return known;
      throw failure(argumentUnknown, {
        message: `failed to resolve {{${key}}}`,
        place: { field: 'spec.analyses[].args' },
        remedies: [`Use one of ${[...values.keys()].join(', ')}`],
      });
    }),
  };
}

function tell(
  pass: ExperimentPass,
  before: ExperimentAnalysisRun | undefined,
  { name, phase, message }: ExperimentAnalysisRun,
): void {
  const text = `AnalysisRun '${name}' transitioned from ${before?.phase ?? ''} -> ${phase}${message ? `: ${message}` : ''}`;
  const isBad = phase === 'Failed' || phase === 'Error' || phase === 'Inconclusive';
  const reason = `AnalysisRun${phase}`;
  pass.context.tell(pass.before, { type: isBad ? 'Warning' : 'Normal', reason, message: text });
  const rollout = ownerRollout(pass);
  if (rollout) pass.context.tell(rollout, { type: 'Warning', reason, message: text });
}

function ownerRollout({ before, context }: ExperimentPass): Rollout | undefined {
  const owner = before.metadata.ownerReferences?.find(({ kind }) => kind === 'Rollout');
  return owner && context.cluster.rollouts.get(before.metadata.namespace ?? '', owner.name);
}
