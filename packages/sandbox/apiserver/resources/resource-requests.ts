import { after, badRequest, jsonIn, StatusError, storeKey } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Item } from '@tiphys/store';
import { review } from '../access/reviews.ts';
import type { Answer } from '../http/answer.ts';
import type { Wanted } from '../http/negotiate.ts';
import type { Body } from '../http/parse-body.ts';
import { componentStatuses } from '../read/component-status.ts';
import { list } from '../read/list.ts';
import { partialMetadata, type TableKind, tableOf } from '../read/table.ts';
import { itemFilter } from '../request/item-filter.ts';
import { flag, listOptions } from '../request/list-options.ts';
import type { Operation } from '../request/operation.ts';
import { plainRevision, requireReached } from '../request/revision.ts';
import { decodeObject, unrecognized } from '../write/decode-object.ts';
import { type Deletion, deleteOptions, remove } from '../write/delete.ts';
import { checkPatchOptions, patched, patchKind } from '../write/patch.ts';
import {
  adoptNamespace,
  askConverter,
  checkName,
  create,
  RacedWrite,
  requireItem,
  resourceName,
  update,
} from '../write/write.ts';

/** A request for a resource, with its body read. Unless webhooks are asked everything from here on is synchronous, so that no other write comes between. */
export interface ResourceRequest {
  readonly operation: Operation;
  readonly query: URLSearchParams;
  readonly body: Body | undefined;
  readonly contentType: string | undefined;
  readonly wanted: Wanted;
}

/** Answers the verbs of a resource itself, and of its `status`. */
export function answerResource(request: ResourceRequest): Answer | Promise<Answer> {
  const { operation, query, wanted } = request;
  const { server, resource, info } = operation;
  operation.duplicates = request.body?.duplicates;
  operation.sent = request.body?.bytes;
  if (resource.collection === 'componentstatuses') return componentStatuses(operation, query, wanted);
  switch (info.verb) {
    case 'list':
      return { code: 200, body: list(server, resource, info, query, wanted) };
    case 'get': {
      requireReached(server.store, resource, plainRevision(query.get('resourceVersion') || '0'));
      const item = requireItem(operation);
      if (wanted.as === 'object') return { code: 200, body: jsonIn(resource, item), warnings: operation.warnings };
      return rendered(request, 200, resource.fromStored(item.object), item.object);
    }
    case 'create': {
      const object = decodeObject(operation, bodyOf(request));
      return after(review(operation, object) ?? create(operation, object), (made) => rendered(request, 201, made));
    }
    case 'update':
      return retried(() => put(request));
    case 'patch':
      return retried(() => patch(request));
    case 'delete':
      return answerDelete(request);
    default:
      return deleteCollection(request);
  }
}

export function bodyOf(request: ResourceRequest): unknown {
  const { info, resource } = request.operation;
  const { bytes = Buffer.alloc(0), value, problem } = request.body ?? { problem: EMPTY };
  const applied = info.verb === 'patch' && request.contentType?.includes('apply-patch');
  if (!problem && value === null && applied) throw badRequest('invalid object type: /, Kind=');
  if (!problem) return value;
  const { format, message } = problem;
  if (info.verb !== 'patch') throw unrecognized(resource, format === 'json' ? `${NO_KIND}${message}` : message, bytes);
  if (applied) throw badRequest(`error decoding YAML: error converting YAML to JSON: ${message}`);
  throw badRequest(request.contentType?.includes('strategic') ? message : `error decoding patch: ${message}`);
}

const EMPTY = { format: 'json', message: 'unexpected end of JSON input' } as const;
const NO_KIND = "couldn't get version/kind; json parse error: ";

/** Tries again what another write came between, as often as the API server does. */
function retried(attempt: () => Answer | Promise<Answer>, left = 5): Answer | Promise<Answer> {
  const result = attempt();
  if (!(result instanceof Promise)) return result;
  return result.catch((error: unknown) => {
    if (left > 0 && error instanceof RacedWrite) return retried(attempt, left - 1);
    throw error;
  });
}

function put(request: ResourceRequest): Answer | Promise<Answer> {
  const { operation } = request;
  const object = decodeObject(operation, bodyOf(request));
  adoptNamespace(operation, object.metadata);
  checkName(operation, object.metadata);
  const item = findItem(operation);
  if (!item && operation.resource.strategy.createOnUpdate)
    return after(create(operation, object), (made) => rendered(request, 201, made));
  return after(update(operation, object, item ?? requireItem(operation)), (next) => rendered(request, 200, next));
}

