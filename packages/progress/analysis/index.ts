export type { AnalysisContext } from './controller/pass.ts';
export { type AnalysisOptions, type AnalysisRuntime, startAnalysis } from './controller/start.ts';
export { analysisSteps } from './controller/steps.ts';
export { effectiveCount } from './decisions/limits.ts';
export { isCompleted, isTerminating, isWorse, lastMeasurement, resultOf, worstPhase } from './decisions/phases.ts';
export { resolveText, resolveWithoutSecrets } from './decisions/resolve-metric.ts';
export { analysisChecks } from './decisions/template-checks.ts';
export { matchRules, validateMetrics } from './decisions/validate.ts';
export { conditionHolds } from './evaluation/condition.ts';
export { analysisRunsToDelete } from './history.ts';
export { type AnalysisType, analysisLabels } from './labels.ts';
export { type BadVerdict, findingOf, verdictOf } from './model/finding.ts';
export type * from './model/types.ts';
export { type RolloutValues, rolloutArguments } from './owner-arguments.ts';
export type { Reading } from './providers/provider.ts';
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
