import type { StepPluginOperation, StepPluginPhase, StepPluginStatus } from '@tiphys/api';
import { copyJson, timestamp } from '@tiphys/controller';
import { DiagnosisError, defineDiagnosis, diagnosisOf, failure } from '@tiphys/diagnosis';
import { goDuration, goDurationText } from '@tiphys/go';
import type { StepPlugin, StepPluginContext, StepPluginResult } from '@tiphys/step-plugins';
import { currentStep, isFullyPromoted, stepsOf } from '../../objects/rollout.ts';
import type { Turn } from '../turn.ts';

const phaseUnknown = defineDiagnosis(
  'StepPluginPhaseUnknown',
  'A step plugin answered with a phase that does not exist',
);

/** Milliseconds: how long a plugin that says nothing else is left alone, the least that it may ask for, and what is added. */
const defaultBackoff = 30_000;
const leastBackoff = 10_000;
const slack = 5_000;
/** A plugin that cannot be asked is tried again after this time, in milliseconds. */
const retryAfter = 30_000;

/** Runs the plugin of the step at hand; ends or takes back what plugins did when the Rollout is promoted or aborted. */
export async function runStepPlugins(turn: Turn): Promise<void> {
  turn.found.stepPlugins = copyJson(turn.status.canary?.stepPluginStatuses ?? []);
  try {
    if (turn.pauses.isAborted) return await abortAll(turn);
    if (turn.status.promoteFull || isFullyPromoted(turn.rollout)) return await terminate(turn);
    forgetForRetry(turn);
    await runCurrent(turn);
    // what the failed step and those before it did is taken back before anybody sees the abort
    if (turn.pauses.isAborted) await abortAll(turn);
  } catch (error) {
    turn.found.stepPluginFailed = true;
    const sentence = error instanceof DiagnosisError ? error.diagnosis.message : diagnosisOf(error).message;
    turn.event('Warning', 'ReconciliationError', `Reconciliation failed with error: ${sentence}`);
    turn.requeueIn(retryAfter);
  }
}

function noted(turn: Turn, index: number, operation: StepPluginOperation): StepPluginStatus | undefined {
  return turn.found.stepPlugins?.find((status) => status.index === index && status.operation === operation);
}

function note(turn: Turn, status: StepPluginStatus): void {
  const list = turn.found.stepPlugins ?? [];
  const at = list.findIndex(({ index, operation }) => index === status.index && operation === status.operation);
  const before = list[at];
  turn.found.stepPlugins = at < 0 ? [...list, status] : list.with(at, status);
  if (before?.phase !== status.phase || !before) tell(turn, status);
}

function tell(turn: Turn, { name, index, operation, phase, disabled }: StepPluginStatus): void {
  if (disabled || (operation === 'Run' && phase === 'Successful')) return;
  const step = `Step plugin ${name} (step ${index + 1})`;
  const texts = {
    Run: `${step} transitioned to ${phase}`,
    Abort: `${step} aborted (${phase})`,
    Terminate: `${step} terminated (${phase})`,
  };
  const type = phase === 'Error' || phase === 'Failed' ? 'Warning' : 'Normal';
  turn.event(type, 'StepPluginTransition', texts[operation]);
}

async function runCurrent(turn: Turn): Promise<void> {
  const { step, index } = currentStep(turn.rollout);
  if (!step?.plugin || index === undefined || turn.status.phase !== 'Progressing') return;
  const { name, config } = step.plugin;
  const plugin = await turn.context.plugins.step(name);
  if (!plugin.enabled) return note(turn, { index, name, operation: 'Run', disabled: true });
  const before = noted(turn, index, 'Run');
  if (before?.phase === 'Successful' || before?.phase === 'Failed') return;
  const started: StepPluginStatus =
    before && !before.disabled
      ? before
      : { index, name, operation: 'Run', phase: 'Running', startedAt: timestamp(turn.now) };
  const left = backoffLeft(started, turn.pass.clock.now());
  if (left > 0) return turn.requeueIn(left + slack);
  const status = await execute(turn, plugin, { started, config });
  note(turn, status);
  if (status.phase === 'Failed')
    turn.pauses.abort(`Step Plugin ${index + 1} (${name}) failed: ${status.message ?? ''}`);
  if (status.phase === 'Running' || status.phase === 'Error')
    turn.requeueIn(backoffLeft(status, turn.pass.clock.now()) + slack);
}

/** Milliseconds until the plugin is to be called again. */
function backoffLeft({ executions = 0, updatedAt, backoff = '0' }: StepPluginStatus, now: number): number {
  if (executions === 0 || updatedAt === undefined) return 0;
  return Math.max(0, Date.parse(updatedAt) + (goDuration(backoff) ?? 0) - now);
}

