export { type AuditCall, auditCalls, auditLines } from './calls/audit-events.ts';
export { auditFile } from './calls/audit-file.ts';
export { countCalls } from './calls/callers.ts';
export { RecordedCalls } from './calls/recorded-calls.ts';
export type { ApiUse, Caller, LineChange, Origin } from './find/finding.ts';
export { usesInGit, worktreeOf } from './find/in-git.ts';
export { usesInText } from './find/in-text.ts';
export { usesInObjects } from './find/rendered.ts';
export { withChanges } from './fix/changes.ts';
export { type ChangedFile, commitFiles } from './fix/commit.ts';
export { type Fix, fixText } from './fix/fix.ts';
export { patchOf } from './fix/patch.ts';
export {
  type CustomLives,
  parseRelease,
  type Release,
  verdictOf,
  verdictOfRecorded,
  warningOf,
} from './knowledge/api-life.ts';
export { customLives, definitionsOf } from './knowledge/custom-lives.ts';
export { checkCluster, failingApplications, type UpgradeReport, upgradeReport, useDiagnosis } from './report.ts';
