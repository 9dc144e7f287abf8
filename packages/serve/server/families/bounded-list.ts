import type { Client, KubeObject, ResourceRef } from '@tiphys/kubernetes';

/** How many objects of a kind are shown. */
const most = 500;
/** Objects of one request: Workflows may have a MiB each. */
const pageSize = 50;

/** What was read, and a sentence where that is not all, or where there is no such kind. */
export interface BoundedList<R> {
  readonly items: readonly R[];
  readonly note?: string;
}

interface Reading<T extends KubeObject, R> {
  /** What of an object is kept; undefined leaves it out. */
  readonly of: (object: T) => R | undefined;
  readonly labelSelector?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads the first 500 objects of a kind, by namespace and name, in small pages; keeps nothing of them beyond what `of` gives. */
export async function readBounded<T extends KubeObject, R>(
  client: Client,
  ref: ResourceRef,
  { of, labelSelector, signal }: Reading<T, R>,
): Promise<BoundedList<R>> {
  if (!(await client.discovery.find(ref.apiVersion, ref.kind)))
    return {
      items: [],
      note: `This cluster has no ${ref.kind}s: the kind ${ref.kind} of ${ref.apiVersion} is not installed.`,
    };
  const items: R[] = [];
  let from: string | undefined;
  for (let read = 0; read < most; ) {
    const page = await client.list<T>(ref, {
      limit: pageSize,
      ...(from ? { continue: from } : {}),
      ...(labelSelector ? { labelSelector } : {}),
      ...(signal ? { signal } : {}),
    });
    for (const object of page.items) {
      const kept = of({ ...object, apiVersion: ref.apiVersion, kind: ref.kind });
      if (kept !== undefined) items.push(kept);
    }
    read += page.items.length;
    from = page.metadata.continue;
    if (!from) return { items };
  }
  return { items, note: `There are more than ${most} ${ref.kind}s: the first ${most} by namespace and name are read.` };
}
