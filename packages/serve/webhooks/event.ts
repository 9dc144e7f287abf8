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
  readonly sender: 'github' | 'gitlab' | 'azuredevops';
  /** Of the API (GitHub) or the page (GitLab); empty where it does not count. */
  readonly hostname: string;
  /** Owner (GitHub) or project (Azure DevOps); empty for GitLab. */
  readonly owner: string;
  /** Names of the repository: for GitLab its number and its path with the group. */
  readonly repositories: readonly string[];
}

export type WebhookEvent = PushEvent | RegistryEvent | PullRequestEvent;
