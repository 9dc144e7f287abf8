export type * from './experiment-types.ts';
export * as rolloutNames from './names.ts';
export type * from './rollout-spec.ts';
export type * from './rollout-status.ts';
export type * from './rollout-types.ts';
export type * from './shared-types.ts';
export type * from './traffic-routing.ts';
