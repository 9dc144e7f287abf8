export * from './kinds.ts';
export * from './messages.ts';
export { workflowNames } from './workflows/workflow-names.ts';
export type * as flow from './workflows/index.ts';
