import type { PauseCondition, PauseReason, Rollout, RolloutStatus } from '@tiphys/api';
import { timestamp } from '@tiphys/controller';
import { currentStep, pauseCondition, pauseSeconds } from '../objects/rollout.ts';

/** What one pass decides of pauses and of the abort; it takes effect when the status is written. */
export class Pauses {
  readonly #rollout: Rollout;
  readonly #added: PauseReason[] = [];
  readonly #removed = new Set<PauseReason>();
  #cleared = false;
  #abort: 'unchanged' | 'added' | 'removed' = 'unchanged';
  #abortMessage = '';

  constructor(rollout: Rollout) {
    this.#rollout = rollout;
  }

  add(reason: PauseReason): void {
    this.#added.push(reason);
  }

  remove(reason: PauseReason): void {
    this.#removed.add(reason);
  }

  clear(): void {
    this.#cleared = true;
  }

  abort(message: string): void {
    // a decision to go on, once taken, stands
    if (this.#abort !== 'removed') this.#abort = 'added';
    this.#abortMessage = message;
  }

  removeAbort(): void {
    this.#abort = 'removed';
  }

  get hasAdded(): boolean {
    return this.#added.length > 0;
  }

  get isAborted(): boolean {
    return this.#abort === 'added' || (this.#abort === 'unchanged' && Boolean(this.#rollout.status?.abort));
  }

  get abortMessage(): string {
    return this.#abortMessage;
  }

  /** Whether a pause step is over: its time has passed, or somebody took the pause away. */
  hasCompletedStep(now: number): boolean {
    const { step } = currentStep(this.#rollout);
    if (!step?.pause) return false;
    const condition = pauseCondition(this.#rollout, 'CanaryPauseStep');
    if (!condition) return Boolean(this.#rollout.status?.controllerPause);
    if (step.pause.duration === undefined) return false;
    return now > Date.parse(condition.startTime) + pauseSeconds(step.pause) * 1000;
  }

  /** Whether blue-green may switch as far as pauses go. */
  hasCompletedBlueGreen(now: number): boolean {
    const { blueGreen } = this.#rollout.spec.strategy;
    const { controllerPause, blueGreen: status } = this.#rollout.status ?? {};
    if (this.hasAdded) return false;
    if (status?.scaleUpPreviewCheckPoint) return true;
    const condition = pauseCondition(this.#rollout, 'BlueGreenPause');
    if (blueGreen?.autoPromotionEnabled === false) return Boolean(controllerPause) && !condition;
    const seconds = blueGreen?.autoPromotionSeconds ?? 0;
    if (seconds === 0) return true;
    return condition !== undefined && now > Date.parse(condition.startTime) + seconds * 1000;
  }

  /** Writes abort and pauses into the status. */
  apply(status: RolloutStatus, now: number): void {
    const before = this.#rollout.status ?? {};
    if (this.isAborted) {
      status.abort = true;
      status.abortedAt = before.abortedAt ?? timestamp(now);
      return;
    }
    if (this.#cleared) return;
    const kept = (before.pauseConditions ?? []).filter(({ reason }) => !this.#removed.has(reason));
    const present = new Set((before.pauseConditions ?? []).map(({ reason }) => reason));
    const added: PauseCondition[] = [...new Set(this.#added)]
      .filter((reason) => !present.has(reason))
      .map((reason) => ({ reason, startTime: timestamp(now) }));
    if (kept.length + added.length === 0) return;
    status.controllerPause = Boolean(before.controllerPause) || added.length > 0;
    status.pauseConditions = [...kept, ...added];
  }
}

/** Whether a pause lasts until somebody acts. */
export function isManualPause(rollout: Rollout, reason: PauseReason): boolean {
  switch (reason) {
    case 'InconclusiveAnalysisRun':
    case 'InconclusiveExperiment':
      return true;
    case 'CanaryPauseStep': {
      const { step } = currentStep(rollout);
      return step?.pause !== undefined && step.pause.duration === undefined;
    }
    case 'BlueGreenPause':
      return rollout.spec.strategy.blueGreen?.autoPromotionEnabled === false;
  }
}
