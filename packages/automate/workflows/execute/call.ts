import type { Arguments, NodeStatus, Template, TemplateCall } from '../model/types.ts';
import type { TemplateScope } from '../operation/templates.ts';

/** One use of a template, as a node. */
export interface Call {
  readonly nodeName: string;
  readonly call: TemplateCall;
  /** Where the call was written. */
  readonly scope: TemplateScope;
  readonly args: Arguments;
  /** Id of the node whose template holds the call; empty for the entrypoint. */
  readonly boundaryId: string;
  readonly isOnExit?: boolean;
  /** `steps` or `tasks` for steps and tasks: which of `steps.name` and `tasks.name` exists; absent for the entrypoint and hooks. */
  readonly word?: 'steps' | 'tasks';
  readonly flag?: NodeStatus['nodeFlag'];
  /** When attempts of a retry must have ended, in milliseconds. */
  readonly deadline?: number | undefined;
}

/** A call with its template resolved and filled in, ready to run as a node of this name. */
export interface Work extends Call {
  readonly template: Template;
  /** Where the template itself looks up names. */
  readonly inner: TemplateScope;
}
