import type { Budget } from '../bounds/budget.ts';
import type { CallRoute, Recorder } from '../recorder/recorder.ts';
import type { FunctionMap } from './function-spec.ts';
import type { TemplateSet } from './template-set.ts';
import type { CallTrace } from './trace/call-trace.ts';
import type { Value } from './value.ts';

/** Where a function is being called. */
export interface CallSite {
  readonly template: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based, in bytes, as Go prints it. */
  readonly column: number;
  /** The name under which it was called. */
  readonly name: string;
}

/** What a template function can see of the execution that calls it. */
export interface CallContext {
  /** The templates that the running one is associated with. */
  readonly set: TemplateSet;
  readonly functions: FunctionMap;
  readonly budget: Budget;
  readonly recorder: Recorder;
  /** Whatever the caller of `execute` put there; Helm's engine keeps its render here. */
  readonly host: unknown;
  /** The call that is under way. */
  site(): CallSite;
  /** How the execution came to the call. */
  route(): CallRoute;
  /**
   * Executes a template into a string, as Go's ExecuteTemplate does: errors propagate with their own positions.
   * `set` is the running one unless given (for `tpl`).
   */
  executeTemplate(name: string, data: Value, set?: TemplateSet): string;
  /** Trace mode: what the arguments of the call under way and its result are made of; undefined when off. */
  readonly trace: CallTrace | undefined;
}
