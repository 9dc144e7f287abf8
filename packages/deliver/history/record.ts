/** What a record tells of. */
export type RecordKind =
  /** Manifests were made of other inputs than before. */
  | 'Rendered'
  /** Live objects differ from the manifests, or do no more. */
  | 'Drift'
  | 'Health'
  /** Automated sync does not do what it would, and why. */
  | 'Held'
  | 'SyncStarted'
  | 'SyncEnded'
  | 'Quarantined'
  | 'Released'
  /** Somebody did something by the API. */
  | 'Acted';

export interface HistoryObject {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a sync was to change of an object; values of Secrets and generated ones are hidden. */
export interface HistoryPatch extends HistoryObject {
  /** `create`, `apply`, `prune` … as the plan has it. */
  readonly action: string;
  readonly fields: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
}

/** A decision as it is appended. */
export interface HistoryRecord {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Names what is told of: a record of the same name is kept once. */
  readonly once: string;
  readonly kind: RecordKind;
  /** `namespace/name`. */
  readonly application: string;
  readonly project: string;
  /** Namespace of the destination; may be empty. */
  readonly namespace: string;
  /** Who: a user, `automated sync`, `self-heal`, `health gate`, `controller`. */
  readonly actor: string;
  /** One sentence for people. */
  readonly summary: string;
  readonly objects: readonly HistoryObject[];
  /** JSON: revisions, digests, plan, patches, results. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A record as it is read. */
export interface HistoryEntry extends Omit<HistoryRecord, 'once' | 'time'> {
  /** Grows with each record. */
  readonly id: number;
  /** RFC 3339 with milliseconds. */
  readonly time: string;
}
