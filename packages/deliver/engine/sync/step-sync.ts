import { type Diagnosis, defineDiagnosis, diagnose, formatDiagnosis } from '@tiphys/diagnosis';
import { describeKey, type ObjectKey } from '@tiphys/kubernetes';
import { placeOf } from '../difference/desired-state.ts';
import { leafDiagnosis, withCause } from '../explain/explain-health.ts';
import { withLastLines } from '../health/last-lines.ts';
import { slowDeletion } from '../health/stuck-deletion.ts';
import type { Health, OperationPhase } from '../model/model.ts';
import { deleteHook, releaseHook } from './deletion/hook-cleanup.ts';
import { LiveObjects } from './live-objects.ts';
import type { SyncPhase, SyncPlan, SyncState, SyncTask } from './model.ts';
import { runTasks } from './run-tasks.ts';
import type { StepRequest } from './step-request.ts';
import { isPrune } from './task-order.ts';
import { isCompleted, isPending, isRunning, Progress, type TaskRun } from './task-run.ts';
import { validateTasks } from './validate-tasks.ts';

const hookVanished = defineDiagnosis('HookVanished', 'A hook was deleted before its result was seen', 'S1');
const hookFailed = defineDiagnosis('HookFailed', 'A hook of a sync has failed', 'S3');
const objectDegraded = defineDiagnosis('SyncedObjectFailed', 'An object that a sync has applied has failed', 'S4');
const confirmationAwaited = defineDiagnosis(
  'PruneConfirmationAwaited',
  'A sync prunes only after a person confirms it',
);
const waveBlocked = defineDiagnosis('WaveBlocked', 'A sync waits for objects before it goes on', 'S4');

/**
 * Does everything that can be done now, and says where the operation stands then. While it is Running, call it again
 * with its own result and a plan of a fresh comparison, when a live object of the plan has changed or after some seconds.
 * All memory is in the results: the process may be killed at any instruction and go on with the last results it stored;
 * writes that were lost from the results are found done, and hooks are found by their names.
 */
export async function stepSync(request: StepRequest): Promise<SyncState> {
  return new SyncStep(request).run();
}

interface Position {
  readonly phase: OperationPhase;
  readonly message: string;
  readonly waitingFor: readonly TaskRun[];
  /** There may be more that can be done at once. */
  readonly again?: boolean;
  /** Something was changed that others react to, and another wave follows. */
  readonly changed?: boolean;
  readonly diagnosis?: Diagnosis;
}

class SyncStep {
  readonly #request: StepRequest;
  readonly #progress: Progress;
  readonly #live: LiveObjects;

  constructor(request: StepRequest) {
    this.#request = request;
    this.#progress = new Progress(withoutNeedless(request), request.state?.resources ?? [], request.state?.diagnoses);
    this.#live = new LiveObjects(request.cache, request.client, request.signal);
  }

  async run(): Promise<SyncState> {
    const { plan, signal, clock, waveDelay = 0, onProgress } = this.#request;
    if (plan.refusals.length > 0) return this.#refused(plan.refusals);
    if (!this.#progress.started) {
      const blocked = await this.#begin();
      if (blocked) return this.#state(blocked);
    }
    for (;;) {
      signal.throwIfAborted();
      const position = await this.#advance();
      if (!position.again) return this.#state(position);
      await onProgress?.(this.#state(position));
      if (position.changed && waveDelay > 0 && !plan.options.dryRun) await clock.sleep(waveDelay, signal);
    }
  }

  #refused(refusals: readonly Diagnosis[]): SyncState {
    return {
      phase: 'Error',
      message: refusals.map(formatDiagnosis).join('; '),
      resources: this.#progress.results,
      diagnoses: refusals,
      waitingFor: [],
    };
  }

  #state({ phase, message, waitingFor, diagnosis }: Position): SyncState {
    return {
      phase,
      message,
      resources: this.#progress.results,
      diagnoses: [...(diagnosis ? [{ ...diagnosis, waiting: true }] : []), ...this.#progress.diagnoses],
      written: this.#progress.written,
      waitingFor: waitingFor.map(({ task }) => {
        const health = this.#request.cache.node(task.key)?.health;
        return { key: task.key, ...(health ? { health } : {}) };
      }),
    };
  }

  /** What happens once in an operation, before anything else: the namespace, then the check of every task. */
  async #begin(): Promise<Position | undefined> {
    const runs = this.#progress.runs;
    const invalid = await validateTasks(runs, this.#progress, this.#request);
    if (invalid) return { phase: 'Failed', message: invalid, waitingFor: [] };
    return undefined;
  }

