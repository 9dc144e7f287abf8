export * from './kinds.ts';
export * from './messages.ts';
export * from './rollouts/index.ts';
export type * as flow from './workflows/index.ts';
export { workflowNames } from './workflows/workflow-names.ts';
