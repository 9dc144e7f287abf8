import {
  type AnalysisRun,
  type AnalysisType,
  analysisLabels,
  analysisRunFromTemplates,
  analysisRunsToDelete,
  gatherTemplates,
  isCompleted,
  rolloutArguments,
} from '@tiphys/analysis';
import { type AnalysisRunReference, type RolloutAnalysis, rolloutNames } from '@tiphys/api';
import { isNotFound } from '@tiphys/kubernetes';
import { refOf, remove } from '../../cluster/cluster.ts';
import { createRun } from '../../cluster/create-run.ts';
import { type CurrentRuns, ownedBy } from '../../objects/kinds.ts';
import { hashOf } from '../../objects/replica-set.ts';
import { currentStep, isFullyPromoted, pauseCondition } from '../../objects/rollout.ts';
import { skipsPostPromotion, skipsPrePromotion } from '../replicas/blue-green-analysis.ts';
import type { Turn } from '../turn.ts';

/** Starts, follows and ends the analyses of a Rollout; what they find pauses or aborts it. */
export async function analyse(turn: Turn): Promise<void> {
  const current = await currentRuns(turn);
  turn.runs = current;
  turn.found.stepRun = referenceTo(current.step);
  turn.found.backgroundRun = referenceTo(current.background);
  turn.found.prePromotionRun = referenceTo(current.prePromotion);
  turn.found.postPromotionRun = referenceTo(current.postPromotion);
  const names = new Set(runsOf(current).map(({ metadata }) => metadata.name));
  const others = turn.otherRuns.filter(({ metadata }) => !names.has(metadata.name));
  await cancel(turn, others);
  const { successfulRunHistoryLimit = 5, unsuccessfulRunHistoryLimit = 5 } = turn.rollout.spec.analysis ?? {};
  const surplus = analysisRunsToDelete(others, {
    replicaSets: turn.sets.all,
    successfulLimit: successfulRunHistoryLimit,
    unsuccessfulLimit: unsuccessfulRunHistoryLimit,
  });
  for (const run of surplus) await remove(turn.context.cluster.client, turn.context.cluster.analysisRuns, run);
  tellOfRuns(turn, current);
}

async function currentRuns(turn: Turn): Promise<CurrentRuns> {
  const { canary, blueGreen } = turn.rollout.spec.strategy;
  const isOver =
    isFullyPromoted(turn.rollout) ||
    turn.pauses.isAborted ||
    turn.status.promoteFull ||
    turn.isFastRollback ||
    (turn.status.stableRS ?? '') === '';
  if (isOver) {
    await cancel(turn, runsOf(turn.runs));
    return present({ prePromotion: turn.runs.prePromotion, postPromotion: turn.runs.postPromotion });
  }
  if (canary) return present({ step: await stepRun(turn), background: await backgroundRun(turn) });
  if (!blueGreen) return {};
  const prePromotion = await promotionRun(turn, 'PrePromotion');
  judge(turn, prePromotion, 'Blue/green pre-promotion analysis phase error/failed');
  const postPromotion = await promotionRun(turn, 'PostPromotion');
  judge(turn, postPromotion, 'Blue/green post-promotion analysis phase error/failed');
  return present({ prePromotion, postPromotion });
}

function present(runs: { [K in keyof CurrentRuns]: CurrentRuns[K] | undefined }): CurrentRuns {
  return Object.fromEntries(Object.entries(runs).filter(([, run]) => run !== undefined));
}

export function runsOf({ step, background, prePromotion, postPromotion }: CurrentRuns): AnalysisRun[] {
  return [step, background, prePromotion, postPromotion].filter((run) => run !== undefined);
}

async function stepRun(turn: Turn): Promise<AnalysisRun | undefined> {
  const run = turn.runs.step;
  const { step, index } = currentStep(turn.rollout);
  if ((turn.status.pauseConditions ?? []).length > 0 || turn.status.abort) return run;
  const isOfEarlierStep = run && run.metadata.labels?.[rolloutNames.labels.stepIndex] !== String(index);
  if (index === undefined || !step?.analysis?.templates?.length || isOfEarlierStep) {
    await cancel(turn, [run]);
    return undefined;
  }
  if (needsNewRun(turn, run)) return start(turn, { analysis: step.analysis, type: 'Step', stepIndex: index });
  judge(turn, run, 'Step-based analysis phase error/failed');
  return run;
}

async function backgroundRun(turn: Turn): Promise<AnalysisRun | undefined> {
  const run = turn.runs.background;
  const analysis = turn.rollout.spec.strategy.canary?.analysis;
  if (!analysis?.templates?.length) {
    await cancel(turn, [run]);
    return undefined;
  }
  if (!turn.status.currentPodHash || isBeforeStart(turn)) return undefined;
  if (pauseCondition(turn.rollout, 'InconclusiveAnalysisRun')) return run;
  if (needsNewRun(turn, run)) return start(turn, { analysis, type: 'Background' });
  judge(turn, run, 'Background analysis phase error/failed');
  return run;
}

function isBeforeStart(turn: Turn): boolean {
  const start = turn.rollout.spec.strategy.canary?.analysis?.startingStep;
  const { index } = currentStep(turn.rollout);
  return start !== undefined && index !== undefined && index < start;
}

