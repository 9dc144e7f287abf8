import type { Diagnosis, Handling } from '@tiphys/diagnosis';
import type { RecordedValue } from '@tiphys/helm';
import type { ChartSource, KustomizationEdits, Program, RepoSpec } from '@tiphys/kustomize';
import type { DesiredObject } from '../request/desired-object.ts';
import type { AskedLookup } from '../request/lookups.ts';
import type { KustomizeInvocation } from './kustomize-invocation.ts';

/** A build, for another thread. */
export interface BuildTask extends Omit<KustomizeInvocation, 'components' | 'ignoreMissingComponents' | 'binary'> {
  readonly kind: 'build';
  /** Folder of the tree that has the number 0. */
  readonly folder: string;
  readonly edits: KustomizationEdits;
  /** Values that earlier renders of the application generated. */
  readonly recorded: readonly RecordedValue[];
  /** What charts looked up so far, by key. */
  readonly answers: ReadonlyMap<string, unknown>;
  /** Variables that programs see. */
  readonly environment: Readonly<Record<string, string>>;
  readonly maxObjects: number;
  /** Milliseconds of one chart. */
  readonly time: number;
}

/** What the thread can not do itself: it has neither the repositories nor the network. */
export type Call =
  | { readonly op: 'find' | 'list' | 'link' | 'read'; readonly tree: number; readonly path: string }
  | { readonly op: 'repository'; readonly spec: RepoSpec }
  | { readonly op: 'file'; readonly url: string }
  | { readonly op: 'pull'; readonly chart: ChartSource }
  | { readonly op: 'run'; readonly program: Program };

export interface CallResult {
  readonly value?: unknown;
  readonly failed?: { readonly diagnosis: Diagnosis; readonly handling: Handling };
}

export type BuildMessage = BuildTask | { readonly kind: 'results'; readonly results: readonly CallResult[] };

/** What the thread answers: calls, to be answered in their order, or the end. `lookups` is all that was asked. */
export type BuildReply =
  | { readonly kind: 'calls'; readonly calls: readonly Call[] }
  | ({ readonly kind: 'built'; readonly lookups: readonly AskedLookup[] } & BuiltKustomization)
  | {
      readonly kind: 'failed';
      readonly diagnosis: Diagnosis;
      readonly handling: Handling;
      readonly lookups: readonly AskedLookup[];
    };

export interface BuiltKustomization {
  readonly objects: readonly DesiredObject[];
  readonly warnings: readonly Diagnosis[];
  /** Values that charts generated, old and new. */
  readonly used: readonly RecordedValue[];
  /** Keys of those that are new. */
  readonly fresh: ReadonlySet<string>;
}
