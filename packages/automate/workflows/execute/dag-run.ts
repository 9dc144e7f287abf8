import type { DagTask, NodeStatus } from '../model/types.ts';
import type { Operation } from '../operation/operation.ts';
import { addAggregates } from '../values/outputs.ts';
import { Scope } from '../values/scope.ts';
import type { Work } from './call.ts';
import type { DagPlan } from './dag-plan.ts';
import type { Hooked } from './hooks.ts';

/** One pass over a DAG. */
export class DagRun {
  readonly op: Operation;
  readonly work: Work;
  readonly node: NodeStatus;
  readonly plan: DagPlan;
  readonly visited = new Set<string>();

  constructor(op: Operation, work: Work, node: NodeStatus, plan: DagPlan) {
    this.op = op;
    this.work = work;
    this.node = node;
    this.plan = plan;
  }

  nameOf(task: string): string {
    return `${this.work.nodeName}.${task}`;
  }

  nodeOf(task: string): NodeStatus | undefined {
    return this.op.node(this.nameOf(task));
  }
}

/** What a task can see: inputs of the DAG, outputs of the workflow and of all tasks that it waits for. */
export function scopeForTask(run: DagRun, task: DagTask): Scope {
  const { op, work, node, plan } = run;
  const scope = new Scope(work.template);
  scope.addWorkflowOutputs(op.status.outputs);
  for (const name of plan.ancestors(task.name)) {
    const ancestor = run.nodeOf(name);
    if (!ancestor) continue;
    if (ancestor.type === 'TaskGroup') {
      const items = op.nodesWithin(node.id).filter((item) => item.name.startsWith(`${ancestor.name}(`));
      addAggregates(scope, { word: 'tasks', name }, items);
    }
    scope.addNode(op, 'tasks', name, ancestor);
    scope.addAbsent(op, { word: 'tasks', name, node: ancestor, call: plan.task(name), scope: work.inner });
  }
  return scope;
}

/** A task as its hooks see it. */
export function hookedTask(run: DagRun, task: DagTask, node: NodeStatus): Hooked {
  return {
    node,
    call: task,
    word: 'tasks',
    name: task.name,
    boundaryId: run.node.id,
    where: run.work.inner,
    scope: scopeForTask(run, task),
  };
}
