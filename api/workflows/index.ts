export type * from './workflow-status.ts';
export type * from './workflow-types.ts';
