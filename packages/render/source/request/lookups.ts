import type { ClusterFacts } from './rendered.ts';

/** One thing that a chart looked up in the cluster. */
export interface AskedLookup {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** For maps. */
export function lookupKey({ apiVersion, kind, namespace, name }: AskedLookup): string {
  return JSON.stringify([apiVersion, kind, namespace, name]);
}

/** What is in the cluster now of all that was looked up, by the same keys; null for what is not there. */
export async function answersTo(
  lookups: ReadonlyMap<string, AskedLookup>,
  cluster: ClusterFacts | undefined,
): Promise<Map<string, unknown>> {
  const answers = await Promise.all(
    [...lookups].map(async ([key, lookup]) => [key, (await cluster?.lookup?.(lookup)) ?? null] as const),
  );
  return new Map(answers);
}
