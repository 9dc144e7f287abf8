import { isCompleted, isEnded, isFailedOrError, isFulfilled } from '../model/phases.ts';
import type { NodeStatus, TemplateCall } from '../model/types.ts';
import { halted, type Outcome } from '../operation/halt.ts';
import { awaitMissing } from '../operation/missing.ts';
import { addChild, initNode, initTemplateNode, markError, markPhase } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import { outboundNodes } from '../operation/outbound.ts';
import { scopeText } from '../operation/templates.ts';
import { whenHolds } from '../text/when.ts';
import { expand, isLoop } from '../values/loops.ts';
import { addAggregates, publishOutputs, treeOutputs } from '../values/outputs.ts';
import { resolveReferences } from '../values/references.ts';
import { Scope } from '../values/scope.ts';
import type { Work } from './call.ts';
import { stopDaemons } from './daemons.ts';
import { executeTemplate, freshNode, rethrowForeign } from './execute-template.ts';
import { exitHookOf, runExitHook, runHooks } from './hooks.ts';
import { saveMemo } from './memoize.ts';

/** Runs groups of steps one after the other; the steps of a group run side by side. */
export function executeSteps(op: Operation, work: Work): Outcome {
  const node = op.node(work.nodeName) ?? initTemplateNode(op, work.template, freshNode(work, 'Running'));
  const outcome = runGroups(op, work, node);
  if (isFulfilled(node)) stopDaemons(op, node.id);
  return outcome;
}

function runGroups(op: Operation, work: Work, node: NodeStatus): Outcome {
  const scope = new Scope(work.template);
  scope.addWorkflowOutputs(op.status.outputs);
  const groups = work.template.steps ?? [];
  for (const [index, steps] of groups.entries()) {
    const group = groupNode(op, { work, node, index });
    runGroup(op, { work, group, steps, scope, boundaryId: node.id });
    if (!isFulfilled(group)) return { node };
    if (isFailedOrError(group.phase)) {
      setOutbound(op, node, groups.length);
      return { node: markPhase(op, node, 'Failed', group.message ?? '') };
    }
    for (const step of steps) addStep(op, { work, group, step, scope, boundaryId: node.id });
  }
  setOutbound(op, node, groups.length);
  try {
    const outputs = treeOutputs(work.template, scope);
    if (outputs) {
      node.outputs = outputs;
      publishOutputs(op, outputs);
    }
  } catch (error) {
    rethrowForeign(error);
    return { node, halt: halted((error as Error).message) };
  }
  saveMemo(op, node);
  return { node: markPhase(op, node, 'Succeeded') };
}

/** The node of a group of steps, with arrows from what came before it. */
function groupNode(op: Operation, { work, node, index }: { work: Work; node: NodeStatus; index: number }): NodeStatus {
  const name = `${work.nodeName}[${index}]`;
  const existing = op.node(name);
  const group =
    existing ??
    initNode(op, {
      name,
      type: 'StepGroup',
      scope: scopeText(work.inner),
      call: {},
      boundaryId: node.id,
      phase: 'Running',
      flag: {},
    });
  if (existing && !isFulfilled(existing)) markPhase(op, existing, 'Running');
  const previous = index > 0 ? op.node(`${work.nodeName}[${index - 1}]`) : undefined;
  if (!previous) addChild(node, group.id);
  else if (!previous.children?.length) addChild(previous, group.id);
  else {
    for (const child of previous.children) {
      for (const id of outboundNodes(op, child)) {
        const from = op.nodeById(id);
        if (from) addChild(from, group.id);
      }
    }
  }
  return group;
}

interface Group {
  readonly work: Work;
  readonly group: NodeStatus;
  readonly steps: readonly TemplateCall[];
  readonly scope: Scope;
  readonly boundaryId: string;
}

function runGroup(op: Operation, run: Group): void {
  const { group } = run;
  if (isFulfilled(group) && childrenOf(op, group).every(isFulfilled)) return;
  try {
    const steps = expandAll(op, run);
    if (steps) finishGroup(op, run, startSteps(op, run, steps));
  } catch (error) {
    rethrowForeign(error);
    if (!awaitMissing(op, run.boundaryId, error)) markError(op, group, (error as Error).message);
  }
}

function expandAll(op: Operation, { steps, scope, group, work, boundaryId }: Group): TemplateCall[] {
  return steps.flatMap((step) => {
    const resolved = resolveReferences(op, step, scope);
    const expanded = expand(resolved, scope.texts(op.globals));
    if (expanded.length === 0) skip(op, { work, group, step: resolved, boundaryId, reason: 'Skipped, empty params' });
    return expanded;
  });
}

function childrenOf(op: Operation, { children }: NodeStatus): NodeStatus[] {
  return (children ?? []).map((id) => op.nodeById(id)).filter((child) => child !== undefined);
}

interface Skip {
  readonly work: Work;
  readonly group: NodeStatus;
  readonly step: TemplateCall;
  readonly boundaryId: string;
  readonly reason: string;
  readonly phase?: 'Skipped' | 'Error';
}

