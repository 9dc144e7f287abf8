export { unpackNodes } from './controller/nodes-codec.ts';
export { startWorkflowsFamily, type WorkflowsFamilyOptions } from './family.ts';
export { lintFiles } from './lint/lint-files.ts';
export { simulateFile } from './simulate/simulate-file.ts';
export { describeWorkflow, workflowsIn } from './verbs/describe.ts';
export { resubmitted } from './verbs/resubmit.ts';
export { retried } from './verbs/retry.ts';
export { resumed, withNodesSet } from './verbs/set-nodes.ts';
export { submitted } from './verbs/submit.ts';
