export { type ApplicationsOptions, type ApplicationsRuntime, startApplications } from './applications.ts';
export { Backend } from './backend.ts';
export { ensureControlPlane } from './control-plane.ts';
export { blockingWindow, isActive, windowProblem, windowsOf } from './sync-windows.ts';
