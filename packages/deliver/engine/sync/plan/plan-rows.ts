import type { ObjectKey } from '@tiphys/kubernetes';
import type { SyncPhase, SyncPlan, SyncTask } from '../model.ts';

/** What a sync does to an object, in one word for colours and counts. */
export type PlanEffect = 'create' | 'change' | 'apply' | 'delete' | 'leave' | 'hook';

/** One object of a plan, for people: what the API serves and what the page and the command line print. */
export interface PlanRow {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly phase: SyncPhase;
  /** Absent for what comes before every wave. */
  readonly wave?: number;
  readonly effect: PlanEffect;
  /** What is done, and why or how where that is not plain: `deleted last (orphan)`, `left over, stays: Prune=false`. */
  readonly words: string;
  /** Why: `spec.replicas differs`, `missing`, `not in the source any more`. */
  readonly reason: string;
}

/** The rows of a plan, in the order of its execution. `isThere` tells of the namespace that `CreateNamespace=true` asks for: it is none of the application's objects. */
export function planRows(plan: SyncPlan, isThere: (key: ObjectKey) => boolean = () => false): PlanRow[] {
  return plan.tasks.map((task) => {
    const [effect, words] = effectOf(task, plan, isThere);
    const { key, phase, wave, reason } = task;
    return {
      group: key.group,
      kind: key.kind,
      namespace: key.namespace,
      name: key.name,
      phase,
      ...(wave === Number.MIN_SAFE_INTEGER ? {} : { wave }),
      effect,
      words,
      reason,
    };
  });
}

function effectOf(task: SyncTask, plan: SyncPlan, isThere: (key: ObjectKey) => boolean): [PlanEffect, string] {
  if (task.hook) return ['hook', `${task.phase} hook, runs`];
  if (task.action === 'skip-prune') return ['leave', `left over, stays: ${keptBy(task, plan)}`];
  if (task.action === 'prune') return ['delete', deletionWords(task, plan)];
  if (task.wave === Number.MIN_SAFE_INTEGER && isThere(task.key))
    return task.action === 'create'
      ? ['leave', 'there already, left alone']
      : ['apply', 'its metadata is applied again'];
  if (!task.live) return ['create', 'created'];
  if (task.inSync && plan.applyOutOfSyncOnly) return ['leave', 'in sync, left alone'];
  const forced = task.force ? ', deleted first if need be' : '';
  if (task.inSync) return ['apply', task.replace ? `replaced${forced}` : 'applied again, no change expected'];
  return ['change', `${task.replace ? 'replaced' : 'changed'}${forced}`];
}

function keptBy({ reason }: SyncTask, { options }: SyncPlan): string {
  return options.prune ? reason : 'prune is off';
}

function deletionWords({ needsConfirmation }: SyncTask, { propagationPolicy, options }: SyncPlan): string {
  const late = options.syncOptions?.includes('PruneLast=true') ? ' last' : '';
  const how = propagationPolicy === 'Foreground' ? '' : ` (${propagationPolicy.toLowerCase()})`;
  return needsConfirmation ? `deleted${late}${how} once that is approved: Prune=confirm` : `deleted${late}${how}`;
}

const countWords: Readonly<Record<Exclude<PlanEffect, 'leave'>, string>> = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  apply: 'applied again',
  hook: 'run as hooks',
};

/** `1 created, 2 changed, 1 deleted`; what a plan does in one line. */
export function planWords(rows: readonly Pick<PlanRow, 'effect'>[]): string {
  const parts = (Object.keys(countWords) as Exclude<PlanEffect, 'leave'>[]).flatMap((effect) => {
    const count = rows.filter((row) => row.effect === effect).length;
    return count > 0 ? [`${count} ${countWords[effect]}`] : [];
  });
  return parts.length > 0 ? parts.join(', ') : 'nothing is done';
}
