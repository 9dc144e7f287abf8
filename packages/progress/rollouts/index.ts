export { type RolloutsFamilyOptions, startRolloutsFamily } from './run/family.ts';
export {
  type SimulationOptions,
  simulateRollout,
  type Timeline,
  type TimelineEntry,
} from './simulate/simulate-rollout.ts';
export { type Description, describeExperiment, describeRollout } from './verbs/describe.ts';
export type { Relatives, TreeRow } from './verbs/family-tree.ts';
export { type Lint, lintRollouts } from './verbs/lint.ts';
export { columnsText, experimentColumns, experimentRow, rolloutColumns, rolloutRow } from './verbs/list-rows.ts';
export {
  abortPatch,
  type Promotion,
  pausePatch,
  promotionPatches,
  restartPatch,
  retryExperimentPatch,
  retryRolloutPatch,
  terminatePatch,
  type VerbPatch,
} from './verbs/patches.ts';
export { type RolloutInfo, rolloutInfo } from './verbs/rollout-info.ts';
export { type RunOfTemplate, runOfTemplate } from './verbs/run-of-template.ts';
export {
  createOfRollouts,
  promoteRollout,
  sendPatches,
  setImage,
  undoRollout,
  type VerbTarget,
} from './verbs/run-verbs.ts';
export { phaseLine, shownPhase } from './verbs/shown-phase.ts';
