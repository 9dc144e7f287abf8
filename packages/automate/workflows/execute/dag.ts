import { isCompleted, isFailedOrError, isFulfilled } from '../model/phases.ts';
import type { DagTask, NodeStatus } from '../model/types.ts';
import { halted, type Outcome } from '../operation/halt.ts';
import { initTemplateNode, markPhase } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import { outboundNodes } from '../operation/outbound.ts';
import { addAggregates, publishOutputs, treeOutputs } from '../values/outputs.ts';
import { Scope } from '../values/scope.ts';
import type { Work } from './call.ts';
import { stopDaemons } from './daemons.ts';
import { dagPhase } from './dag-phase.ts';
import { DagPlan } from './dag-plan.ts';
import { DagRun, hookedTask } from './dag-run.ts';
import { runTask } from './dag-task.ts';
import { freshNode, rethrowForeign } from './execute-template.ts';
import { runHooks } from './hooks.ts';
import { saveMemo } from './memoize.ts';

/** Runs tasks as soon as what they depend on has ended. */
export function executeDag(op: Operation, work: Work): Outcome {
  const node = op.node(work.nodeName) ?? initTemplateNode(op, work.template, freshNode(work, 'Running'));
  let outcome: Outcome;
  try {
    outcome = runDag(op, work, node);
  } catch (error) {
    rethrowForeign(error);
    outcome = { node, halt: halted((error as Error).message) };
  }
  if (isFulfilled(node)) stopDaemons(op, node.id);
  return outcome;
}

function runDag(op: Operation, work: Work, node: NodeStatus): Outcome {
  const { dag } = work.template;
  const plan = new DagPlan(dag?.tasks ?? []);
  const targets = dag?.target ? dag.target.split(' ').filter(Boolean) : plan.leaves();
  const run = new DagRun(op, work, node, plan);
  // daemons may fail while nothing depends on them any more
  for (const task of plan.tasks.keys()) if (run.nodeOf(task)?.daemoned) runTask(run, task);
  let exitsDone = true;
  for (const task of targets) {
    runTask(run, task);
    exitsDone = runTargetHooks(run, task) && exitsDone;
  }
  const stopped = op.shutdown !== undefined && exitsDone && !work.isOnExit;
  const phase = stopped
    ? 'Failed'
    : dagPhase(op, {
        plan,
        boundary: node,
        targets,
        failsFast: dag?.failFast ?? true,
        nodeOf: (task) => run.nodeOf(task),
      });
  if (phase === 'Running') return { node };
  node.outboundNodes = targets.flatMap((task) => {
    const target = run.nodeOf(task);
    return target ? outboundNodes(op, target.id) : [];
  });
  if (isFailedOrError(phase)) return { node: markPhase(op, node, phase) };
  return succeed(run);
}

/** Hooks of targets once more: their state may have changed by running them. False while an exit handler runs. */
function runTargetHooks(run: DagRun, task: string): boolean {
  const { op } = run;
  const node = run.nodeOf(task);
  if (!node) return true;
  if (run.plan.task(task).hooks) runHooks(op, hookedTask(run, run.plan.task(task), node));
  if (!isCompleted(node)) return true;
  const exit = op.node(`${node.name}.onExit`);
  return !exit || isFulfilled(exit);
}

function succeed(run: DagRun): Outcome {
  const { op, work, node } = run;
  const scope = new Scope(work.template);
  scope.addWorkflowOutputs(op.status.outputs);
  for (const task of run.plan.tasks.values()) {
    const taskNode = run.nodeOf(task.name);
    if (!taskNode) continue;
    addTask(run, { scope, task, node: taskNode });
    publishOutputs(op, taskNode.outputs);
  }
  const outputs = treeOutputs(work.template, scope);
  if (outputs) node.outputs = outputs;
  saveMemo(op, node);
  return { node: markPhase(op, node, 'Succeeded') };
}

function addTask({ op, work }: DagRun, { scope, task, node }: { scope: Scope; task: DagTask; node: NodeStatus }): void {
  if (node.type === 'TaskGroup') {
    const items = (node.children ?? []).map((id) => op.nodeById(id)).filter((item) => item !== undefined);
    addAggregates(scope, { word: 'tasks', name: task.name }, items);
  }
  scope.addNode(op, 'tasks', task.name, node);
  scope.addAbsent(op, { word: 'tasks', name: task.name, node, call: task, scope: work.inner });
}
