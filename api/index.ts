export * from './kinds.ts';
export * from './messages.ts';
