import type { Outputs } from '../pod/template.ts';

/** How a task of the agent ended; without a phase it goes on. */
export interface NodeResult {
  readonly phase?: 'Succeeded' | 'Failed' | 'Error' | 'Running' | 'Pending';
  readonly message?: string;
  readonly outputs?: Outputs;
  readonly progress?: string;
}
