import type { SyncPhase, SyncTask } from './model.ts';
import { definedKind, kindRank } from './plan/kind-order.ts';

const phaseRank: Readonly<Record<SyncPhase, number>> = { PreSync: -1, Sync: 0, PostSync: 1, SyncFail: 2 };

/** Tasks in the order of execution. Prunes get the mirrored wave, or a last one of their own with PruneLast. */
export function arrange(tasks: readonly SyncTask[], pruneLast: boolean): SyncTask[] {
  const mirrored = mirrorPrunes(tasks);
  const lastWave = Math.max(0, ...mirrored.filter(({ phase }) => phase === 'Sync').map(({ wave }) => wave)) + 1;
  const placed = mirrored.map((task) => {
    if (!isPrune(task)) return task;
    const last =
      pruneLast ||
      (task.live?.metadata.annotations?.['argocd.argoproj.io/sync-options'] ?? '')
        .split(',')
        .some((option) => option.trim() === 'PruneLast=true');
    return last ? { ...task, wave: lastWave } : task;
  });
  const sorted = placed.toSorted(compareTasks);
  return beforeUse(beforeUse(sorted, namespaceMade, namespaceUsed), kindMade, kindUsed);
}

export function isPrune({ action }: SyncTask): boolean {
  return action === 'prune' || action === 'skip-prune';
}

function mirrorPrunes(tasks: readonly SyncTask[]): SyncTask[] {
  const waves = [...new Set(tasks.filter(isPrune).map(({ wave }) => wave))].sort((a, b) => a - b);
  const opposite = new Map(waves.map((wave, index) => [wave, waves[waves.length - 1 - index] as number]));
  return tasks.map((task) => (isPrune(task) ? { ...task, wave: opposite.get(task.wave) ?? task.wave } : task));
}

function compareTasks(a: SyncTask, b: SyncTask): number {
  return (
    phaseRank[a.phase] - phaseRank[b.phase] ||
    a.wave - b.wave ||
    // what goes, goes before what comes; dependants first
    Number(isPrune(b)) - Number(isPrune(a)) ||
    (isPrune(a) ? kindRank(b.key.kind) - kindRank(a.key.kind) : kindRank(a.key.kind) - kindRank(b.key.kind)) ||
    compareText(a.key.name, b.key.name) ||
    compareText(a.id, b.id)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const namespaceMade = (task: SyncTask) =>
  task.desired && task.key.group === '' && task.key.kind === 'Namespace' ? task.key.name : undefined;
const namespaceUsed = (task: SyncTask) => (task.desired ? task.key.namespace || undefined : undefined);
const kindMade = (task: SyncTask) => definedKind(task.desired);
const kindUsed = (task: SyncTask) => (task.desired ? `${task.key.group}/${task.key.kind}` : undefined);

/** Draws what others need forward to the phase and wave of the first that needs it. */
function beforeUse(
  tasks: readonly SyncTask[],
  made: (task: SyncTask) => string | undefined,
  used: (task: SyncTask) => string | undefined,
): SyncTask[] {
  const result: SyncTask[] = [];
  for (const task of tasks) {
    const name = made(task);
    const index =
      name === undefined ? -1 : result.findIndex((other) => made(other) === undefined && used(other) === name);
    const first = result[index];
    if (!first) result.push(task);
    else result.splice(index, 0, { ...task, phase: task.hook ? task.phase : first.phase, wave: first.wave });
  }
  return result;
}
