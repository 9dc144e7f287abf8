export { ApplicationInformer, namespaceList } from './application-informer.ts';
export { type ApplicationsOptions, type ApplicationsRuntime, startApplications } from './applications.ts';
export { Backend } from './backend.ts';
export { comparisonSettings, type ResourceOverride } from './comparison-settings.ts';
export { ensureControlPlane } from './control-plane.ts';
export { eventLabels } from './event-labels.ts';
export { type EffectiveProject, ProjectDirectory } from './project-directory.ts';
export { destinationDenial, sourceDenial, sourceNamespaceDenial } from './projects.ts';
export { blockingWindow, isActive, windowProblem, windowsOf } from './sync-windows.ts';
