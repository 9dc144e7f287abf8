import type { KubeObject } from '@tiphys/kubernetes';
import type { Item } from '../store/collection.ts';
import { jsonOf } from '../store/store.ts';
import type { Answer } from './answer.ts';
import type { Body } from './body.ts';
import { deleteOptions, remove } from './delete.ts';
import { itemFilter, list } from './list.ts';
import type { Wanted } from './negotiate.ts';
import type { Operation } from './operation.ts';
import { patched, patchKind } from './patch.ts';
import { isTrue } from './request-info.ts';
import type { Resource } from './resource.ts';
import { storeKey } from './resource.ts';
import { review } from './reviews.ts';
import { badRequest } from './status.ts';
import { partialMetadata, tableOf } from './table.ts';
import { create, decodeObject, requireItem, resourceName, update } from './write.ts';

/** A request for a resource, with its body read. Everything from here on is synchronous, so that no other write comes between. */
export interface ResourceRequest {
  readonly operation: Operation;
  readonly query: URLSearchParams;
  readonly body: Body | undefined;
  readonly contentType: string | undefined;
  readonly wanted: Wanted;
}

/** Answers the verbs of a resource itself, and of its `status`. */
export function answerResource(request: ResourceRequest): Answer {
  const { operation, query, wanted } = request;
  const { server, resource, info } = operation;
  operation.duplicates = request.body?.duplicates ?? [];
  switch (info.verb) {
    case 'list':
      return { code: 200, body: list(server, resource, info, query, wanted) };
    case 'get': {
      const item = requireItem(operation);
      return rendered(request, 200, resource.fromStored(item.object), item);
    }
    case 'create': {
      const object = decodeObject(operation, bodyOf(request));
      return rendered(request, 201, review(operation, object) ?? create(operation, object));
    }
    case 'update': {
      const object = decodeObject(operation, bodyOf(request));
      const item = findItem(operation);
      if (!item && resource.strategy.createOnUpdate) return rendered(request, 201, create(operation, object));
      return rendered(request, 200, update(operation, object, item ?? requireItem(operation)));
    }
    case 'patch':
      return patch(request);
    case 'delete':
      return answerDelete(request);
    default:
      return deleteCollection(request);
  }
}

export function bodyOf(request: ResourceRequest): unknown {
  if (!request.body) throw badRequest('the request body must not be empty');
  return request.body.value;
}

function patch(request: ResourceRequest): Answer {
  const { operation } = request;
  const kind = patchKind(request.contentType, operation);
  const item = findItem(operation);
  if (!item && kind === 'apply' && operation.subresource === '') {
    const object = patched({
      kind,
      operation,
      old: undefined,
      patch: bodyOf(request),
      force: forceOf(request.query),
    });
    return rendered(request, 201, create(operation, object));
  }
  const current = item ?? requireItem(operation);
  const old = operation.resource.fromStored(current.object);
  const object = patched({
    kind,
    operation,
    old,
    patch: bodyOf(request),
    force: forceOf(request.query),
  });
  return rendered(request, 200, update(operation, object, current));
}

export function forceOf(query: URLSearchParams): boolean | undefined {
  const force = query.get('force');
  return force === null ? undefined : isTrue(force);
}

function answerDelete(request: ResourceRequest): Answer {
  const { operation, query, body } = request;
  const { resource } = operation;
  const { object, gone } = remove(operation, requireItem(operation), deleteOptions(body?.value, query));
  if (!gone || RETURNS_DELETED.has(resource.collection)) return rendered(request, 200, object);
  const { name, uid } = object.metadata;
  const details = {
    name,
    ...(resource.group ? { group: resource.group } : {}),
    kind: resourceName(resource).name,
    uid,
  };
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
  return { code: 200, body: JSON.stringify(status), warnings: operation.warnings };
}

/** Kinds whose deletion answers with the object instead of a Status. */
const RETURNS_DELETED = new Set([
  'pods',
  'services',
  'serviceaccounts',
  'persistentvolumes',
  'persistentvolumeclaims',
  'podtemplates',
  'resourcequotas',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
]);

function deleteCollection(request: ResourceRequest): Answer {
  const { operation, query, body, wanted } = request;
  const { server, resource, info } = operation;
  const options = deleteOptions(body?.value, query);
  const answer = list(server, resource, info, query, wanted);
  const filter = itemFilter(resource, info, query);
  const items = server.store.collection(resource.collection).at(server.store.revision) ?? [];
  for (const item of items) if (!filter || filter(item)) remove(operation, item, options);
  return { code: 200, body: answer, warnings: operation.warnings };
}

function findItem({ server, resource, info }: Operation): Item | undefined {
  return server.store.collection(resource.collection).get(storeKey(resource, info.namespace, info.name));
}

/** An object as the client wants to see it. */
function rendered(request: ResourceRequest, code: number, object: KubeObject, item?: Item): Answer {
  const { operation, wanted, query } = request;
  const { warnings, resource } = operation;
  if (wanted.as === 'object')
    return { code, body: item?.object === object ? jsonOf(item) : JSON.stringify(object), warnings };
  return { code, body: JSON.stringify(otherForm(request, resource, object, query)), warnings };
}

function otherForm(
  { wanted, operation }: ResourceRequest,
  resource: Resource,
  object: KubeObject,
  query: URLSearchParams,
): unknown {
  if (wanted.as !== 'Table' || object.kind !== resource.kind)
    return wanted.as === 'Table' ? object : partialMetadata(object, wanted.version);
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  return tableOf(resource, [object], metadata, {
    include: query.get('includeObject'),
    now: operation.server.clock.now(),
    version: wanted.version,
  });
}
