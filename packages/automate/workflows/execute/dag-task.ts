import { isCompleted, isEnded, isFailedOrError, isFulfilled } from '../model/phases.ts';
import type { DagTask, NodeStatus } from '../model/types.ts';
import { awaitMissing } from '../operation/missing.ts';
import { addChild, initNode, markError, markPhase } from '../operation/nodes.ts';
import { outboundNodes } from '../operation/outbound.ts';
import { releaseLocks } from '../operation/synchronize.ts';
import { resolveTemplate, scopeText, withDefaults } from '../operation/templates.ts';
import { dependsHolds, type TaskResult } from '../text/depends.ts';
import { whenHolds } from '../text/when.ts';
import { processArguments } from '../values/arguments.ts';
import { expand, isLoop } from '../values/loops.ts';
import { measureEnd } from '../values/measure.ts';
import { resolveReferences } from '../values/references.ts';
import { type DagRun, hookedTask, scopeForTask } from './dag-run.ts';
import { executeTemplate, rethrowForeign } from './execute-template.ts';
import { exitHookOf, runAllHooks, runExitHook, runHooks } from './hooks.ts';

/** Brings a task, and first all that it waits for, as far as they can go now. */
export function runTask(run: DagRun, target: string): void {
  // an own stack: chains of tasks may be longer than calls can be deep
  const stack: { task: string; isReady: boolean }[] = [{ task: target, isReady: false }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { task, isReady } = next;
    if (isReady) startTask(run, run.plan.task(task));
    else if (!run.visited.has(task)) {
      run.visited.add(task);
      if (isSettled(run, run.plan.task(task))) continue;
      stack.push({ task, isReady: true });
      for (const dependency of run.plan.dependencies(task).toReversed())
        stack.push({ task: dependency, isReady: false });
    }
  }
}

/** True if a task needs nothing but its hooks. */
function isSettled(run: DagRun, task: DagTask): boolean {
  const { op } = run;
  const node = run.nodeOf(task.name);
  if (!node) return false;
  if (task.hooks && (isFulfilled(node) || node.phase === 'Running')) {
    const hooked = hookedTask(run, task, node);
    try {
      if (!runHooks(op, hooked)) return true;
    } catch (error) {
      rethrowForeign(error);
      markError(op, node, (error as Error).message);
    }
  }
  if (!isEnded(node)) return false;
  settle(run, task, node);
  return true;
}

/** What is left to do for a task that has ended: measurements, locks, the exit handler. */
function settle(run: DagRun, task: DagTask, node: NodeStatus): void {
  const { op, work } = run;
  if (!op.endedBefore.has(node.id) || op.status.synchronization) {
    try {
      const { template } = resolveTemplate(op, work.inner, task);
      const full = withDefaults(op, template);
      if (full.metrics) measureEnd(op, node, full);
      if (full.synchronization) {
        const { synchronization } = processArguments(op, full, task.arguments ?? {}, new Map());
        releaseLocks(op, synchronization, node.id);
      }
    } catch (error) {
      // arguments that only predecessors could give name no lock that was taken
      rethrowForeign(error);
    }
  }
  if (isCompleted(node) && exitHookOf(op, task)) runExitHook(op, hookedTask(run, task, node));
}

function startTask(run: DagRun, task: DagTask): void {
  const { op } = run;
  const existing = run.nodeOf(task.name);
  const group = existing?.type === 'TaskGroup' ? existing : undefined;
  try {
    if (!existing && !dependsMet(run, task)) return;
    const scope = scopeForTask(run, task);
    const resolved = resolveReferences(op, task, scope);
    const expanded = expand(resolved, scope.texts(op.globals));
    if (isLoop(task)) runLoop(run, { task, expanded, group });
    else for (const single of expanded) runItem(run, { task, single, group: undefined });
  } catch (error) {
    rethrowForeign(error);
    if (awaitMissing(op, run.node.id, error)) return;
    if (existing) markError(op, existing, (error as Error).message);
    else addSkipped(run, { task, phase: 'Error', message: (error as Error).message });
  }
}

/** True if a task's turn has come. One whose condition cannot hold any more becomes an omitted node. */
function dependsMet(run: DagRun, task: DagTask): boolean {
  const { plan } = run;
  const depends = plan.depends(task.name);
  if (!depends) return true;
  for (const name of plan.dependencies(task.name)) {
    const node = run.nodeOf(name);
    if (!node || !isFulfilled(node) || !hooksDone(run, node)) return false;
  }
  if (dependsHolds(depends, (name, result) => hasResult(run, name, result))) return true;
  addSkipped(run, { task, phase: 'Omitted', message: 'omitted: depends condition not met' });
  return false;
}

function hooksDone({ op }: DagRun, node: NodeStatus): boolean {
  return (node.children ?? []).every((id) => {
    const child = op.nodeById(id);
    return !child?.nodeFlag?.hooked || isFulfilled(child);
  });
}

