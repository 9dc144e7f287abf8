import type { Params } from '../params/params.ts';
import type { Generated } from './generator.ts';

/** How a matrix or a merge evaluates what it combines. */
export interface Combination {
  readonly field: string;
  /** How many generators there are. */
  readonly count: number;
  readonly goTemplate: boolean;
  /** What the generator at an index says, filled with the parameters of an outer one if there are some. */
  inner(index: number, outer?: Params): Promise<Generated>;
}
