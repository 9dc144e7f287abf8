import { goDurationOrSeconds } from '@tiphys/go';
import { templateType } from '../model/template-type.ts';
import { timeOf } from '../model/time.ts';
import type { NodeStatus, NodeType, Template } from '../model/types.ts';
import type { Halt } from './halt.ts';
import type { Operation } from './operation.ts';

const timeout: Halt = { kind: 'timeout', message: 'timeout' };

/** What a node of a template is, when it has no retry strategy. */
export function nodeTypeOf(template: Template): NodeType {
  switch (templateType(template)) {
    case 'steps':
      return 'Steps';
    case 'dag':
      return 'DAG';
    case 'suspend':
      return 'Suspend';
    case 'http':
      return 'HTTP';
    case 'plugin':
      return 'Plugin';
    default:
      return 'Pod';
  }
}

/** When a template's `timeout` ends, in milliseconds; undefined for none. */
export function timeoutDeadline(template: Template, node: NodeStatus): number | undefined {
  const started = timeOf(node.startedAt);
  const length = template.timeout ? goDurationOrSeconds(template.timeout) : undefined;
  return started === undefined || length === undefined ? undefined : started + length;
}

/** Tells of a node that has waited longer than `timeout` or `pendingTimeout` allow; otherwise plans to look again at that time. */
export function timeLimits(op: Operation, template: Template, node: NodeStatus): Halt | undefined {
  const deadline = timeoutDeadline(template, node);
  const pending =
    template.pendingTimeout && node.phase === 'Pending'
      ? timeoutDeadline({ timeout: template.pendingTimeout }, node)
      : undefined;
  const isPending = node.phase === 'Pending';
  for (const limit of [deadline, pending]) {
    if (limit === undefined) continue;
    if (isPending && op.now > limit) return timeout;
    // one millisecond more: at the very time nothing is late yet
    if (op.now <= limit) op.requeueAfter(limit - op.now + 1);
  }
  return undefined;
}
