import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Resource, type ServerContext, storeKey, timestamp } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';

/** Makes an object unless there is one of its name. */
export function ensure(
  server: ServerContext,
  group: string,
  version: string,
  plural: string,
  object: KubeObject,
): void {
  const resource = server.registry.find(group, version, plural) as Resource;
  const collection = server.store.collection(resource.collection);
  const key = storeKey(resource, object.metadata.namespace ?? '', object.metadata.name ?? '');
  if (collection.get(key)) return;
  const { name, namespace, ...rest } = object.metadata;
  const { kind, apiVersion } = resource;
  const generation = resource.strategy.generation ? { generation: 1 } : {};
  const metadata = {
    name: name as string,
    ...(namespace ? { namespace } : {}),
    uid: randomUUID(),
    ...generation,
    creationTimestamp: timestamp(server.clock),
    ...rest,
  };
  const status = /^(flowschemas|prioritylevelconfigurations)$/.test(plural) ? { status: {} } : {};
  server.store.put(
    collection,
    key,
    Object.assign({ kind, apiVersion }, object, { kind, apiVersion, metadata }, status),
  );
}

/** Makes an object; one of its name that is there already gets its content, while its metadata stay. */
export function keep(server: ServerContext, group: string, version: string, plural: string, object: KubeObject): void {
  ensure(server, group, version, plural, object);
  const resource = server.registry.find(group, version, plural) as Resource;
  const collection = server.store.collection(resource.collection);
  const key = storeKey(resource, object.metadata.namespace ?? '', object.metadata.name ?? '');
  const known = collection.get(key)?.object as KubeObject;
  const next = { ...known, ...object, metadata: known.metadata };
  if (!isDeepStrictEqual(next, known)) server.store.put(collection, key, next);
}
