/** A ref of a Git repository moved. */
export interface PushEvent {
  readonly kind: 'push';
  /** Addresses under which the sender knows the repository: of its page, or to clone it. */
  readonly urls: readonly string[];
  /** Branch or tag without `refs/heads/` or `refs/tags/`. */
  readonly revision: string;
  /** Whether it is the default branch; true where the sender does not say. */
  readonly touchedHead: boolean;
  /** Files that the commits touch; empty where the sender does not say. */
  readonly changedFiles: readonly string[];
}

/** A tag of an OCI registry was pushed. */
export interface RegistryEvent {
  readonly kind: 'registry';
  /** Host, such as `ghcr.io`. */
  readonly registry: string;
  /** `owner/name` */
  readonly repository: string;
  readonly tag: string;
}

/** A pull request came, went or changed. */
export interface PullRequestEvent {
  readonly kind: 'pull-request';
  readonly sender: 'github' | 'gitlab' | 'gitea' | 'azuredevops' | 'bitbucket' | 'bitbucketserver';
  /** Of the API (GitHub, Gitea) or the page (GitLab); empty where it does not count. */
  readonly hostname: string;
  /** Owner (GitHub) or project (Azure DevOps, Bitbucket); empty for GitLab. */
  readonly owner: string;
  /** Names of the repository: for GitLab its number and its path with the group. */
  readonly repositories: readonly string[];
  /** The commits that it is about now; absent where the sender says that they did not change. */
  readonly proposal?: Proposal;
}

/** What is to be merged, and where. */
export interface Proposal {
  readonly number: number;
  /** The repository with the names of its owners, as in its address. */
  readonly repository: string;
  /** Addresses under which the sender knows the repository. */
  readonly urls: readonly string[];
  /** Branch that is merged into. */
  readonly base: string;
  /** Commit that is to be merged; of Bitbucket Cloud the first characters. */
  readonly head: string;
  /** Whether the sender says that the commit is of another repository, so that people who may not push here have written it. */
  readonly foreign: boolean;
}

export type WebhookEvent = PushEvent | RegistryEvent | PullRequestEvent;
