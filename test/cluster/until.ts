import type { Client, KubeObject } from '@tiphys/kubernetes';

/** Waits until the check holds of an object, by a watch; rejects with the last state after five minutes. */
export async function until<T extends KubeObject>(
  client: Client,
  ref: { apiVersion: string; kind: string; namespace: string; name: string },
  check: (object: T) => boolean,
): Promise<T> {
  const { name, ...kind } = ref;
  const signal = AbortSignal.timeout(300_000);
  let last: T | undefined;
  while (!signal.aborted) {
    const { items, metadata } = await client.list<T>(kind, { fieldSelector: `metadata.name=${name}`, signal });
    last = items[0] ?? last;
    if (items[0] && check(items[0])) return items[0];
    const watch = client.watch<T>(kind, {
      fieldSelector: `metadata.name=${name}`,
      resourceVersion: metadata.resourceVersion ?? '0',
      signal,
    });
    for await (const { object } of watch) {
      last = object;
      if (object.metadata.name === name && check(object)) return object;
    }
  }
  throw new Error(`${ref.kind} ${name} never came to it: ${JSON.stringify(last?.status)}`);
}
