import { eventFaults } from './event-faults.ts';
import type { FamilyFault } from './families.ts';
import { lateFamilyFaults } from './late-family-faults.ts';
import { rolloutFaults } from './rollout-faults.ts';
import { workflowFaults } from './workflow-faults.ts';

/** Rows of Events, Rollouts and Workflows. */
export const familyFaults: readonly FamilyFault[] = [
  ...eventFaults,
  ...rolloutFaults,
  ...workflowFaults,
  ...lateFamilyFaults,
];
