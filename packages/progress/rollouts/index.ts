export { type RolloutsFamilyOptions, startRolloutsFamily } from './run/family.ts';