function skip(op: Operation, { work, group, step, boundaryId, reason, phase = 'Skipped' }: Skip): void {
  const name = `${group.name}.${step.name ?? ''}`;
  if (!op.node(name)) {
    initNode(op, {
      name,
      type: 'Skipped',
      scope: scopeText(work.inner),
      call: step,
      boundaryId,
      phase,
      flag: {},
      message: reason,
    });
  }
  addChild(group, op.idOf(name));
}

interface Started {
  /** Steps by the names of their nodes. */
  readonly steps: ReadonlyMap<string, TemplateCall>;
  /** True if a limit keeps a step from having a node yet. */
  readonly isHeldBack: boolean;
}

/** Brings each step as far as it can go; undefined if that decides the group. */
function startSteps(op: Operation, run: Group, steps: readonly TemplateCall[]): Started | undefined {
  const { work, group, boundaryId } = run;
  const started = new Map<string, TemplateCall>();
  let isHeldBack = false;
  let isFull = false;
  for (const step of steps) {
    const nodeName = `${group.name}.${step.name ?? ''}`;
    let holds: boolean;
    try {
      holds = whenHolds(step.when ?? '');
    } catch (error) {
      rethrowForeign(error);
      skip(op, { work, group, step, boundaryId, reason: (error as Error).message, phase: 'Error' });
      throw error;
    }
    if (!holds) {
      skip(op, { work, group, step, boundaryId, reason: `when '${step.when}' evaluated false` });
      continue;
    }
    const existing = op.node(nodeName);
    // thousands of a loop may wait: what keeps the first of them keeps the others
    if (isFull && !existing) continue;
    const wasOpen = existing !== undefined && !isEnded(existing);
    const { node, halt } = executeTemplate(op, {
      nodeName,
      call: step,
      scope: work.inner,
      args: step.arguments ?? {},
      boundaryId,
      word: 'steps',
      ...(work.isOnExit ? { isOnExit: true } : {}),
    });
    if (node) {
      started.set(nodeName, step);
      addChild(group, node.id);
      if (wasOpen && isEnded(node)) isFull = false;
    } else {
      isHeldBack = true;
      isFull = halt?.kind === 'parallelism';
    }
    if (halt?.kind === 'timeout') {
      markPhase(op, group, 'Failed', halt.message);
      return undefined;
    }
    if (halt?.kind === 'error') {
      markError(op, group, `step group deemed errored due to child ${nodeName} error: ${halt.message}`);
      return undefined;
    }
  }
  return { steps: started, isHeldBack };
}

function finishGroup(op: Operation, run: Group, started: Started | undefined): void {
  if (!started) return;
  const { group, scope, work, boundaryId } = run;
  const children = childrenOf(op, group);
  let areDone = !started.isHeldBack;
  for (const node of children) {
    const call = started.steps.get(node.name) ?? {};
    const hooked = { node, call, word: 'steps', name: call.name ?? '', boundaryId, where: work.inner, scope } as const;
    scope.set(`steps.${node.displayName ?? ''}.status`, node.phase);
    if (!runHooks(op, hooked)) return;
    if (!isFulfilled(node)) areDone = false;
    else if (isCompleted(node) && exitHookOf(op, call) && !runExitHook(op, hooked)) areDone = false;
  }
  if (!areDone) {
    if (isFulfilled(group)) markPhase(op, group, 'Running');
    return;
  }
  const failed = children.find(
    (node) => isFailedOrError(node.phase) && !continuesOn(started.steps.get(node.name), node.phase === 'Failed'),
  );
  if (failed) markPhase(op, group, 'Failed', `child '${failed.id}' failed`);
  else markPhase(op, group, 'Succeeded');
}

export function continuesOn(call: TemplateCall | undefined, isFailure: boolean): boolean {
  return Boolean(isFailure ? call?.continueOn?.failed : call?.continueOn?.error);
}

/** Puts in what a step gave, for the groups after it. */
function addStep(
  op: Operation,
  {
    work,
    group,
    step,
    scope,
    boundaryId,
  }: { work: Work; group: NodeStatus; step: TemplateCall; scope: Scope; boundaryId: string },
): void {
  const name = step.name ?? '';
  const nodeName = `${group.name}.${name}`;
  const node = op.node(nodeName);
  if (node) {
    scope.addNode(op, 'steps', name, node);
    scope.addAbsent(op, { word: 'steps', name, node, call: step, scope: work.inner });
    return;
  }
  if (!isLoop(step)) return;
  const items = op
    .nodesWithin(boundaryId)
    .filter((item) => item.name.startsWith(`${nodeName}(`) && item.type !== 'Skipped');
  addAggregates(scope, { word: 'steps', name }, items);
  scope.addNode(op, 'steps', name, group);
}

function setOutbound(op: Operation, node: NodeStatus, groups: number): void {
  for (let index = groups - 1; index >= 0; index -= 1) {
    const group = op.node(`${node.name}[${index}]`);
    if (!group) continue;
    node.outboundNodes = (group.children ?? []).flatMap((child) => outboundNodes(op, child));
    return;
  }
}
