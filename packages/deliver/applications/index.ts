export { ApplicationInformer } from './application-informer.ts';
export { type ApplicationsRuntime, type SharedState, startApplications } from './applications.ts';
export { Backend } from './backend.ts';
export { inClusterServer } from './clusters/cluster-registry.ts';
export type { ClusterState } from './clusters/cluster-states.ts';
export { ensureControlPlane } from './control-plane.ts';
export type { ApplicationsOptions } from './options.ts';
export { type EffectiveProject, ProjectDirectory } from './projects/project-directory.ts';
export { destinationDenial, objectDenial, sourceDenial, sourceNamespaceDenial } from './projects/projects.ts';
export {
  blockingWindow,
  isActive,
  syncBlock,
  windowOpenings,
  windowProblem,
  windowsOf,
} from './projects/sync-windows.ts';
export type { GuardedStep, GuardVerdict, OperationGuard } from './reconciliation/operation-guard.ts';
export {
  type QuarantinedRevision,
  quarantine,
  quarantinedAs,
  quarantineOf,
  releaseFromQuarantine,
} from './reconciliation/quarantine.ts';
export { shownStatus } from './reconciliation/shown-status.ts';
export { RepositoryWatcher } from './repositories/repository-watcher.ts';
export { commaList } from './settings/comma-list.ts';
export { comparisonSettings, type ResourceOverride } from './settings/comparison-settings.ts';
export { enabledEvents } from './settings/enabled-events.ts';
export { eventLabels } from './settings/event-labels.ts';
export { namespaceLists, readNamespaceList } from './settings/namespace-list.ts';
export type { RenderAccount } from './sources/render-history.ts';
export type { SourceRepository } from './sources/source-access.ts';
export type { SourceBranch } from './sources/source-branch.ts';
export {
  commitNotTrusted,
  integrityPolicy,
  type SignatureAccount,
  signatureProblem,
  wantsSignatures,
} from './sources/source-integrity.ts';
export type { AccessRequest, SourceFile, SourceRequest } from './sources/source-questions.ts';
export { trustedKeys } from './sources/trusted-keys.ts';
export { allSourcesOf, manifestSourcesOf, revisionsOf, sourcesOf } from './spec/source-of.ts';