async function execute(
  turn: Turn,
  plugin: StepPlugin,
  { started, config }: { started: StepPluginStatus; config: unknown },
): Promise<StepPluginStatus> {
  const { backoff: _, ...before } = started;
  const executions = (before.executions ?? 0) + 1;
  let result: StepPluginResult;
  try {
    result = await plugin.run(turn.rollout, contextOf(started, config));
  } catch (error) {
    const updatedAt = timestamp(turn.pass.clock.now());
    return { ...before, executions, updatedAt, phase: 'Error', message: sentenceOf(error), backoff: '30s' };
  }
  const time = timestamp(turn.pass.clock.now());
  const phase = checked(result.phase) ?? before.phase ?? 'Running';
  const isOver = phase === 'Successful' || phase === 'Failed';
  const wait = result.requeueAfter > leastBackoff ? result.requeueAfter : defaultBackoff;
  const { message: __, ...rest } = before;
  return {
    ...rest,
    executions,
    updatedAt: time,
    phase,
    ...(result.message ? { message: result.message } : {}),
    ...(isOver ? { finishedAt: time } : {}),
    ...(phase !== 'Error' && result.status !== undefined && result.status !== null ? { status: result.status } : {}),
    ...(phase === 'Running' ? { backoff: goDurationText(wait) } : {}),
  };
}

function contextOf(status: StepPluginStatus, config: unknown): StepPluginContext {
  return { pluginName: status.name, status: status.status, config };
}

function checked(phase: string): StepPluginPhase | undefined {
  if (phase === '') return undefined;
  if (phase === 'Running' || phase === 'Successful' || phase === 'Failed' || phase === 'Error') return phase;
  throw failure(phaseUnknown, {
    message: `could not validate rpc phase: phase '${phase}' is not valid`,
    remedies: ['Have the plugin answer Running, Successful, Failed or Error'],
  });
}

function sentenceOf(error: unknown): string {
  return error instanceof DiagnosisError ? error.diagnosis.message : diagnosisOf(error).message;
}

async function abortAll(turn: Turn): Promise<void> {
  const runs = (turn.found.stepPlugins ?? []).filter(({ operation }) => operation === 'Run').reverse();
  for (const run of runs) {
    const isUndoable = !run.disabled && (run.phase === 'Running' || run.phase === 'Successful');
    if (isUndoable && !noted(turn, run.index, 'Abort')) await undo(turn, run, 'Abort');
  }
}

async function terminate(turn: Turn): Promise<void> {
  const list = (turn.found.stepPlugins ?? []).toReversed();
  const end = list.find(
    ({ operation, phase }) =>
      (operation === 'Terminate' && phase === 'Successful') || (operation === 'Run' && phase === 'Running'),
  );
  if (end?.operation !== 'Run' || end.disabled || noted(turn, end.index, 'Terminate')) return;
  await undo(turn, end, 'Terminate');
}

async function undo(turn: Turn, run: StepPluginStatus, operation: 'Abort' | 'Terminate'): Promise<void> {
  const step = stepsOf(turn.rollout)[run.index]?.plugin;
  if (!step) return;
  const plugin = await turn.context.plugins.step(step.name);
  if (!plugin.enabled) return;
  const startedAt = timestamp(turn.pass.clock.now());
  const base = { index: run.index, name: run.name, operation, startedAt };
  const call = operation === 'Abort' ? plugin.abort : plugin.terminate;
  let outcome: { phase: StepPluginPhase; message: string };
  try {
    const result = await call.call(plugin, turn.rollout, contextOf(run, step.config));
    const phase = checked(result.phase) ?? 'Successful';
    // neither may go on afterwards: nobody would ask again
    outcome = { phase: phase === 'Running' ? 'Failed' : phase, message: result.message };
  } catch (error) {
    outcome = { phase: 'Error', message: sentenceOf(error) };
  }
  const { phase, message } = outcome;
  note(turn, { ...base, phase, ...(message ? { message } : {}), finishedAt: timestamp(turn.pass.clock.now()) });
}

/** After an abort a retry begins with no plugin having run. */
function forgetForRetry(turn: Turn): void {
  if ((turn.found.stepPlugins ?? []).length === 0 || turn.status.abort) return;
  const { step, index } = currentStep(turn.rollout);
  if (!step || index !== 0) return;
  if (!step.plugin || isPluginStepOver(turn, 0)) turn.found.stepPlugins = [];
}

/** Whether the plugin of a step has done its work, or was told to stop. */
export function isPluginStepOver(turn: Turn, index: number): boolean {
  if (turn.found.stepPluginFailed) return false;
  const run = noted(turn, index, 'Run');
  if (!run) return false;
  if (run.disabled || run.phase === 'Failed' || run.phase === 'Successful') return true;
  return run.phase === 'Running' && Boolean(noted(turn, index, 'Terminate') ?? noted(turn, index, 'Abort'));
}
