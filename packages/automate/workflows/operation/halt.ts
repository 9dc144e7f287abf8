import type { NodeStatus } from '../model/types.ts';

/**
 * Why a template was not run to an end in this decision. `parallelism` waits for other nodes; `timeout` and `depth` are limits that
 * were passed; `error` is anything else, which the node shows already.
 */
export interface Halt {
  readonly kind: 'parallelism' | 'timeout' | 'depth' | 'error';
  readonly message: string;
}

export interface Outcome {
  readonly node?: NodeStatus | undefined;
  readonly halt?: Halt | undefined;
}

/** A template, argument or reference that is wrong; the message is what the node shows. */
export class OperationError extends Error {
  override name = 'OperationError';
}

export function halted(message: string): Halt {
  return { kind: 'error', message };
}
