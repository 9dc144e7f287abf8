import { clientCases } from './client-cases.ts';
import { type CommandCase, commandCases } from './command-cases.ts';
import { descriptionCases } from './description-cases.ts';
import { nodeCases } from './node-cases.ts';
import { workloadCases } from './workload-cases.ts';

/** The whole table. */
export const allCases: readonly CommandCase[] = [
  ...commandCases,
  ...workloadCases,
  ...descriptionCases,
  ...nodeCases,
  ...clientCases,
];