function patch(request: ResourceRequest): Answer | Promise<Answer> {
  const { operation } = request;
  const kind = patchKind(request.contentType, operation);
  checkPatchOptions(kind, operation, forceOf(request.query));
  const item = findItem(operation);
  if (!item && kind === 'apply' && operation.subresource === '') {
    const object = patched({
      kind,
      operation,
      old: undefined,
      patch: bodyOf(request),
      force: forceOf(request.query),
    });
    return after(create(operation, object), (made) => rendered(request, 201, made));
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
  return after(update(operation, object, current), (next) => rendered(request, 200, next));
}

export function forceOf(query: URLSearchParams): boolean | undefined {
  return flag(query.get('force'));
}

function answerDelete(request: ResourceRequest): Answer | Promise<Answer> {
  const { operation, query, body } = request;
  const options = deleteOptions(deletionBody(body), query);
  operation.dryRun = (options.dryRun?.length ?? 0) > 0;
  for (const text of operation.resource.strategy.deletionWarnings?.(options) ?? []) operation.warn(text);
  const removed = remove(operation, requireItem(operation), options);
  return after(removed, (deletion) => deletionAnswer(request, deletion));
}

/** A deletion's body; what it says of one that it cannot read is an error of its own. */
function deletionBody(body: Body | undefined): unknown {
  if (body?.problem) throw new StatusError(500, '', `${NO_KIND}${body.problem.message}`);
  return body?.value;
}

function deletionAnswer(request: ResourceRequest, { object, gone }: Deletion): Answer {
  const { operation } = request;
  const { resource } = operation;
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
  'resource.k8s.io/deviceclasses',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourceclaimtemplates',
  'resource.k8s.io/resourceslices',
  'resourcequotas',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
  'storage.k8s.io/volumeattributesclasses',
]);

function deleteCollection(request: ResourceRequest): Answer | Promise<Answer> {
  const { operation, query, body, wanted } = request;
  const { server, resource, info } = operation;
  const filter = itemFilter(resource, info, listOptions(query));
  const options = deleteOptions(deletionBody(body), query);
  operation.dryRun = (options.dryRun?.length ?? 0) > 0;
  for (const text of resource.strategy.deletionWarnings?.(options) ?? []) operation.warn(text);
  const answer = list(server, resource, info, query, wanted);
  const items = server.store.collection(resource.collection).at(server.store.revision) ?? [];
  const chosen = items.filter((item) => !filter || filter(item));
  // Before the first is gone.
  resource.needs?.(chosen.map((item) => item.object));
  for (const item of chosen) askConverter(resource, resource.fromStored(item.object));
  const next = (index: number): Answer | Promise<Answer> => {
    for (let at = index; at < chosen.length; at++) {
      const removed = remove(operation, chosen[at] as Item, options);
      if (removed instanceof Promise) return removed.then(() => next(at + 1));
    }
    return { code: 200, body: answer, warnings: operation.warnings };
  };
  return next(0);
}

function findItem({ server, resource, info }: Operation): Item | undefined {
  return server.store.collection(resource.collection).get(storeKey(resource, info.namespace, info.name));
}

/** The answer that has an object, in the form that the client wants. */
function rendered(request: ResourceRequest, code: number, object: KubeObject, stored?: KubeObject): Answer {
  const { operation, wanted } = request;
  const { warnings, resource } = operation;
  if (wanted.as === 'object') return { code, body: JSON.stringify(object), warnings };
  // A Status stays what it is, unless only its metadata is wanted.
  const form =
    wanted.as === 'Table' && object.kind !== resource.kind ? object : formOf(request, resource, object, stored);
  return { code, body: JSON.stringify(form), warnings };
}

/** One object as the client wants to see it: as it is, a table of it, or its metadata. */
export function formOf(
  { wanted, operation, query }: ResourceRequest,
  kind: TableKind,
  object: KubeObject,
  stored?: KubeObject,
): unknown {
  if (wanted.as === 'object') return object;
  if (wanted.as !== 'Table') return partialMetadata(object, wanted.version);
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  return tableOf(kind, [{ object, ...(stored ? { stored } : {}) }], metadata, {
    include: query.get('includeObject'),
    now: operation.server.clock.now(),
    version: wanted.version,
  });
}