async function promotionRun(turn: Turn, type: 'PrePromotion' | 'PostPromotion'): Promise<AnalysisRun | undefined> {
  const isPre = type === 'PrePromotion';
  const { blueGreen } = turn.rollout.spec.strategy;
  const analysis = isPre ? blueGreen?.prePromotionAnalysis : blueGreen?.postPromotionAnalysis;
  const run = isPre ? turn.runs.prePromotion : turn.runs.postPromotion;
  if (!analysis?.templates?.length) {
    await cancel(turn, [run]);
    return undefined;
  }
  if (isPre ? skipsPrePromotion(turn) : skipsPostPromotion(turn) || turn.found.targetsVerified === false) {
    await cancel(turn, [run]);
    return run;
  }
  if (pauseCondition(turn.rollout, 'InconclusiveAnalysisRun')) return run;
  return needsNewRun(turn, run) ? start(turn, { analysis, type }) : run;
}

/** A run is made where there is none, after an inconclusive one that somebody went on from, and after an abort. */
function needsNewRun(turn: Turn, run: AnalysisRun | undefined): boolean {
  if (!run) return true;
  const isResumed =
    turn.status.controllerPause &&
    !pauseCondition(turn.rollout, 'CanaryPauseStep') &&
    !pauseCondition(turn.rollout, 'BlueGreenPause');
  return isResumed ? run.status?.phase === 'Inconclusive' : turn.status.abortedAt !== undefined;
}

function judge(turn: Turn, run: AnalysisRun | undefined, text: string): void {
  const { phase, message } = run?.status ?? {};
  if (phase === 'Inconclusive') turn.pauses.add('InconclusiveAnalysisRun');
  if (phase === 'Error' || phase === 'Failed') turn.pauses.abort(message ? `${text}: ${message}` : text);
}

interface Wanted {
  readonly analysis: RolloutAnalysis;
  readonly type: AnalysisType;
  readonly stepIndex?: number;
}

const infixes = { Step: undefined, Background: undefined, PrePromotion: 'pre', PostPromotion: 'post' } as const;

async function start(turn: Turn, { analysis, type, stepIndex }: Wanted): Promise<AnalysisRun> {
  const { rollout, namespace, context } = turn;
  const podHash = hashOf(turn.desired);
  const revision = turn.pass.next.metadata.annotations?.[rolloutNames.annotations.revision] ?? '';
  const infix = stepIndex === undefined ? infixes[type] : String(stepIndex);
  const instanceId = rollout.metadata.labels?.[rolloutNames.labels.instanceId];
  const run = analysisRunFromTemplates({
    ...gatherTemplates(analysis.templates ?? [], (name, clusterScope) =>
      context.cluster.template(namespace, name, clusterScope),
    ),
    args: rolloutArguments(analysis.args ?? [], { rollout, stableHash: hashOf(turn.stable), latestHash: podHash }),
    dryRun: analysis.dryRun ?? [],
    measurementRetention: analysis.measurementRetention ?? [],
    metadata: {
      name: [rollout.metadata.name, podHash, revision, infix].filter((part) => part !== undefined).join('-'),
      namespace,
      labels: {
        ...analysisLabels({
          type,
          podHash,
          ...(instanceId ? { instanceId } : {}),
          ...(stepIndex === undefined ? {} : { stepIndex }),
        }),
        ...analysis.analysisRunMetadata?.labels,
        ...rollout.spec.selector?.matchLabels,
      },
      annotations: {
        [rolloutNames.annotations.revision]: revision,
        ...analysis.analysisRunMetadata?.annotations,
      },
      ownerReferences: ownedBy(rollout),
    },
  });
  return createRun(turn.context.cluster, run);
}

/** Tells runs that are not over to end. */
async function cancel(turn: Turn, runs: readonly (AnalysisRun | undefined)[]): Promise<void> {
  const { client, analysisRuns } = turn.context.cluster;
  for (const run of runs) {
    if (!run || run.spec.terminate || isCompleted(run.status?.phase)) continue;
    try {
      analysisRuns.keep(await client.patch<AnalysisRun>(refOf(run), 'merge', { spec: { terminate: true } }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      analysisRuns.drop(run);
    }
  }
}

function referenceTo(run: AnalysisRun | undefined): AnalysisRunReference | undefined {
  if (!run) return undefined;
  const { phase = '', message } = run.status ?? {};
  return { name: run.metadata.name ?? '', status: phase, ...(message ? { message } : {}) };
}

function tellOfRuns(turn: Turn, runs: CurrentRuns): void {
  const { canary, blueGreen } = turn.status;
  tell(turn, 'PostPromotion', { before: blueGreen?.postPromotionAnalysisRunStatus, run: runs.postPromotion });
  tell(turn, 'PrePromotion', { before: blueGreen?.prePromotionAnalysisRunStatus, run: runs.prePromotion });
  tell(turn, 'Step', { before: canary?.currentStepAnalysisRunStatus, run: runs.step });
  tell(turn, 'Background', { before: canary?.currentBackgroundAnalysisRunStatus, run: runs.background });
}

function tell(
  turn: Turn,
  type: AnalysisType,
  { before, run }: { before: AnalysisRunReference | undefined; run: AnalysisRun | undefined },
): void {
  const phase = run?.status?.phase;
  if (!run || !phase) return;
  if (before && (before.name !== run.metadata.name || before.status === phase)) return;
  turn.event(
    phase === 'Failed' || phase === 'Error' ? 'Warning' : 'Normal',
    `AnalysisRun${phase}`,
    `${type} Analysis Run '${run.metadata.name}' Status New: '${phase}' Previous: '${before ? before.status : 'NoPreviousStatus'}'`,
  );
}
