import type { Diagnosis } from '@tiphys/diagnosis';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { ComparedResource } from '../model/model.ts';

export interface NoticeContext {
  readonly resources: readonly ComparedResource[];
  readonly cache: ClusterCache;
  /** Milliseconds. */
  readonly now: number;
}

/** What is wrong with one object; `soon` while it is too young to be told. */
export type Notice = Diagnosis | 'soon' | undefined;
