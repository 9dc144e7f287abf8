import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';

/** An object that two revisions make differently; values of Secrets are hidden. */
export interface ChangedObject {
  readonly action: 'create' | 'change' | 'delete';
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** What is live now, compared with the tracked revision: `Synced`, `OutOfSync`, or `Missing`; absent where it is not known. */
  readonly live?: string;
  readonly base?: KubeObject;
  readonly head?: KubeObject;
}

export interface PreviewedApplication {
  readonly namespace: string;
  readonly name: string;
  readonly revisions?: { readonly base: readonly string[]; readonly head: readonly string[] };
  /** Where the application itself comes or goes. */
  readonly action?: 'create' | 'delete';
  readonly objects: readonly ChangedObject[];
  /** Why it could not be previewed. */
  readonly problem?: Diagnosis;
  /** Whether it cannot be rendered at the base either. */
  readonly before?: boolean;
  /** Why it could not be rendered at the base, where the head can be: its objects are not compared. */
  readonly mended?: Diagnosis;
}

export interface Preview {
  /** How many were looked at. */
  readonly applications: number;
  /** Those with changes or problems. */
  readonly items: readonly PreviewedApplication[];
  /** What was not looked at, and why. */
  readonly notes?: readonly string[];
}
