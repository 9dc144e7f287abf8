import { isActiveSuspend } from '../model/phases.ts';
import { timestamp } from '../model/time.ts';
import type { NodePhase, NodeStatus, Parameter, Workflow } from '../model/types.ts';
import { nodeSelector } from './node-selector.ts';
import { VerbError } from './submit.ts';

export interface NodeChange {
  readonly selector?: string;
  readonly phase?: NodePhase;
  readonly message?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly now: number;
}

/** The workflow with its waiting suspend nodes changed: how people resume, fail or answer them. Throws a `VerbError`. */
export function withNodesSet(workflow: Workflow, change: NodeChange): Workflow {
  const copy = structuredClone(workflow);
  const isWanted = change.selector ? nodeSelector(change.selector) : () => true;
  const nodes = Object.values(copy.status?.nodes ?? {}).filter((node) => isActiveSuspend(node) && isWanted(node));
  if (nodes.length === 0)
    throw new VerbError(
      `currently, set only targets suspend nodes: no suspend nodes matching nodeFieldSelector: ${change.selector ?? ''}`,
    );
  for (const node of nodes) {
    setOutputs(copy, node, change.outputs ?? {});
    if (change.message) node.message = change.message;
    if (!change.phase) continue;
    if (change.phase === 'Succeeded') supplyDefaults(node);
    node.phase = change.phase;
    if (change.phase !== 'Running' && change.phase !== 'Pending') node.finishedAt = timestamp(change.now);
  }
  return copy;
}

/**
 * The workflow resumed: not suspended any more, and all waiting nodes ended well. What they said stays, with `message` behind it.
 * A workflow that does not wait stays as it is.
 */
export function resumed(workflow: Workflow, { now, message = '' }: { now: number; message?: string }): Workflow {
  const copy = structuredClone(workflow);
  delete copy.spec.suspend;
  const waiting = Object.values(copy.status?.nodes ?? {}).filter(isActiveSuspend);
  for (const node of waiting) {
    supplyDefaults(node);
    node.phase = 'Succeeded';
    node.finishedAt = timestamp(now);
    if (message) node.message = node.message ? `${node.message}; ${message}` : message;
  }
  return copy;
}

/** True if resuming the workflow would change it. */
export function waits({ spec, status }: Workflow): boolean {
  return spec.suspend === true || Object.values(status?.nodes ?? {}).some(isActiveSuspend);
}

function setOutputs(workflow: Workflow, node: NodeStatus, outputs: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(outputs)) {
    const parameter = node.outputs?.parameters?.find((candidate) => candidate.name === name);
    if (!node.outputs)
      throw new VerbError('cannot set output parameters because node is not expecting any raw parameters');
    if (!parameter) throw new VerbError(`node is not expecting output parameter '${name}'`);
    if (!parameter.valueFrom?.supplied)
      throw new VerbError(
        `cannot set output parameter '${name}' because it does not use valueFrom.raw or it was already set`,
      );
    parameter.value = value;
    delete parameter.valueFrom;
    publish(workflow, parameter);
  }
}

function publish({ status }: Workflow, { globalName, value }: Parameter): void {
  if (!globalName || !status || value === undefined) return;
  status.outputs ??= {};
  const others = (status.outputs.parameters ?? []).filter(({ name }) => name !== globalName);
  status.outputs.parameters = [...others, { name: globalName, value }];
}

function supplyDefaults({ outputs }: NodeStatus): void {
  for (const parameter of outputs?.parameters ?? []) {
    if (!parameter.valueFrom?.supplied) continue;
    if (parameter.valueFrom.default === undefined)
      throw new VerbError(
        `raw output parameter '${parameter.name}' has not been set and does not have a default value`,
      );
    parameter.value = parameter.valueFrom.default;
    delete parameter.valueFrom;
  }
}
