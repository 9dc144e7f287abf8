import type { Application, ApplicationSet } from '@tiphys/api';
import type { SharedState } from '@tiphys/applications';
import type { Pass } from '@tiphys/controller';
import { type Diagnosis, formatDiagnosis } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import type { Generation } from '../generators/generate-applications.ts';
import type { GeneratorSources } from '../generators/sources.ts';
import type { OwnedApplications } from '../live/owned-applications.ts';
import type { ApplicationSetSettings } from '../settings/settings.ts';
import type { NewCondition, Outcome } from '../status/conditions.ts';

/** Asks for a look at the sources themselves; taken off when it is done. */
export const refreshAnnotation = 'argocd.argoproj.io/application-set-refresh';

/** What all passes share. */
export interface SetContext {
  /** Of the process, for the writes of Applications. */
  readonly client: Client;
  readonly controlNamespace: string;
  readonly applications: OwnedApplications;
  readonly clusters: Pick<SharedState['clusters'], 'list'>;
  readonly sources: GeneratorSources;
  readonly settings: () => ApplicationSetSettings;
}

/** What is remembered of a set between passes; may be lost at any time. */
export interface SetMemory {
  /** What the generators last said, and for which generation of the set. */
  generation?: Generation | undefined;
  generationOf?: number | undefined;
  /** When the generators want to be asked again, in milliseconds. */
  evaluateAt?: number | undefined;
  /** Something that generators read may have changed. */
  stale: boolean;
  /** The next evaluation reads the sources themselves. */
  lookAgain: boolean;
  /** The generation of the set at which no deletions waited. */
  inOrderOf?: number | undefined;
  /** Consecutive passes that failed. */
  failures: number;
  /** Patches that the API server took without a change, by Application, so that they are not sent for ever. */
  readonly noEffect: Map<string, string>;
  /** What the pass at hand has found; begun anew by each. */
  work: Work;
}

/** The way of one pass. */
export interface Work {
  /** Generated, valid, and as they are to be written. */
  valid: Application[];
  /** Why some of the generated are not valid, by name. */
  invalid: Map<string, Diagnosis>;
  /** Told beside the conditions. */
  diagnoses: Diagnosis[];
  outcome: Outcome;
  rollout: NewCondition | undefined;
}

export type SetPass = Pass<ApplicationSet, SetContext, SetMemory>;

export function newMemory(): SetMemory {
  return { stale: true, lookAgain: false, failures: 0, noEffect: new Map(), work: newWork() };
}

export function newWork(): Work {
  return {
    valid: [],
    invalid: new Map(),
    diagnoses: [],
    outcome: { kind: 'up-to-date' },
    rollout: undefined,
  };
}

/** An outcome that is worse than what stands already; the first error stays. */
export function fail(work: Work, reason: string, diagnosis: Diagnosis, message = formatDiagnosis(diagnosis)): void {
  if (work.outcome.kind !== 'error') work.outcome = { kind: 'error', reason, message };
  work.diagnoses.push(diagnosis);
}

/** Milliseconds until a failed pass is tried again: from 5 s on, doubled up to upstream's 3 minutes. */
export function retryDelay(failures: number): number {
  return Math.min(5_000 * 2 ** Math.min(failures, 10), 180_000);
}
