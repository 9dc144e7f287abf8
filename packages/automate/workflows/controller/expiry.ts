import { workflowNames } from '@tiphys/api';
import { isCompletedWorkflow } from '../model/phases.ts';
import { timeOf } from '../model/time.ts';
import type { Workflow } from '../model/types.ts';
import type { ControllerSettings } from './settings/controller-settings.ts';

/** When a finished workflow is to be deleted by its `ttlStrategy`, in milliseconds; undefined for never. */
export function expiresAt({ metadata, spec, status }: Workflow): number | undefined {
  const finished = timeOf(status?.finishedAt);
  const ttl = status?.storedWorkflowTemplateSpec?.ttlStrategy ?? spec.ttlStrategy;
  if (!ttl || finished === undefined || !isCompletedWorkflow(status?.phase)) return undefined;
  if (metadata.labels?.[workflowNames.labels.archiving] === 'Pending') return undefined;
  // an Error is no failure
  const own = new Map([
    ['Succeeded', ttl.secondsAfterSuccess],
    ['Failed', ttl.secondsAfterFailure],
  ]);
  const seconds = own.get(status?.phase ?? '') ?? ttl.secondsAfterCompletion;
  return seconds === undefined ? undefined : finished + seconds * 1000;
}

/** Finished workflows beyond what `retentionPolicy` keeps, oldest first. */
export function beyondRetention(workflows: Iterable<Workflow>, { retention }: ControllerSettings): Workflow[] {
  const kept: Record<string, number> = {
    Succeeded: retention.completed,
    Failed: retention.failed,
    Error: retention.errored,
  };
  const finished: Record<string, Workflow[]> = { Succeeded: [], Failed: [], Error: [] };
  for (const workflow of workflows) {
    const isPending = workflow.metadata.labels?.[workflowNames.labels.archiving] === 'Pending';
    if (!isPending && !workflow.metadata.deletionTimestamp) finished[workflow.status?.phase ?? '']?.push(workflow);
  }
  return Object.entries(finished).flatMap(([phase, list]) => {
    const limit = kept[phase] ?? 0;
    if (limit <= 0 || list.length <= limit) return [];
    return list
      .sort((a, b) => (timeOf(a.status?.finishedAt) ?? 0) - (timeOf(b.status?.finishedAt) ?? 0))
      .slice(0, list.length - limit);
  });
}
