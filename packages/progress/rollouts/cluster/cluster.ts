import type { AnalysisRun, AnalysisTemplate } from '@tiphys/analysis';
import type { Experiment, Rollout } from '@tiphys/api';
import { mergePatch } from '@tiphys/controller';
import { type Client, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import type { Service } from '../objects/kinds.ts';
import type { ReplicaSet } from '../objects/replica-set.ts';
import type { Shelf } from './shelf.ts';

/** The objects around Rollouts and Experiments: read from memory, written by requests. */
export interface Cluster {
  readonly client: Client;
  readonly replicaSets: Shelf<ReplicaSet>;
  readonly services: Shelf<Service>;
  readonly analysisRuns: Shelf<AnalysisRun>;
  readonly experiments: Shelf<Experiment>;
  readonly rollouts: { get(namespace: string, name: string): Rollout | undefined; list(): Iterable<Rollout> };
  template(namespace: string, name: string, clusterScope: boolean): AnalysisTemplate | undefined;
}

/** Makes an object and remembers it. Throws as the API server answers. */
export async function create<T extends KubeObject>(client: Client, shelf: Shelf<T>, object: T): Promise<T> {
  return shelf.keep(await client.create<T>(object));
}

/**
 * Writes the difference between an object as it was read and a changed copy. Fails with Conflict if somebody wrote in between;
 * the object itself if there is no difference, undefined if it is gone.
 */
export async function write<T extends KubeObject>(
  client: Client,
  shelf: Shelf<T>,
  { before, after }: { before: T; after: T },
): Promise<T | undefined> {
  const patch = mergePatch(before, after) as { metadata?: Record<string, unknown> } | undefined;
  if (patch === undefined) return before;
  const { resourceVersion } = before.metadata;
  try {
    return shelf.keep(
      await client.patch<T>(refOf(before), 'merge', { ...patch, metadata: { ...patch.metadata, resourceVersion } }),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    shelf.drop(before);
    return undefined;
  }
}

/** Deletes an object unless it is going or gone. */
export async function remove<T extends KubeObject>(client: Client, shelf: Shelf<T>, object: T): Promise<void> {
  if (object.metadata.deletionTimestamp) return;
  try {
    await client.delete(refOf(object), { propagationPolicy: 'Background' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  shelf.drop(object);
}

export function refOf({ apiVersion, kind, metadata }: KubeObject): {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
} {
  return { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
