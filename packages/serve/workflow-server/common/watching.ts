import type { KubeObject, ResourceRef, WatchEvent } from '@tiphys/kubernetes';
import { Code, RpcError } from '@tiphys/server';
import type { FlowCall } from './caller.ts';
import type { WireListOptions } from './list-options.ts';

/** Watches as the API server does: what is there comes first unless a version is given. Ends with ResourceExhausted when the API server ends it. */
export async function* watchObjects<T extends KubeObject>(
  { client, signal }: FlowCall,
  ref: ResourceRef,
  options: WireListOptions,
): AsyncIterable<WatchEvent<T>> {
  const selectors = {
    ...(options.labelSelector ? { labelSelector: options.labelSelector } : {}),
    ...(options.fieldSelector ? { fieldSelector: options.fieldSelector } : {}),
  };
  let resourceVersion = options.resourceVersion ?? '';
  if (!resourceVersion || resourceVersion === '0') {
    const list = await client.list<T>(ref, { ...selectors, signal });
    for (const object of list.items) yield { type: 'ADDED', object };
    resourceVersion = list.metadata.resourceVersion ?? '';
  }
  for await (const event of client.watch<T>(ref, { ...selectors, resourceVersion, signal }))
    if (event.type !== 'BOOKMARK') yield event;
  if (!signal.aborted) throw new RpcError(Code.ResourceExhausted, 'EOF');
}
