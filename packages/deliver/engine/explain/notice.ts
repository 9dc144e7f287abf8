import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { ComparedResource } from '../model/model.ts';

export interface NoticeContext {
  readonly resources: readonly ComparedResource[];
  readonly cache: ClusterCache;
  /** Milliseconds. */
  readonly now: number;
  /** By `group/Kind`. */
  readonly checks?: ReadonlyMap<string, ObjectCheck> | undefined;
}

/** What is wrong with one object; `soon` while it is too young to be told. */
export type Notice = Diagnosis | 'soon' | undefined;

/** What the family of a kind finds wrong in a desired object by reading it; `all` is what is desired with it. */
export type ObjectCheck = (object: KubeObject, all: readonly KubeObject[]) => readonly Diagnosis[];
