export * from './kinds.ts';
export * from './messages.ts';
export * from './rollouts/index.ts';