  async #advance(): Promise<Position> {
    const runs = this.#progress.runs.filter((run) => !isMadeNamespace(run));
    await this.#updateRunning();
    const first = runs[0]?.task;
    const last = runs.at(-1)?.task;
    const multiStep =
      first !== undefined && last !== undefined && (first.phase !== last.phase || first.wave !== last.wave);
    const running = runs.filter((run) => isRunning(run) && (multiStep || run.task.hook));
    const waiting = await this.#stillRunning(running);
    if (waiting.length > 0) return this.#waitFor(waiting, false);
    const deleting = await this.#pendingDeletion(multiStep);
    if (deleting.length > 0) return this.#waitFor(deleting, true);
    await this.#releaseHooks();
    return this.#next();
  }

  async #updateRunning(): Promise<void> {
    for (const run of this.#progress.runs.filter(isRunning)) {
      const { task } = run;
      if (isMadeNamespace(run)) continue;
      const live = await this.#live.get(task);
      if (!live) continue;
      const health = this.#request.cache.healthOf(live);
      if (task.hook) await this.#updateHook(run, health);
      else if (!health) this.#progress.set(run, run.status, 'Succeeded', run.message);
      else if (health.status === 'Healthy') this.#progress.set(run, run.status, 'Succeeded', health.message ?? '');
      else if (health.status === 'Degraded') await this.#failRun(run, health);
    }
  }

  async #updateHook(run: TaskRun, health: Health | undefined): Promise<void> {
    const phase = hookPhase(health?.status);
    if (phase === 'Failed' && health) await this.#failRun(run, health);
    else this.#progress.set(run, run.status, phase, health ? (health.message ?? '') : `${run.task.key.name} created`);
  }

  /** The message is upstream's; the cause is added where it lies in another object, as in the pod of a job. */
  async #failRun(run: TaskRun, health: Health): Promise<void> {
    const { key } = run.task;
    const leaf = await this.#leafOf(key, health);
    const elsewhere = leaf?.place?.object !== undefined && leaf.place.object !== describeKey(key);
    const message = [health.message, elsewhere || !health.message ? leaf?.message : undefined]
      .filter(Boolean)
      .join(': ');
    this.#progress.set(run, run.status, 'Failed', message, objectFailed(run.task, message, leaf));
  }

  /** The cause, with the last lines of the log: both may be gone when somebody looks. */
  async #leafOf(key: ObjectKey, health: Health): Promise<Diagnosis | undefined> {
    const { cache, signal } = this.#request;
    const leaf = health.diagnosis ?? leafDiagnosis(cache, key);
    return leaf && withLastLines(leaf, cache.client, signal);
  }

  /** Of what runs, what is still there; what vanished has failed, so that nobody waits for it without end. */
  async #stillRunning(runs: readonly TaskRun[]): Promise<TaskRun[]> {
    const still: TaskRun[] = [];
    for (const run of runs.filter(isRunning)) {
      const { task } = run;
      if ((await this.#live.get(task)) ?? (await this.#live.fresh(task))) {
        still.push(run);
        continue;
      }
      const { group, kind, name } = task.key;
      const diagnosis = diagnose(hookVanished, {
        message: `Resource ${group}/${kind}/${name} is missing, it might have been deleted`,
        place: placeOf(task),
        evidence: { 'last seen': run.message || undefined, phase: task.phase },
        remedies: [
          'Find who deletes it before it is done (ttlSecondsAfterFinished, another controller, a person), then sync again',
        ],
      });
      this.#progress.set(run, 'SyncFailed', 'Error', diagnosis.message, diagnosis);
    }
    return still;
  }

  async #pendingDeletion(multiStep: boolean): Promise<TaskRun[]> {
    const found: TaskRun[] = [];
    for (const run of this.#progress.runs) {
      if (run.status !== 'Pruned' || !isPrune(run.task) || this.#request.plan.options.dryRun) continue;
      let live = await this.#live.get(run.task);
      if (live && !live.metadata.deletionTimestamp && multiStep) live = await this.#live.fresh(run.task);
      if (live?.metadata.deletionTimestamp && live.metadata.uid === run.task.live?.metadata.uid) found.push(run);
    }
    return found;
  }

  /** A hook is let go only after its result is stored, where the caller stores progress: else a crash could make it run again. */
  async #releaseHooks(): Promise<void> {
    const { plan, onProgress, state } = this.#request;
    if (plan.options.dryRun) return;
    const completed = this.#progress.runs.filter((run) => run.task.hook && isCompleted(run));
    const stored = new Set(
      state?.resources
        .filter(({ hookPhase }) => hookPhase !== 'Running')
        .map(({ name, syncPhase }) => `${syncPhase} ${name}`),
    );
    if (onProgress && completed.some(({ task }) => !stored.has(`${task.phase} ${task.key.name}`))) {
      await onProgress(this.#state({ phase: 'Running', message: 'one or more tasks are running', waitingFor: [] }));
    }
    for (const run of completed) await releaseHook(run, this.#progress, this.#live, this.#request);
  }

  async #next(): Promise<Position> {
    const { plan } = this.#request;
    const runs = this.#progress.runs;
    const failHooks = runs.filter(({ task }) => task.phase === 'SyncFail');
    const ordinary = runs.filter(({ task }) => task.phase !== 'SyncFail');
    if (ordinary.some((run) => isCompleted(run) && run.phase !== 'Succeeded')) {
      await this.#deleteHooks('HookFailed');
      return this.#fail(failHooks, 'one or more synchronization tasks completed unsuccessfully');
    }
    const pending = ordinary.filter(
      (run) => isPending(run) && !(plan.applyOutOfSyncOnly && run.task.inSync && !run.task.hook),
    );
    const [first] = pending;
    if (!first) {
      await this.#deleteHooks('HookSucceeded');
      return { phase: 'Succeeded', message: 'successfully synced (no more tasks)', waitingFor: [] };
    }
    const wave = pending.filter(({ task }) => task.phase === first.task.phase && task.wave === first.task.wave);
    const state = await runTasks(wave, this.#progress, this.#live, this.#request);
    if (state.kind === 'confirm') return this.#confirm(state.runs);
    if (state.kind === 'deleting') return this.#waitFor(state.runs, true);
    const failed = wave.some(({ status }) => status === 'SyncFailed');
    if (failed) {
      const hooks = wave.filter(isRunning).filter(({ task }) => task.hook);
      if (hooks.length > 0) return this.#waitFor(hooks, false);
      await this.#deleteHooks('HookFailed');
      return this.#fail(failHooks, 'one or more objects failed to apply');
    }
    if (pending.length === wave.length && !wave.some(({ task }) => task.hook)) {
      // as upstream: the last wave's objects are applied, and whether they get healthy is the application's health
      await this.#deleteHooks('HookSucceeded');
      // as upstream: a dry run is over before it has run anything
      const over = plan.options.dryRun ? 'no more tasks' : 'all tasks run';
      return { phase: 'Succeeded', message: `successfully synced (${over})`, waitingFor: [] };
    }
    const changed = pending.length > wave.length && wave.some(({ task }) => task.hook || !task.inSync);
    return { phase: 'Running', message: 'one or more tasks are running', waitingFor: wave, again: true, changed };
  }

  async #fail(failHooks: readonly TaskRun[], summary: string): Promise<Position> {
    const failed = this.#progress.runs.filter(
      (run) =>
        run.task.phase !== 'SyncFail' &&
        (run.status === 'SyncFailed' || run.phase === 'Failed' || run.phase === 'Error'),
    );
    const reasons = [...new Set(failed.map(({ message }) => message).filter(Boolean))];
    const message = reasons.length > 0 ? `${summary}, reason: ${reasons.join(',')}` : summary;
    if (failHooks.every(isCompleted)) {
      const broken = failHooks.filter(({ phase }) => phase !== 'Succeeded').map((run) => run.message);
      await this.#deleteHooks('HookSucceeded', 'SyncFail');
      return {
        phase: 'Failed',
        message:
          broken.length > 0 ? `${message}\none or more SyncFail hooks failed, reason: ${broken.join(',')}` : message,
        waitingFor: [],
      };
    }
    const pending = failHooks.filter(isPending);
    if (pending.length > 0) {
      const state = await runTasks(pending, this.#progress, this.#live, this.#request);
      if (state.kind === 'deleting') return this.#waitFor(state.runs, true);
      return { phase: 'Running', message, waitingFor: pending, again: true };
    }
    return this.#waitFor(failHooks.filter(isRunning), false);
  }

  async #deleteHooks(policy: 'HookSucceeded' | 'HookFailed', phase?: SyncPhase): Promise<void> {
    if (this.#request.plan.options.dryRun) return;
    for (const run of this.#progress.runs) {
      if (!run.task.hook || !isCompleted(run) || (phase && run.task.phase !== phase)) continue;
      if (run.task.deletePolicies.includes(policy)) await deleteHook(run, this.#progress, this.#live, this.#request);
    }
  }

  #confirm(runs: readonly TaskRun[]): Position {
    const message = waitingMessage('pruning confirmation of', runs);
    const listed = runs.map(({ task }) => describeKey(task.key)).join(', ');
    const diagnosis = diagnose(confirmationAwaited, {
      message,
      evidence: { objects: listed },
      remedies: [
        {
          text: 'Confirm the pruning in the page, or by the annotation argocd.argoproj.io/deletion-approved with the present time on the Application',
          loses: listed,
        },
      ],
    });
    return { phase: 'Running', message, waitingFor: runs, diagnosis };
  }

  async #waitFor(runs: readonly TaskRun[], deletion: boolean): Promise<Position> {
    this.#live.release();
    const hooks = runs.filter(({ task }) => task.hook);
    const what = deletion
      ? hooks.length > 0
        ? 'deletion of hook'
        : 'deletion of'
      : hooks.length > 0
        ? 'completion of hook'
        : 'healthy state of';
    const ordered = hooks.length > 0 ? [...hooks, ...runs.filter(({ task }) => !task.hook)] : runs;
    const message = waitingMessage(what, ordered);
    const diagnosis = await this.#blocked(ordered, message, deletion);
    const [leaf] = diagnosis?.causes ?? [];
    return {
      phase: 'Running',
      message: leaf ? `${message}: ${leaf.message}` : message,
      waitingFor: ordered,
      ...(diagnosis ? { diagnosis } : {}),
    };
  }

  /** What blocks, and what is held up by it. */
  async #blocked(runs: readonly TaskRun[], message: string, deletion: boolean): Promise<Diagnosis | undefined> {
    const [first] = runs;
    if (!first) return undefined;
    const { cache, clock, signal } = this.#request;
    const node = cache.node(first.task.key);
    const live = deletion ? cache.get(first.task.key) : undefined;
    const leaf = live?.metadata.deletionTimestamp
      ? slowDeletion(live, clock.now())
      : node?.health && (await withCause(node.health, first.task.key, cache, { now: clock.now(), signal })).diagnosis;
    const held = this.#progress.runs.filter((run) => isPending(run) && run.task.phase !== 'SyncFail');
    return diagnose(waveBlocked, {
      message,
      place: placeOf(first.task),
      evidence: {
        health: node?.health ? [node.health.status, node.health.message].filter(Boolean).join(': ') : undefined,
        'held up':
          held.length > 0
            ? held
                .slice(0, 20)
                .map(({ task }) => describeKey(task.key))
                .join(', ')
            : undefined,
      },
      remedies: leaf?.remedies.length
        ? leaf.remedies
        : [
            `Nothing, as long as ${describeKey(first.task.key)} makes progress; else end the operation and correct it in Git`,
          ],
      ...(leaf ? { causes: [leaf] } : {}),
    });
  }
}

