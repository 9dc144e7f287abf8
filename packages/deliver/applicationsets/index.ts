export { ApplicationSetBackend, type Preview, type PreviewedApplication } from './backend.ts';
export type { GeneratedApplication, Generation } from './generate-applications.ts';
export { everyGenerator } from './generators/uses.ts';
export type { Origin } from './params/params.ts';
export { refreshAnnotation } from './reconciliation.ts';
export { type ApplicationSetsOptions, type ApplicationSetsRuntime, startApplicationSets } from './start.ts';
