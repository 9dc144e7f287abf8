export { analysisRunsToDelete } from './history.ts';
export { type AnalysisType, analysisLabels } from './labels.ts';
export { type RolloutValues, rolloutArguments } from './owner-arguments.ts';
export { isCompleted, isTerminating, isWorse, lastMeasurement, resultOf, worstPhase } from './phases.ts';
export {
  analysisRunFromTemplates,
  controllerUid,
  type FindTemplate,
  flattenTemplates,
  gatherTemplates,
  isSameAnalysis,
  mergeArguments,
  type NewAnalysisRun,
  type TemplateSet,
  uniqueTemplates,
} from './templates.ts';
export type * from './types.ts';
