/** A repository on a Git host, at one branch. */
export interface HostedRepository {
  readonly organization: string;
  readonly repository: string;
  readonly id: string | number;
  /** For cloning, by the protocol that was asked for. */
  readonly url: string;
  readonly branch: string;
  /** Commit of the branch; empty where the host does not say it with the rest. */
  readonly sha: string;
  readonly labels: readonly string[];
}

/** What SCM-provider generators ask of a Git host. */
export interface RepositoryHost {
  /** All repositories of the organization at their default branches. */
  repositories(): Promise<readonly HostedRepository[]>;
  /** The branches that are wanted of a repository, each as a repository of its own. */
  branches(repository: HostedRepository): Promise<readonly HostedRepository[]>;
  hasPath(repository: HostedRepository, path: string): Promise<boolean>;
}

export interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly branch: string;
  readonly targetBranch: string;
  readonly headSha: string;
  readonly labels: readonly string[];
  readonly author: string;
}

/** What pull-request generators ask: all that are open, or have the state that is wanted. Throws `ScmRepositoryNotFound`. */
export type PullRequestHost = () => Promise<readonly PullRequest[]>;
