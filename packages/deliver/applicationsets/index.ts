export { ApplicationSetBackend, type Preview, type PreviewedApplication } from './backend.ts';
export type { GeneratedApplication, Generation } from './generators/generate-applications.ts';
export { everyGenerator } from './generators/uses.ts';
export type { Origin } from './params/params.ts';
export { type CommitStatus, type PullRequestRemarks, pullRequestRemarks, type RemarkHost } from './scm/remarks.ts';
export { type ApplicationSetsOptions, type ApplicationSetsRuntime, startApplicationSets } from './start.ts';
export { refreshAnnotation } from './steps/reconciliation.ts';
