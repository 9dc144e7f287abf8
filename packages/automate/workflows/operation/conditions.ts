import type { WorkflowCondition } from '../model/types.ts';
import type { Operation } from './operation.ts';

/** Sets a condition in the place of one of its type. */
export function setCondition(op: Operation, condition: WorkflowCondition): void {
  op.status.conditions ??= [];
  const index = op.status.conditions.findIndex(({ type }) => type === condition.type);
  if (index < 0) op.status.conditions.push(condition);
  else op.status.conditions[index] = condition;
}
