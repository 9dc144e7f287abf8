import type { Diagnosis } from '@tiphys/diagnosis';
import { describeKey, keyString } from '@tiphys/kubernetes';
import { templateImages } from '../cache/node-info.ts';
import type { OperationPhase, ResultCode } from '../model/model.ts';
import type { ResourceResult, ServerWarning, SyncFinding, SyncPlan, SyncTask, WrittenManifest } from './model.ts';

/** A task with how far it has come. */
export interface TaskRun {
  readonly task: SyncTask;
  status: ResultCode | undefined;
  /** Undefined while it is pending. */
  phase: OperationPhase | undefined;
  message: string;
}

export const isPending = ({ phase }: TaskRun): boolean => phase === undefined;
export const isRunning = ({ phase }: TaskRun): boolean => phase === 'Running';
export const isCompleted = ({ phase }: TaskRun): boolean =>
  phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';

/** Results of an operation, in the order in which they came about, joined with the tasks of the plan. */
export class Progress {
  readonly runs: readonly TaskRun[];
  readonly #results = new Map<string, ResourceResult>();
  readonly #diagnoses = new Map<string, SyncFinding>();
  readonly #written = new Map<string, WrittenManifest>();

  /** `findings` are those of earlier steps; what has succeeded since is left out. */
  constructor(plan: SyncPlan, before: readonly ResourceResult[], findings: readonly SyncFinding[] = []) {
    for (const result of before) this.#results.set(idOf(result), { ...result });
    for (const finding of findings)
      if (finding.task && hasFailed(this.#results.get(finding.task))) this.#diagnoses.set(finding.task, finding);
    this.runs = plan.tasks.map((task) => {
      const result = this.#results.get(task.id);
      return { task, status: result?.status, phase: result?.hookPhase, message: result?.message ?? '' };
    });
  }

  get started(): boolean {
    return this.#results.size > 0;
  }

  get results(): ResourceResult[] {
    return [...this.#results.values()];
  }

  /** What this step has written, with the warnings that it met. */
  get written(): WrittenManifest[] {
    return [...this.#written.values()];
  }

  /** Notes that an object was written, and what the server warned of. */
  warned({ task }: TaskRun, warnings: readonly ServerWarning[]): void {
    this.#written.set(task.id, { object: describeKey(task.key), warnings });
  }

  get diagnoses(): SyncFinding[] {
    return [...this.#diagnoses.values()];
  }

  set(
    run: TaskRun,
    status: ResultCode | undefined,
    phase: OperationPhase | undefined,
    message: string,
    diagnosis?: Diagnosis,
  ): void {
    run.status = status;
    run.phase = phase;
    if (message) run.message = message;
    const { task } = run;
    const images = templateImages(task.desired ?? task.live ?? empty);
    const { group, kind, namespace, name } = task.key;
    this.#results.set(task.id, {
      group,
      version: task.version,
      kind,
      namespace,
      name,
      ...(status ? { status } : {}),
      message: run.message,
      ...(task.hookType ? { hookType: task.hookType } : {}),
      ...(phase ? { hookPhase: phase } : {}),
      syncPhase: task.phase,
      ...(images.length > 0 ? { images: [...images] } : {}),
    });
    if (diagnosis) this.#diagnoses.set(task.id, { ...diagnosis, task: task.id });
    else if (!hasFailed(this.#results.get(task.id))) this.#diagnoses.delete(task.id);
  }
}

const empty = { apiVersion: '', kind: '', metadata: {} };

function hasFailed(result: ResourceResult | undefined): boolean {
  return result?.status === 'SyncFailed' || result?.hookPhase === 'Failed' || result?.hookPhase === 'Error';
}

function idOf(result: ResourceResult): string {
  return `${result.syncPhase ?? 'Sync'}/${keyString({ group: result.group, kind: result.kind, namespace: result.namespace, name: result.name })}`;
}
