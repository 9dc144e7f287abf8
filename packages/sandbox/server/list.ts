import type { KubeObject } from '@tiphys/kubernetes';
import type { Item } from '../store/collection.ts';
import type { ServerContext } from './context.ts';
import { FieldErrors } from './field-errors.ts';
import type { Wanted } from './negotiate.ts';
import type { RequestInfo } from './request-info.ts';
import { jsonIn, type Resource, storeKey } from './resource.ts';
import { fieldSelector, labelSelector } from './selectors.ts';
import { badRequest, expired, StatusError } from './status.ts';
import { partialMetadata, tableOf } from './table.ts';

/** Characters of a list that are sent together. */
const PIECE = 128 * 1024;

export type ItemFilter = (item: Item) => boolean;

/** Compiles namespace, label and field selectors of a list or watch. */
export function itemFilter(resource: Resource, info: RequestInfo, query: URLSearchParams): ItemFilter | undefined {
  const labels = query.get('labelSelector');
  const fields = query.get('fieldSelector');
  const byLabels = labels ? labelSelector(labels) : undefined;
  const byFields = fields
    ? fieldSelector(fields, {
        known: (field) => fieldKnown(resource, field),
        named: resource.strategy.fields !== undefined,
      })
    : undefined;
  const prefix = resource.namespaced && info.namespace ? `${info.namespace}/` : undefined;
  const name = info.name ? storeKey(resource, info.namespace, info.name) : undefined;
  if (!byLabels && !byFields && !prefix && !name) return undefined;
  return (item) =>
    (prefix === undefined || item.key.startsWith(prefix)) &&
    (name === undefined || item.key === name) &&
    (!byLabels || byLabels(item.object.metadata.labels ?? {})) &&
    (!byFields || byFields(fieldsOf(resource, item.object)));
}

function fieldKnown(resource: Resource, field: string): boolean {
  if (field === 'metadata.name' || (field === 'metadata.namespace' && resource.namespaced)) return true;
  return resource.strategy.fields
    ? field in resource.strategy.fields({ apiVersion: '', kind: '', metadata: {} })
    : false;
}

function fieldsOf(resource: Resource, object: KubeObject): Record<string, string> {
  return {
    ...resource.strategy.fields?.(object),
    'metadata.name': object.metadata.name ?? '',
    'metadata.namespace': object.metadata.namespace ?? '',
  };
}

interface Continue {
  /** Revision of the first page. */
  r: number;
  /** Last key of the page. */
  k: string;
}

/** Answers a list: one page of the collection at one revision, in the wanted form, as JSON text or its pieces. */
export function list(
  server: ServerContext,
  resource: Resource,
  info: RequestInfo,
  query: URLSearchParams,
  wanted: Wanted,
): string | Iterable<string> {
  const filter = itemFilter(resource, info, query);
  const limit = Number(query.get('limit') ?? 0) || 0;
  const collection = server.store.collection(resource.collection);
  const token = query.get('continue');
  const start = token ? decodeContinue(token) : undefined;
  const revision = start?.r ?? listRevision(server, query, limit);
  const all = collection.at(revision);
  if (!all) {
    throw expired(
      token
        ? 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'
        : `The provided resource version is too old: ${revision}`,
    );
  }
  const page: Item[] = [];
  let more = false;
  let remaining = 0;
  for (let index = start ? firstAfter(all, start.k) : 0; index < all.length; index++) {
    const item = all[index] as Item;
    if (filter && !filter(item)) continue;
    if (limit && page.length === limit) {
      more = true;
      if (query.get('labelSelector') || query.get('fieldSelector')) break;
      remaining += 1;
      continue;
    }
    page.push(item);
  }
  const metadata: Record<string, unknown> = { resourceVersion: String(revision) };
  if (more) {
    const last = page[page.length - 1] as Item;
    metadata.continue = encodeContinue({ r: revision, k: last.key });
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
    const objects = page.map((item) => resource.fromStored(item.object));
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
      items: page.map((item) => partialMetadata(resource.fromStored(item.object), wanted.version)),
    });
  }
  // Items of built-in kinds leave out what the list says for all of them.
  const prefix = `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(resource.apiVersion)},`;
  const item = (text: string) =>
    resource.custom === undefined && text.startsWith(prefix) ? `{${text.slice(prefix.length)}` : text;
  const begin = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(resource.apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`;
  const texts = page.every(({ apiVersion }) => apiVersion === resource.apiVersion)
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

function listRevision(server: ServerContext, query: URLSearchParams, limit: number): number {
  const given = query.get('resourceVersion');
  const match = query.get('resourceVersionMatch');
  if (match && !given)
    throw invalidList('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (!given) return server.store.revision;
  const revision = parseRevision(given);
  if (revision > server.store.revision) throw tooLarge(revision, server.store.revision);
  if (match === 'Exact' || (match === null && limit > 0 && revision > 0)) {
    if (match === 'Exact' && revision === 0)
      throw invalidList('resourceVersionMatch', 'resourceVersionMatch "Exact" is forbidden for resourceVersion "0"');
    return revision;
  }
  return server.store.revision;
}

/** A revision that this store has not reached: the client knows another one. */
function tooLarge(revision: number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** Options of a list or watch that don't go together. */
export function invalidList(field: string, detail: string): StatusError {
  const errors = new FieldErrors();
  errors.forbidden(field, detail);
  return errors.toStatus({ group: 'meta.k8s.io', name: 'ListOptions' }, '');
}

export function parseRevision(text: string): number {
  if (!/^\d+$/.test(text))
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return Number(text);
}

function firstAfter(items: readonly Item[], key: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as Item).key > key) high = middle;
    else low = middle + 1;
  }
  return low;
}

function encodeContinue(token: Continue): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function decodeContinue(token: string): Continue {
  try {
    const { r, k } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Partial<Continue>;
    if (typeof r === 'number' && typeof k === 'string') return { r, k };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badRequest('invalid continue token: continue key is not valid: incorrect format');
}
