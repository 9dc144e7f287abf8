import type { Budget } from '../bounds/budget.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { TracedText } from '../trace/traced-text.ts';
import type { Tracer } from '../trace/tracer.ts';
import type { FunctionMap } from '../value/function-spec.ts';

/** What a field of a map that has no such key is: no value, the zero of the element type, or an error. */
export type MissingKey = 'default' | 'zero' | 'error';

export interface ExecuteOptions {
  /** Functions besides Go's own (`builtinFunctions`), which are always there and may be overridden. */
  readonly functions?: FunctionMap;
  /** `default` if not given; Helm renders with `zero`, or `error` under lint's strict mode. */
  readonly missingKey?: MissingKey;
  /** A budget with the default limits if not given. */
  readonly budget?: Budget;
  /** `freshRecorder()` if not given. */
  readonly recorder?: Recorder;
  /** Handed to functions as `context.host`. */
  readonly host?: unknown;
  /** Follow values into the output. */
  readonly trace?: TraceOptions;
}

export interface TraceOptions {
  /** One for all executions that share data, because templates may change it. */
  readonly tracer: Tracer;
  /** What origins call the data; empty if not given. */
  readonly scope?: string;
}

export interface Executed {
  /** The output. Bytes that are not valid UTF-8 are lone surrogates; `toBytes` gives the exact bytes. */
  readonly text: string;
  /** In trace mode: what the output is made of. */
  readonly trace?: TracedText;
}
