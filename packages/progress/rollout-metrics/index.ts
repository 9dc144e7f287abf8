export type { ShownObjects } from './gauges.ts';
export { type MeasuredKind, type RolloutDuration, RolloutMeasures } from './rollout-measures.ts';
