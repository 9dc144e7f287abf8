export { type CheckoutOptions, checkOut } from './connect/checkout.ts';
export { type HttpAnswer, type HttpRequest, httpRequest } from './connect/http-request.ts';
export { type ProxyFinding, proxyAnswered, proxyDown, tunnelStatus } from './connect/proxy-failure.ts';
export { type ProxyHop, proxyHop } from './connect/route.ts';
export {
  GitRepositories,
  type GitRepositoriesOptions,
  type Resolved,
  type ResolveOptions,
  type WatchOptions,
} from './git-repositories.ts';
export type { LoggedCommit, Removal } from './mirror/history.ts';
export type { RefTable } from './refs/ref-table.ts';
export type { RefChange } from './refs/ref-watch.ts';
export { isCommitSha, isConstraint, isInRange, nearest } from './refs/revision.ts';
export {
  type Credentials,
  credentialKey,
  describeCredential,
  type GitHubApp,
  type Repository,
  readCredentials,
} from './repository/credentials.ts';
export type { LocalRepositories } from './repository/local-folders.ts';
export { type GitLimits, type GitTimeouts, type RemoteRequest, readFetchLimit } from './repository/remote-request.ts';
export {
  normalizeRepositoryUrl,
  parseRepositoryUrl,
  type RepositoryUrl,
  type Transport,
} from './repository/repository-url.ts';
export { templateFit } from './repository/template-match.ts';
export type { SignatureResult, TrustedKeys, VerifiedCommit } from './signatures/commit-signature.ts';
export type { SigningKey } from './signatures/commit-signing.ts';
export type { RevisionSignature } from './signatures/signatures.ts';
export { readSshKeys } from './signatures/ssh-signature.ts';
export { GitHubAppTokens } from './tokens/github-app.ts';
export type { CommitInfo, Signature } from './tree/commit.ts';
export {
  GitTree,
  normalize as normalizePath,
  type ObjectSource,
  type Observer,
  type PathEntry,
  type ReadOptions,
} from './tree/git-tree.ts';
export type { EntryKind, Folder, TreeEntry } from './tree/tree-cache.ts';
export type { ChangedPath } from './tree/tree-diff.ts';
export type { BranchWrite, WrittenBranch } from './write/branch-writer.ts';
