export { ApplicationSetBackend, type Preview, type PreviewedApplication } from './backend.ts';
export type { GeneratedApplication, Generation } from './generators/generate-applications.ts';
export { everyGenerator } from './generators/uses.ts';
export type { Origin } from './params/params.ts';
export { placeOf } from './scm/remarks/place.ts';
export { pullRequestRemarks } from './scm/remarks/pull-request-remarks.ts';
export {
  type CommitStatus,
  type NewPullRequest,
  type PullRequestRemarks,
  type RemarkHost,
  remarkHosts,
} from './scm/remarks/remarks.ts';
export { type ApplicationSetsOptions, type ApplicationSetsRuntime, startApplicationSets } from './start.ts';
export { refreshAnnotation } from './steps/reconciliation.ts';
