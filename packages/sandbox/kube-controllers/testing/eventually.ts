import type { Client, KubeObject } from '@tiphys/kubernetes';

/**
 * For tests: waits by watching until the object (undefined when there is none) is as wanted, and answers with it.
 * Rejects after two minutes with the last state.
 */
export async function eventually<T extends KubeObject = KubeObject>(
  client: Client,
  apiVersion: string,
  kind: string,
  name: string,
  wanted: (object: T | undefined) => boolean,
  namespace = 'default',
): Promise<T> {
  const resource = await client.discovery.find(apiVersion, kind);
  const ref = { apiVersion, kind, ...(resource?.namespaced === false ? {} : { namespace }) };
  const signal = AbortSignal.timeout(120_000);
  let last: T | undefined;
  try {
    const { items, metadata } = await client.list<T>(ref, { fieldSelector: `metadata.name=${name}` });
    last = items[0];
    if (wanted(last)) return last as T;
    const options = { fieldSelector: `metadata.name=${name}`, resourceVersion: metadata.resourceVersion ?? '', signal };
    for await (const { type, object } of client.watch<T>(ref, options)) {
      if (type === 'BOOKMARK') continue;
      last = type === 'DELETED' ? undefined : object;
      if (wanted(last)) return last as T;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new Error(`${kind} ${name} did not become as wanted; it is ${JSON.stringify(last, null, 1)}`);
}