function hasResult(run: DagRun, name: string, result: TaskResult | undefined): boolean {
  const node = run.nodeOf(name);
  if (!node) return false;
  const items = () => (node.type === 'TaskGroup' ? (node.children ?? []).map((id) => run.op.nodeById(id)?.phase) : []);
  switch (result) {
    case 'Succeeded':
    case 'Failed':
    case 'Skipped':
    case 'Omitted':
      return node.phase === result;
    case 'Errored':
      return node.phase === 'Error';
    case 'Daemoned':
      return node.daemoned === true && node.phase !== 'Pending';
    case 'AnySucceeded':
      return items().includes('Succeeded');
    case 'AllFailed':
      return items().length > 0 && items().every((phase) => phase === 'Failed');
    default: {
      const { continueOn } = run.plan.task(name);
      const isDaemon = node.daemoned === true && node.phase !== 'Pending';
      if (node.phase === 'Succeeded' || node.phase === 'Skipped' || isDaemon) return true;
      return Boolean((continueOn?.error && node.phase === 'Error') || (continueOn?.failed && node.phase === 'Failed'));
    }
  }
}

interface SkippedTask {
  readonly task: DagTask;
  readonly phase: 'Error' | 'Omitted' | 'Skipped';
  readonly message: string;
  readonly nodeName?: string;
  readonly group?: NodeStatus | undefined;
}

function addSkipped(run: DagRun, { task, phase, message, nodeName = run.nameOf(task.name), group }: SkippedTask): void {
  const { op, work } = run;
  if (op.node(nodeName)) return;
  initNode(op, {
    name: nodeName,
    type: 'Skipped',
    scope: scopeText(work.inner),
    call: task,
    boundaryId: run.node.id,
    phase,
    flag: {},
    message,
  });
  connect(run, { task, nodeId: op.idOf(nodeName), group });
}

/** Arrows to a task's node: from its group, from what it waited for, or from the DAG itself. */
function connect(
  run: DagRun,
  { task, nodeId, group }: { task: DagTask; nodeId: string; group: NodeStatus | undefined },
): void {
  const { op, plan, node } = run;
  const dependencies = plan.dependencies(task.name);
  if (group || dependencies.length === 0) {
    addChild(group ?? node, nodeId);
    return;
  }
  for (const name of dependencies) {
    const dependency = run.nodeOf(name);
    if (!dependency) continue;
    for (const id of outboundNodes(op, dependency.id)) {
      const from = op.nodeById(id);
      if (from) addChild(from, nodeId);
    }
  }
}

interface Loop {
  readonly task: DagTask;
  readonly expanded: readonly DagTask[];
  readonly group: NodeStatus | undefined;
}

function runLoop(run: DagRun, { task, expanded, group }: Loop): void {
  const { op, work } = run;
  if (expanded.length === 0) {
    addSkipped(run, { task, phase: 'Skipped', message: 'Skipped, empty params' });
    return;
  }
  const nodeName = run.nameOf(task.name);
  let parent = group;
  if (!parent) {
    connect(run, { task, nodeId: op.idOf(nodeName), group: undefined });
    parent = initNode(op, {
      name: nodeName,
      type: 'TaskGroup',
      scope: scopeText(work.inner),
      call: task,
      boundaryId: run.node.id,
      phase: 'Running',
      flag: {},
    });
  }
  for (const single of expanded) if (!runItem(run, { task, single, group: parent })) break;
  const nodes = expanded.map(({ name }) => run.nodeOf(name));
  if (nodes.some((node) => !node || !isFulfilled(node) || !hooksDone(run, node))) return;
  const failed = nodes.findLast((node) => isFailedOrError(node?.phase));
  markPhase(op, parent, failed?.phase ?? 'Succeeded');
}

/** Brings one task, or one item of a loop, as far as it can go. False if the rest of the loop must wait. */
function runItem(
  run: DagRun,
  { task, single, group }: { task: DagTask; single: DagTask; group: NodeStatus | undefined },
): boolean {
  const { op, work } = run;
  const nodeName = run.nameOf(single.name);
  const existing = op.node(nodeName);
  if (!existing) {
    let holds: boolean;
    try {
      holds = whenHolds(single.when ?? '');
    } catch (error) {
      rethrowForeign(error);
      addSkipped(run, { task, phase: 'Error', message: (error as Error).message, nodeName, group });
      return true;
    }
    if (!holds) {
      const message = `when '${single.when}' evaluated false`;
      addSkipped(run, { task, phase: 'Skipped', message, nodeName, group });
      return true;
    }
  }
  const { node, halt } = executeTemplate(op, {
    nodeName,
    call: single,
    scope: work.inner,
    args: single.arguments ?? {},
    boundaryId: run.node.id,
    word: 'tasks',
    ...(work.isOnExit ? { isOnExit: true } : {}),
  });
  const made = op.node(nodeName);
  if (made && !existing) connect(run, { task, nodeId: made.id, group });
  if (halt?.kind === 'timeout' && made) markPhase(op, made, 'Failed', halt.message);
  if (halt?.kind === 'error' && made) markError(op, made, `task '${nodeName}' errored: ${halt.message}`);
  if (halt?.kind === 'parallelism' && !made) return false;
  if (node && isCompleted(node) && exitHookOf(op, task)) runAllHooks(op, hookedTask(run, task, node), node);
  return true;
}
