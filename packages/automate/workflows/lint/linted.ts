import type { Template, WorkflowSpec } from '../model/types.ts';
import type { Path } from './finding.ts';

/** An object that workflows come from, as somebody wrote it: any of it may have another shape. */
export interface Linted {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly generateName?: string };
  readonly spec?:
    | (WorkflowSpec & { readonly workflowSpec?: WorkflowSpec; readonly schedules?: readonly string[] })
    | null;
}

export const lintedKinds = ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'];

/** The spec of the workflow itself. */
export function workflowSpecOf({ kind, spec }: Linted): WorkflowSpec {
  return (kind === 'CronWorkflow' ? spec?.workflowSpec : spec) ?? {};
}

/** Where a path into the spec of the workflow leads in the object. */
export function pathInObject({ kind }: Linted, path: Path): Path {
  return kind === 'CronWorkflow' ? ['spec', 'workflowSpec', ...path.slice(1)] : path;
}

/** The templates that others may call. */
export function templatesOf({ spec }: Linted): readonly Template[] {
  return Array.isArray(spec?.templates) ? spec.templates : [];
}
