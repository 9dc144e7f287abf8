import type { ApiAccess } from '../host-api.ts';

export type Credentials = ApiAccess['credentials'];

/** Hosts whose pull requests can be written to, as announcements name them. */
export const remarkHosts = ['github', 'gitlab', 'gitea', 'bitbucket', 'bitbucketserver', 'azuredevops'] as const;
export type RemarkHost = (typeof remarkHosts)[number];

export interface RemarkPlace {
  readonly host: RemarkHost;
  /** As sources name it, by HTTP or SSH: the API is asked at the same host, whatever an announcement says. */
  readonly repoURL: string;
  /** The repository with the names of its owners; `PROJECT/REPOSITORY` of Azure DevOps and Bitbucket Server. */
  readonly repository: string;
}

export interface CommitStatus {
  readonly state: 'success' | 'failure';
  /** What it is the status of. */
  readonly context: string;
  readonly description: string;
}

/** The commit that a pull request is about. */
export interface Remarked {
  readonly number: number;
  readonly commit: string;
}

export interface NewPullRequest {
  readonly title: string;
  readonly body: string;
  /** Branches of the same repository: that with the commits, and that to merge into. */
  readonly head: string;
  readonly base: string;
}

/** What comments of a host may look like. */
export interface CommentStyle {
  /** Characters that a comment may have. */
  readonly most: number;
  /** Whether parts can be folded (`<details>`). */
  readonly folds: boolean;
}

/** What can be written to a pull request and to its newest commit. */
export interface PullRequestRemarks {
  readonly style: CommentStyle;
  /**
   * The whole id of the commit that is to be merged; undefined if it is of another repository. Hosts whose announcements
   * say both are not asked.
   */
  commit(pullRequest: Remarked): Promise<string | undefined>;
  /** Writes the own comment of this name anew, or the first one. */
  comment(number: number, name: string, text: string): Promise<void>;
  status(pullRequest: Remarked, status: CommitStatus): Promise<void>;
  /** Opens one; resolves with the address of its page. */
  open(wanted: NewPullRequest): Promise<string>;
}

/** Headers of requests with a body. */
export const json = { 'content-type': 'application/json' };

/** A mark that no reader sees, where a host hides comments of HTML. */
export function hiddenMark(name: string): string {
  return `<!-- ${name} -->`;
}

/** A mark where nothing can be hidden: a heading. */
export function shownMark(name: string): string {
  return `**${name}**`;
}
