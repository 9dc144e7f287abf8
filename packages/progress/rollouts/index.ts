export { type RolloutsFamilyOptions, startRolloutsFamily } from './run/family.ts';
export {
  type SimulationOptions,
  simulateRollout,
  type Timeline,
  type TimelineEntry,
} from './simulate/simulate-rollout.ts';
