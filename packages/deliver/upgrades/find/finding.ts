import type { ApiLife } from '../knowledge/api-life.ts';

/** Where the use of an API was found. */
export type Origin = 'git' | 'rendered' | 'live' | 'stored' | 'call';

/** A use of an API that the target release removes or deprecates, with who and where. */
export interface ApiUse {
  readonly origin: Origin;
  readonly api: ApiLife;
  readonly state: 'removed' | 'deprecated';
  /** `Kind namespace/name`, as far as it is known. */
  readonly object?: string;
  /** Of a repository or chart. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** Who wrote that line, and in which commit. */
  readonly commit?: { readonly revision: string; readonly author: string; readonly at: string };
  /** `namespace/name` of the Application that delivers the object or runs the caller. */
  readonly application?: string;
  /** `name-version` of the chart that it came with. */
  readonly chart?: string;
  /** Field manager that writes the object by this version; `last-applied` for kubectl's annotation. */
  readonly manager?: string;
  /** When that was, or the caller was last seen; ISO 8601. */
  readonly at?: string;
  readonly caller?: Caller;
  /** URL of the cluster that was called, where that is not the control plane's own. */
  readonly cluster?: string;
  /** The line that changes, where that is all; with the patch of its file as `git apply` takes it. */
  readonly change?: LineChange & { readonly patch: string };
  /** Why no program should change it. */
  readonly byHand?: string;
  /** Newest version of the chart, and whether what it renders to is without this use. */
  readonly newerChart?: { readonly version: string; readonly mends: boolean };
}

/** One line of a file that changes. */
export interface LineChange {
  /** 1-based. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** Who calls an API. */
export interface Caller {
  readonly userAgent: string;
  readonly user: string;
  readonly verbs: readonly string[];
  readonly count: number;
  readonly first: string;
  readonly last: string;
  /** `namespace/name`. */
  readonly pod?: string;
  /** `Kind namespace/name` of what runs the pod. */
  readonly workload?: string;
}
