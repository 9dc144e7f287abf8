export type { BranchWrite, WrittenBranch } from './branch-writer.ts';
export { type CheckoutOptions, checkOut } from './checkout.ts';
export type { CommitInfo, Signature } from './commit.ts';
export type { SignatureResult, TrustedKeys, VerifiedCommit } from './commit-signature.ts';
export type { SigningKey } from './commit-signing.ts';
export {
  type Credentials,
  credentialKey,
  describeCredential,
  type GitHubApp,
  type Repository,
  readCredentials,
} from './credentials.ts';
export {
  GitRepositories,
  type GitRepositoriesOptions,
  type Resolved,
  type ResolveOptions,
  type WatchOptions,
} from './git-repositories.ts';
export {
  GitTree,
  normalize as normalizePath,
  type ObjectSource,
  type Observer,
  type PathEntry,
  type ReadOptions,
} from './git-tree.ts';
export { GitHubAppTokens } from './github-app.ts';
export type { LoggedCommit, Removal } from './history.ts';
export { type HttpAnswer, type HttpRequest, httpRequest } from './http-request.ts';
export type { LocalRepositories } from './local-folders.ts';
export { type ProxyFinding, proxyAnswered, proxyDown, tunnelStatus } from './proxy-failure.ts';
export type { RefTable } from './ref-table.ts';
export type { RefChange } from './ref-watch.ts';
export type { GitTimeouts, RemoteRequest } from './remote-request.ts';
export { normalizeRepositoryUrl, parseRepositoryUrl, type RepositoryUrl, type Transport } from './repository-url.ts';
export { isCommitSha, isConstraint, isInRange, nearest } from './revision.ts';
export { type ProxyHop, proxyHop } from './route.ts';
export { Constraint, compareVersions, parseVersion, type Version } from './semver.ts';
export type { RevisionSignature } from './signatures.ts';
export { readSshKeys } from './ssh-signature.ts';
export { templateFit } from './template-match.ts';
export type { EntryKind, Folder, TreeEntry } from './tree-cache.ts';
export type { ChangedPath } from './tree-diff.ts';
