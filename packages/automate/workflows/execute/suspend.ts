import { goDurationOrSeconds } from '@tiphys/go';
import { anyText } from '../model/go-text.ts';
import { timeOf } from '../model/time.ts';
import type { NodeStatus, Outputs } from '../model/types.ts';
import { halted, type Outcome } from '../operation/halt.ts';
import { initTemplateNode, markPhase } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import type { Work } from './call.ts';
import { freshNode } from './execute-template.ts';

/** Waits until its time is over, if it has one, or until somebody resumes it. */
export function executeSuspend(op: Operation, work: Work): Outcome {
  let node = op.node(work.nodeName);
  if (!node) {
    node = initTemplateNode(op, work.template, freshNode(work, 'Pending'));
    offerChoices(node);
  }
  const { duration } = work.template.suspend ?? {};
  const length = duration ? goDurationOrSeconds(duration) : undefined;
  if (duration && length === undefined) return { node, halt: halted(`unable to parse ${duration} as a duration`) };
  const times = [op.workflowDeadline()];
  if (length !== undefined) {
    const end = (timeOf(node.startedAt) ?? op.now) + length;
    if (op.now > end) {
      const missing = supplyDefaults(node.outputs);
      if (missing) return { node, halt: halted(missing) };
      return { node: markPhase(op, node, 'Succeeded') };
    }
    times.push(end + 1);
  }
  for (const time of times) if (time !== undefined && time > op.now) op.requeueAfter(time - op.now);
  return { node: markPhase(op, node, 'Running') };
}

/** An input whose value is a parameter as JSON with an `enum` gives the form its choices. */
function offerChoices({ inputs }: NodeStatus): void {
  for (const parameter of inputs?.parameters ?? []) {
    if (parameter.value === undefined) continue;
    let given: unknown;
    try {
      given = JSON.parse(anyText(parameter.value));
    } catch {
      continue;
    }
    const choices = (given as { enum?: unknown } | null)?.enum;
    if (!Array.isArray(choices) || choices.length === 0) continue;
    parameter.enum = choices;
    parameter.default ??= choices[0];
  }
}

/** Gives what nobody supplied its default; tells which has none. */
export function supplyDefaults(outputs: Outputs | undefined): string | undefined {
  for (const parameter of outputs?.parameters ?? []) {
    if (!parameter.valueFrom?.supplied) continue;
    const { default: fallback } = parameter.valueFrom;
    if (fallback === undefined)
      return `raw output parameter '${parameter.name}' has not been set and does not have a default value`;
    parameter.value = fallback;
    delete parameter.valueFrom;
  }
  return undefined;
}
