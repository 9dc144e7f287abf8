/**
 * Where the delivery of a new version of Tiphys stands. `Proving`: a candidate runs beside the running version and may only read.
 * `AwaitingConfirmation`: it decides otherwise, and a person has to accept that. `Guarding`: a process of the running version that
 * can take back is started. `Applying`: the sync goes on, and the guard delivers in between. `Watching`: the new version delivers.
 * `TakingBack`: what was before is restored, and the guard delivers. The last three are ends.
 */
export type Phase =
  | 'Proving'
  | 'AwaitingConfirmation'
  | 'Guarding'
  | 'Applying'
  | 'Watching'
  | 'TakingBack'
  | 'Delivered'
  | 'Refused'
  | 'TakenBack';

/** A reason against a version: code and text of a diagnosis. */
export interface Finding {
  readonly code: string;
  readonly message: string;
}

/** An application that two versions judge in different ways. */
export interface DecisionDifference {
  /** `namespace/name` */
  readonly application: string;
  readonly running: string;
  readonly candidate: string;
}

export interface SelfUpdate {
  readonly phase: Phase;
  /** `namespace/name` of the Application that delivers Tiphys. */
  readonly application: string;
  readonly revisions: readonly string[];
  /** `startedAt` of the operation that is guarded. */
  readonly operation: string;
  /** Image of the controller before and after. */
  readonly from: string;
  readonly to: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Milliseconds since the epoch, as all times below. */
  readonly phaseSince: number;
  readonly periods: Periods;
  readonly findings: readonly Finding[];
  /** What is worth knowing and no reason against the version. */
  readonly notes: readonly string[];
  readonly differences: readonly DecisionDifference[];
  /** A person accepted the differences. */
  readonly confirmed?: boolean;
  /** Applications that the candidate has compared, and how many there are. */
  readonly compared?: { readonly applications: number; readonly of: number };
  /** When something that must last to count began, by its name; it is dropped when it ends. */
  readonly since: Readonly<Record<string, number>>;
  /** When the guard was last heard of. */
  readonly guardAt?: number;
  /** A sign of life that was asked for by a refresh, and is not answered yet. */
  readonly askedAt?: number;
  /** A sign of life was answered before: from then on they are expected soon. */
  readonly answered?: boolean;
  /** Why no pod can be asked through the API server, the running version's neither: what APIs answer is not judged. */
  readonly outOfReach?: string;
  /** A person wants the version before. */
  readonly takeBack?: boolean;
  /** After the end: what it needed is removed. */
  readonly settled?: boolean;
  /** Number of the candidate's last report and when it was first seen. */
  readonly report?: { readonly number: number; readonly at: number };
}

export interface Periods {
  /** How long the candidate must run without a fault, in milliseconds. */
  readonly proof: number;
  /** How long the new version is watched, in milliseconds. */
  readonly watch: number;
}

const phases: readonly string[] = [
  'Proving',
  'AwaitingConfirmation',
  'Guarding',
  'Applying',
  'Watching',
  'TakingBack',
  'Delivered',
  'Refused',
  'TakenBack',
] satisfies readonly Phase[];

/** Whether nothing is under way. */
export function isEnd(phase: Phase): boolean {
  return phase === 'Delivered' || phase === 'Refused' || phase === 'TakenBack';
}

/** Whether the guard decides, and not the processes of the installation. */
export function isGuards(phase: Phase): boolean {
  return phase === 'Applying' || phase === 'Watching' || phase === 'TakingBack';
}

/** The state that a ConfigMap's text holds; undefined if it holds none that this version knows. */
export function parseState(text: string | undefined): SelfUpdate | undefined {
  if (!text) return undefined;
  let value: Partial<SelfUpdate> | null;
  try {
    value = JSON.parse(text) as Partial<SelfUpdate> | null;
  } catch {
    return undefined;
  }
  const { phase, application, revisions, operation, phaseSince, periods, findings, since } = value ?? {};
  const known =
    typeof phase === 'string' &&
    phases.includes(phase) &&
    typeof application === 'string' &&
    Array.isArray(revisions) &&
    typeof operation === 'string' &&
    typeof phaseSince === 'number' &&
    typeof periods?.proof === 'number' &&
    typeof periods.watch === 'number' &&
    Array.isArray(findings) &&
    typeof since === 'object';
  return known ? (value as SelfUpdate) : undefined;
}
