export type { ActionContext, ActionEffect, ActionInfo } from './actions/action.ts';
export { ResourceActions } from './actions/resource-actions.ts';
export type { ActionSetting } from './actions/scripted-actions.ts';
export { annotationProblems, generatedNameProblem, selfDeletingProblem } from './annotation-problems.ts';
export { type CacheSettings, defaultExclusions, type ResourceFilter } from './cache/cache-settings.ts';
export type { CachedNode } from './cache/cached-node.ts';
export type { CacheChange } from './cache/change-feed.ts';
export { type CacheInfo, type CacheOptions, CacheStopped, ClusterCache } from './cache/cluster-cache.ts';
export { compare } from './compare/compare.ts';
export { compareByServer } from './compare/compare-by-server.ts';
export { contestedReplicas } from './compare/contested-replicas.ts';
export { explainComparison } from './compare/explain-comparison.ts';
export { isIgnoredUpdate } from './compare/ignored-update.ts';
export type {
  CompareOptions,
  CompareRequest,
  Comparison,
  ComparisonConditionType,
} from './difference/comparison.ts';
export { prepareDesired } from './difference/desired-state.ts';
export { compileIgnoreRules, type IgnoreRule, type IgnoreRules } from './difference/ignore-rules.ts';
export { isKnownType, type KnownTypeField } from './difference/known-types.ts';
export { leafDiagnosis, withCause, withKnownCause } from './explain/explain-health.ts';
export type { ObjectCheck } from './explain/notice.ts';
export { objectNotices } from './explain/object-notices.ts';
export { removedKinds } from './explain/removed-kinds.ts';
export { aggregateHealth } from './health/aggregate.ts';
export { type HealthContext, isWorse } from './health/health.ts';
export { type HealthScript, ScriptedHealth } from './health/scripted-health.ts';
export { annotationNames, hookFinalizer, syncFieldManager } from './model/annotations.ts';
export { deletePoliciesOf, hookTypesOf, isHook, isSkipped, waveOf } from './model/hooks.ts';
export type {
  ComparedResource,
  DesiredObject,
  Difference,
  GeneratedField,
  Health,
  HealthCode,
  HookType,
  Host,
  OperationPhase,
  Origin,
  ResultCode,
  SyncCode,
  Tracking,
  TrackingMethod,
  TreeNode,
} from './model/model.ts';
export { isLive } from './model/model.ts';
export { isSecret, maskSecret, maskSecrets } from './model/secret-mask.ts';
export { owningInstance, parseTrackingId, setTracking, type TrackingRule, trackingId } from './model/tracking.ts';
export { manifestDigest } from './sync/apply/server-warnings.ts';
export { versionChangeProblems } from './sync/apply/version-change.ts';
export {
  type CascadeRequest,
  type CascadeResult,
  deleteCascade,
  type RemainingObject,
} from './sync/deletion/delete-cascade.ts';
export { type DeleteHooksRequest, type DeleteHooksResult, stepDeleteHooks } from './sync/deletion/delete-hooks.ts';
export { executeSync } from './sync/execute-sync.ts';
export type {
  ResourceResult,
  ServerWarning,
  SyncAction,
  SyncFinding,
  SyncOptions,
  SyncOutcome,
  SyncPhase,
  SyncPlan,
  SyncState,
  SyncTask,
  WrittenManifest,
} from './sync/model.ts';
export { isOwnPart } from './sync/plan/own-parts.ts';
export { type PlanEffect, type PlanRow, planRows, planWords } from './sync/plan/plan-rows.ts';
export { describePlan, planSync } from './sync/plan/plan-sync.ts';
export { type SyncOption, type SyncOptionScope, syncOptionTable } from './sync/plan/sync-options.ts';
export type { StepRequest } from './sync/step-request.ts';
export { stepSync } from './sync/step-sync.ts';
export { terminateSync } from './sync/terminate-sync.ts';
