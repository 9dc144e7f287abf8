import { isCompleted, isFulfilled } from '../model/phases.ts';
import type { Arguments, LifecycleHook, NodeStatus, TemplateCall } from '../model/types.ts';
import { OperationError } from '../operation/halt.ts';
import { addChild, lastAttemptOf, markError } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import type { TemplateScope } from '../operation/templates.ts';
import { expressionHolds } from '../text/expression.ts';
import { substitute } from '../text/substitute.ts';
import { resolveArtifact } from '../values/references.ts';
import type { NodeWord, Scope } from '../values/scope.ts';
import { executeTemplate, rethrowForeign } from './execute-template.ts';

/** A step or task whose hooks are looked at, and what they can see. */
export interface Hooked {
  readonly node: NodeStatus;
  readonly call: TemplateCall;
  readonly word: NodeWord;
  /** What the node is called in names of variables. */
  readonly name: string;
  readonly boundaryId: string;
  /** Where the call was written. */
  readonly where: TemplateScope;
  readonly scope: Scope;
}

/** The exit handler of a step or task; `onExit` gets the workflow's arguments. */
export function exitHookOf(op: Operation, { onExit, hooks }: TemplateCall): LifecycleHook | undefined {
  const args = op.spec.arguments ?? {};
  if (onExit) return { template: onExit, arguments: args };
  const hook = hooks?.exit;
  return hook && (isEmpty(hook.arguments) ? { ...hook, arguments: args } : hook);
}

function isEmpty(args: Arguments | undefined): boolean {
  return !args?.parameters?.length && !args?.artifacts?.length;
}

/** Runs the hooks of a node whose time has come. True once all that began have ended. */
export function runHooks(op: Operation, hooked: Hooked): boolean {
  const { call, node, scope, word, name } = hooked;
  const hooks = Object.entries(call.hooks ?? {}).filter(([hook]) => hook !== 'exit');
  if (hooks.length === 0) return true;
  scope.set(`${word}.${name}.status`, node.phase);
  let areDone = true;
  for (const [hookName, hook] of hooks) {
    const nodeName = `${node.name}.hooks.${hookName}`;
    if (!hook.expression) throw new OperationError(`Expression required for hook ${nodeName}`);
    const isDue = expressionHolds(hook.expression, scope.texts(op.globals));
    if (!isDue && !op.node(nodeName)) continue;
    const ran = runHook(op, hooked, { hook, nodeName, isExit: false });
    if (!ran || !isFulfilled(ran)) areDone = false;
  }
  return areDone;
}

/** Runs the exit handler of a node that has ended. True unless there is one that has not ended. */
export function runExitHook(op: Operation, hooked: Hooked): boolean {
  const { node, call, scope, word, name } = hooked;
  const hook = exitHookOf(op, call);
  if (!hook || !isCompleted(node) || !op.mayRun(true)) return true;
  scope.set(`${word}.${name}.status`, node.phase);
  if (hook.expression && !expressionHolds(hook.expression, scope.texts(op.globals))) return true;
  const ran = runHook(op, hooked, { hook, nodeName: `${node.name}.onExit`, isExit: true });
  return ran !== undefined && isFulfilled(ran);
}

interface HookRun {
  readonly hook: LifecycleHook;
  readonly nodeName: string;
  readonly isExit: boolean;
}

function runHook(op: Operation, hooked: Hooked, { hook, nodeName, isExit }: HookRun): NodeStatus | undefined {
  const { node, boundaryId, where } = hooked;
  const { node: ran } = executeTemplate(op, {
    nodeName,
    call: {
      ...(hook.template ? { template: hook.template } : {}),
      ...(hook.templateRef ? { templateRef: hook.templateRef } : {}),
    },
    scope: where,
    args: hookArguments(op, hooked, hook.arguments ?? {}),
    boundaryId,
    isOnExit: isExit,
    flag: { hooked: true },
  });
  if (op.node(nodeName)) addChild(node, op.idOf(nodeName));
  return ran;
}

function hookArguments(op: Operation, { node, scope, word, name }: Hooked, args: Arguments): Arguments {
  if (isEmpty(args)) return args;
  const outputs = (lastAttemptOf(op, node) ?? node).outputs;
  scope.addOutputs(`${word}.${name}`, outputs);
  const filled = substitute(scope.withoutAbsent(args), scope.texts(op.globals));
  const artifacts = filled.artifacts?.flatMap((artifact) => resolveArtifact(artifact, scope));
  return artifacts ? { ...filled, artifacts } : filled;
}

/** Hooks of a node, and its exit handler once it has ended; what goes wrong shows on the node given. True once all is done. */
export function runAllHooks(op: Operation, hooked: Hooked, owner: NodeStatus): boolean {
  try {
    return runHooks(op, hooked) && runExitHook(op, hooked);
  } catch (error) {
    rethrowForeign(error);
    markError(op, owner, (error as Error).message);
    return false;
  }
}
