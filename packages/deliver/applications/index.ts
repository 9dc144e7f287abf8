export { ApplicationInformer } from './application-informer.ts';
export {
  type ApplicationsOptions,
  type ApplicationsRuntime,
  type SharedState,
  startApplications,
} from './applications.ts';
export { Backend } from './backend.ts';
export type { ClusterState } from './cluster-states.ts';
export { commaList } from './comma-list.ts';
export { comparisonSettings, type ResourceOverride } from './comparison-settings.ts';
export { ensureControlPlane } from './control-plane.ts';
export { enabledEvents } from './enabled-events.ts';
export { eventLabels } from './event-labels.ts';
export { type EffectiveProject, ProjectDirectory } from './project-directory.ts';
export { destinationDenial, sourceDenial, sourceNamespaceDenial } from './projects.ts';
export type { RenderAccount } from './render-history.ts';
export { RepositoryWatcher } from './repository-watcher.ts';
export type { SourceRepository } from './source-access.ts';
export { commitNotTrusted, integrityPolicy, signatureProblem, wantsSignatures } from './source-integrity.ts';
export { allSourcesOf, sourcesOf } from './source-of.ts';
export type { AccessRequest, SourceRequest } from './source-questions.ts';
export { blockingWindow, isActive, windowProblem, windowsOf } from './sync-windows.ts';
