import type { Application, OperationState, ResourceResult, TreeNode } from '../api/model.ts';
import { objectKey } from '../objects/objects.ts';

/** One object of a sync. */
export interface Task {
  readonly id: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Phase of the sync, or which hook it is. */
  readonly phase: string;
  readonly state: 'failed' | 'running' | 'waiting' | 'done';
  /** As the operation tells it. */
  readonly result: string;
  /** What the cluster said, or what is waited for. */
  readonly message: string;
}

const order = ['failed', 'running', 'waiting', 'done'] as const;

/**
 * What a sync did and does, object by object: what failed first, then what is waited for, each with why. While it runs, objects that
 * differ and have no result yet are told, too: their turn comes when what is before them is healthy.
 */
export function tasksOf({ status }: Pick<Application, 'status'>, tree: readonly TreeNode[]): Task[] {
  const operation = status?.operationState;
  if (!operation) return [];
  const running = operation.phase === 'Running';
  const nodes = new Map(tree.map((node) => [objectKey(node), node]));
  const done = (operation.syncResult?.resources ?? []).map((result) => taskOf(result, running, nodes));
  const rest = running ? pending(operation, status?.resources ?? []) : [];
  return [...done, ...rest].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
}

function taskOf(result: ResourceResult, running: boolean, nodes: ReadonlyMap<string, TreeNode>): Task {
  const { kind, namespace = '', name, message = '' } = result;
  // upstream leaves the phase of what it has applied at Running, also when the operation has ended
  const left = !running && !result.hookType && result.hookPhase === 'Running';
  const outcome = (left ? undefined : result.hookPhase) ?? result.status ?? '';
  const failed = ['Failed', 'Error', 'SyncFailed'].includes(outcome) || result.status === 'SyncFailed';
  const state = failed ? 'failed' : running && result.hookPhase === 'Running' ? 'running' : 'done';
  const health = nodes.get(objectKey({ ...result, namespace }))?.health;
  const waits = state === 'running' && health ? [health.status, health.message].filter(Boolean).join(': ') : '';
  return {
    id: [result.group, kind, namespace, name, result.syncPhase].join('/'),
    group: result.group ?? '',
    kind,
    namespace,
    name,
    phase: result.hookType ?? result.syncPhase ?? '',
    state,
    result: outcome,
    message: [waits, message].filter(Boolean).join(' · '),
  };
}

/** Those that a running sync has not come to. */
function pending(
  { operation, syncResult }: OperationState,
  resources: NonNullable<NonNullable<Application['status']>['resources']>,
): Task[] {
  const told = new Set(
    (syncResult?.resources ?? []).map((one) => objectKey({ ...one, namespace: one.namespace ?? '' })),
  );
  const chosen = operation?.sync?.resources?.map((one) => `${one.group ?? ''}/${one.kind}/${one.name}`);
  return resources
    .filter((one) => one.status === 'OutOfSync' && !one.hook && !told.has(objectKey(one)))
    .filter((one) => !chosen?.length || chosen.includes(`${one.group ?? ''}/${one.kind}/${one.name}`))
    .filter((one) => !one.requiresPruning || operation?.sync?.prune === true)
    .map(({ group, kind, namespace = '', name, syncWave, requiresPruning }) => ({
      id: [group, kind, namespace, name, 'pending'].join('/'),
      group: group ?? '',
      kind,
      namespace,
      name,
      phase: requiresPruning ? 'Prune' : `Sync${syncWave ? `, wave ${syncWave}` : ''}`,
      state: 'waiting' as const,
      result: '',
      message: '',
    }));
}
