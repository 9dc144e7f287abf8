import type { Readable } from 'node:stream';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import type { ArtifactKind } from './kinds.ts';

/** What the composition root gives to stores. */
export interface ArtifactAccess {
  /** The value of a key of a Secret of the workflow's namespace. Throws if it is not there or may not be read. */
  secret(reference: { readonly name: string; readonly key: string }): Promise<string>;
  /**
   * Whether the identity of this process may be used: `useSDKCreds`, roles of the pod, workload identity. In the pod it is the
   * workflow's own; in a server only for stores that its administrator names.
   */
  readonly ambient: boolean;
  /** Proxies, and the variables that clouds give to pods; of the process if absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Where the socket of a plugin is; `/tmp/artifact-plugins/NAME/socket` if absent. */
  pluginSocket?(name: string): string;
  /** Seconds that the socket of a plugin may take to be there; 120 if absent. */
  readonly pluginWait?: number;
}

export interface WriteOptions {
  /** Path below the key, for files of a folder. */
  readonly file?: string;
  /** Bytes, where they are known. */
  readonly size?: number;
}

/** Where one artifact is kept: a file at the key of its location, or a folder of files below it. Every method throws diagnoses. */
export interface ArtifactStore {
  readonly kind: ArtifactKind;
  /** The content of the file, or of one below the key. `isMissing` tells of an error whether there is none. */
  read(file?: string): Promise<Readable>;
  /** Stores a file; what was there before is replaced. */
  write(content: Readable, options?: WriteOptions): Promise<void>;
  /** Paths of the files below the key, relative to it; none for what is no folder. */
  files(): AsyncIterable<string>;
  /** Removes the file, or what is below a key that ends with `/`. What is not there is removed already. */
  remove(): Promise<void>;
  /** Present where the store fills a path itself: git, plugins. */
  loadTo?(path: string): Promise<void>;
  /** Present where the store reads a path itself: plugins. */
  saveFrom?(path: string): Promise<void>;
  close(): Promise<void>;
}

/** Whether an error of a store says that there is nothing. */
export function isMissing(error: unknown): boolean {
  return error instanceof DiagnosisError && error.diagnosis.code === 'ArtifactMissing';
}
