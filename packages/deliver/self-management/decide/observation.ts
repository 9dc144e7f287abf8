import type { DecisionDifference, Finding } from '../state/state.ts';

/** A process as its pods show it. */
export interface ProcessSeen {
  /** `Deployment argocd-server`, for people. */
  readonly name: string;
  /** All replicas are of the wanted revision and ready. */
  readonly ready: boolean;
  /** Why a container could not begin, such as `ImagePullBackOff: …`; undefined if they all could. */
  readonly waiting?: string;
  /** Why a container of the wanted revision ended, such as `exit code 1`, `OOMKilled`; undefined if none did. */
  readonly ended?: string;
}

/** Of the candidate. */
export interface CandidateSeen {
  readonly process: ProcessSeen;
  readonly report?: {
    /** Counts its reports. */
    readonly number: number;
    /** Complete rounds over all applications. */
    readonly rounds: number;
    readonly compared: number;
    readonly of: number;
    /** Share of the memory that it may take, from 0 to 1. */
    readonly memory?: number;
    /** What is wrong by its own account. */
    readonly problems: readonly Finding[];
  };
  /** What asking its API gave: undefined where it was answered well. */
  readonly apiProblem?: string;
  /** Why no pod can be asked: the running version's does not answer either, so that the way is at fault and not the version. */
  readonly outOfReach?: string;
  /** Its API was asked. */
  readonly apiAsked: boolean;
  readonly differences: readonly DecisionDifference[];
}

/** What was seen at one time. Members are absent where they do not matter to the phase or could not be looked at. */
export interface Observation {
  /** Reasons against the version that its manifests alone give. */
  readonly manifests?: readonly Finding[];
  /** `Ended` if it was terminated, or another one took its place. */
  readonly operation: 'Running' | 'Succeeded' | 'Failed' | 'Ended';
  readonly operationMessage?: string;
  readonly candidate?: CandidateSeen;
  readonly processes?: readonly ProcessSeen[];
  /** Somebody renews each lease of those who deliver. */
  readonly delivering?: boolean;
  readonly apiProblem?: string | undefined;
  readonly memory?: number;
  /** A write that changes nothing was refused. */
  readonly writeProblem?: string | undefined;
  /** The last refresh that was asked for is answered. */
  readonly answered?: boolean;
  readonly differences?: readonly DecisionDifference[];
  /** Everything that was before is there again, and the processes of it are ready. */
  readonly restored?: boolean;
}