function objectFailed(task: SyncTask, message: string, leaf: Diagnosis | undefined): Diagnosis {
  const { kind, name } = task.key;
  return diagnose(task.hook ? hookFailed : objectDegraded, {
    message: `${task.hook ? `${task.hookType ?? 'Hook'} hook ` : ''}${kind} ${name} failed: ${leaf?.message ?? message}`,
    place: placeOf(task),
    evidence: { 'said by the object': message || undefined },
    remedies: leaf?.remedies.length
      ? leaf.remedies
      : [task.hook ? 'Correct the hook, then sync again' : 'Correct the object in Git'],
    ...(leaf ? { causes: [leaf] } : {}),
  });
}

/** The namespace that a sync has made: as upstream its result stays as it is, and it makes no wave to wait for. */
function isMadeNamespace(run: TaskRun): boolean {
  return run.task.reason === 'CreateNamespace=true' && isRunning(run);
}

/** A namespace that is to be made only if it is missing makes no step of its own where it is there. */
function withoutNeedless({ plan, cache, state }: StepRequest): SyncPlan {
  const isNeedless = ({ key, action, reason }: SyncPlan['tasks'][number]) =>
    action === 'create' &&
    reason === 'CreateNamespace=true' &&
    cache.node(key) !== undefined &&
    !state?.resources.some(({ kind, name, group }) => kind === key.kind && name === key.name && group === key.group);
  return plan.tasks.some(isNeedless) ? { ...plan, tasks: plan.tasks.filter((task) => !isNeedless(task)) } : plan;
}

function hookPhase(status: string | undefined): OperationPhase {
  if (status === 'Unknown' || status === 'Degraded') return 'Failed';
  return status === 'Progressing' || status === 'Suspended' ? 'Running' : 'Succeeded';
}

function waitingMessage(what: string, runs: readonly TaskRun[]): string {
  const [first] = runs;
  if (!first) return '';
  const { group, kind, name } = first.task.key;
  const more = runs.length - 1;
  const type = runs.every(({ task }) => task.hook) ? 'hooks' : 'resources';
  return `waiting for ${what} ${group}/${kind}/${name}${more > 0 ? ` and ${more} more ${type}` : ''}`;
}
