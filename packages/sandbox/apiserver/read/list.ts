import {
  badRequest,
  expired,
  jsonIn,
  type Resource,
  readsAsStored,
  type ServerContext,
  type StatusError,
} from '@tiphys/apimachinery';
import type { Item } from '@tiphys/store';
import type { Wanted } from '../http/negotiate.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from '../request/continue-token.ts';
import { itemFilter } from '../request/item-filter.ts';
import { type ListOptions, listOptions } from '../request/list-options.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { parseRevision, requireReached } from '../request/revision.ts';
import { partialMetadata, tableOf } from './table.ts';

/** Characters of a list that are sent together. */
const PIECE = 128 * 1024;

/** Answers a list: one page of the collection at one revision, in the wanted form, as JSON text or its pieces. */
export function list(
  server: ServerContext,
  resource: Resource,
  info: RequestInfo,
  query: URLSearchParams,
  wanted: Wanted,
): string | Iterable<string> {
  const options = listOptions(query);
  const filter = itemFilter(resource, info, options);
  const collection = server.store.collection(resource.collection);
  const start = startOf(options);
  const cached = resource.collection !== 'events' && options.resourceVersion === '0';
  // What is answered from a real server's watch cache has no pages.
  const limit = cached && !start ? 0 : options.limit;
  const revision = !start
    ? listRevision(server, resource, options)
    : start.revision === -1
      ? server.store.revision
      : start.revision;
  const prefix = resource.namespaced && info.namespace ? `${info.namespace}/` : '';
  const all = collection.at(revision);
  if (!all) throw start ? expiredPage(start.start) : expired('The resourceVersion for the provided list is too old.');
  const page: Item[] = [];
  let more = false;
  let remaining = 0;
  for (let index = start ? firstFrom(all, prefix + start.start) : 0; index < all.length; index++) {
    const item = all[index] as Item;
    if (filter && !filter(item)) continue;
    if (limit && page.length === limit) {
      more = true;
      if (options.labels || options.fields.length) break;
      remaining += 1;
      continue;
    }
    page.push(item);
  }
  const metadata: Record<string, unknown> = { resourceVersion: String(revision) };
  if (more) {
    const last = page[page.length - 1] as Item;
    metadata.continue = encodeContinue({ revision, start: `${last.key.slice(prefix.length)}\0` });
    if (remaining) metadata.remainingItemCount = remaining;
  } else if (resource.custom !== undefined && wanted.as === 'object') metadata.continue = '';
  return listBody(server, resource, page, metadata, wanted, query);
}

/** A list's JSON, from the items' own cached JSON. */
function listBody(
  server: ServerContext,
  resource: Resource,
  page: readonly Item[],
  metadata: Record<string, unknown>,
  wanted: Wanted,
  query: URLSearchParams,
): string | Iterable<string> {
  resource.needs?.(page.map((item) => item.object));
  if (wanted.as === 'Table') {
    const objects = page.map(({ object }) => ({ object: resource.fromStored(object), stored: object }));
    return JSON.stringify(
      tableOf(resource, objects, metadata, {
        include: query.get('includeObject'),
        now: server.clock.now(),
        version: wanted.version,
      }),
    );
  }
  if (wanted.as !== 'object') {
    return JSON.stringify({
      kind: 'PartialObjectMetadataList',
      apiVersion: `meta.k8s.io/${wanted.version}`,
      metadata,
      items: page.length ? page.map((item) => partialMetadata(resource.fromStored(item.object), wanted.version)) : null,
    });
  }
  // Items of built-in kinds leave out what the list says for all of them.
  const prefix = `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(resource.apiVersion)},`;
  const item = (text: string) =>
    resource.custom === undefined && text.startsWith(prefix) ? `{${text.slice(prefix.length)}` : text;
  const begin = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(resource.apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`;
  const texts = page.every((one) => readsAsStored(resource, one))
    ? page.values().map(({ json }) => item(json))
    : page.map((one) => item(jsonIn(resource, one)));
  return pieces(begin, texts);
}

/** A list in pieces that are made as they are sent: all of it at once would take several times its size in memory. */
function* pieces(begin: string, items: Iterable<string>): Generator<string> {
  let piece = begin;
  let comma = '';
  for (const item of items) {
    piece += comma + item;
    comma = ',';
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}`;
}

function listRevision(server: ServerContext, resource: Resource, options: ListOptions): number {
  const { resourceVersion, resourceVersionMatch: match } = options;
  if (!resourceVersion) return server.store.revision;
  const revision = parseRevision(resourceVersion);
  requireReached(server.store, resource, revision);
  const exact = match === 'Exact' || (match === '' && options.limit > 0 && revision > 0);
  return exact ? revision : server.store.revision;
}

/** Where the page begins that the options ask for, if they do. */
function startOf(options: ListOptions): ContinueToken | undefined {
  if (!options.continue) return undefined;
  const start = decodeContinue(options.continue);
  if (options.resourceVersion && options.resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  return start;
}

/** The first page's revision is no more; anyone who does not mind goes on with the token of the answer. */
function expiredPage(start: string): StatusError {
  const error = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  error.status.metadata.continue = encodeContinue({ revision: -1, start });
  return error;
}

/** Index of the first item whose key is not before the given one. */
function firstFrom(items: readonly Item[], key: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as Item).key >= key) high = middle;
    else low = middle + 1;
  }
  return low;
}
