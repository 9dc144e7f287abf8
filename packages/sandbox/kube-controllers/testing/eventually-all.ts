import type { Client, KubeObject } from '@tiphys/kubernetes';

/** For tests: waits by watching until all objects of a kind together are as wanted, and answers with them by name. */
export async function eventuallyAll<T extends KubeObject = KubeObject>(
  client: Client,
  apiVersion: string,
  kind: string,
  wanted: (objects: T[]) => boolean,
): Promise<T[]> {
  const signal = AbortSignal.timeout(120_000);
  const { items, metadata } = await client.list<T>({ apiVersion, kind });
  const objects = new Map(items.map((item) => [item.metadata.uid, item]));
  const sorted = () =>
    [...objects.values()].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  if (wanted(sorted())) return sorted();
  try {
    const options = { resourceVersion: metadata.resourceVersion ?? '', signal };
    for await (const { type, object } of client.watch<T>({ apiVersion, kind }, options)) {
      if (type === 'BOOKMARK') continue;
      if (type === 'DELETED') objects.delete(object.metadata.uid);
      else objects.set(object.metadata.uid, object);
      if (wanted(sorted())) return sorted();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new Error(`${kind}s did not become as wanted; they are ${JSON.stringify(sorted(), null, 1)}`);
}
