import type { ServerResponse } from 'node:http';
import type { KubeObject } from '@tiphys/kubernetes';
import { Item, type StoreEvent } from '../store/collection.ts';
import { jsonOf } from '../store/store.ts';
import type { ServerContext } from './context.ts';
import { converting } from './conversion-needed.ts';
import { type ItemFilter, invalidList, itemFilter, parseRevision } from './list.ts';
import type { Wanted } from './negotiate.ts';
import { isTrue, type RequestInfo } from './request-info.ts';
import type { Resource } from './resource.ts';
import { badRequest, expired } from './status.ts';
import { partialMetadata, tableOf } from './table.ts';

/** Without timeoutSeconds a watch ends by itself after this long, as with the real server (30 to 60 minutes). */
const DEFAULT_TIMEOUT = 45 * 60_000;
const BOOKMARK_EVERY = 60_000;

interface Watch {
  readonly server: ServerContext;
  readonly resource: Resource;
  readonly filter: ItemFilter | undefined;
  readonly wanted: Wanted;
  readonly include: string | null;
  readonly bookmarks: boolean;
  readonly response: ServerResponse;
  /** Key of cached frames: only unfiltered forms share them. */
  readonly variant: string;
  /** A table's columns are sent once. */
  columnsSent: boolean;
}

/** Serves a watch until the client goes, the time is over or the revision is compacted. */
export async function watch(
  server: ServerContext,
  resource: Resource,
  info: RequestInfo,
  query: URLSearchParams,
  wanted: Wanted,
  response: ServerResponse,
  closing: AbortSignal,
  started: () => void = () => {},
): Promise<void> {
  const collection = server.store.collection(resource.collection);
  const given = query.get('resourceVersion');
  const sendInitial = isTrue(query.get('sendInitialEvents'));
  checkWatchList(query, sendInitial);
  const state: Watch = {
    server,
    resource,
    filter: itemFilter(resource, info, query),
    wanted,
    include: query.get('includeObject'),
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    response,
    variant: `${resource.version} ${wanted.as} ${wanted.version} ${query.get('includeObject') ?? ''}`,
    columnsSent: false,
  };
  let revision = given ? parseRevision(given) : 0;
  const fromNow = revision === 0;
  // A revision of the future means that the client saw a store that is no more.
  if (
    !fromNow &&
    (revision > server.store.revision || server.store.isLost(revision) || collection.since(revision) === undefined)
  )
    throw expired(`too old resource version: ${revision} (${collection.compacted + 1})`);

  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  started();
  if (sendInitial || (fromNow && query.get('sendInitialEvents') === null)) {
    revision = server.store.revision;
    for (const item of collection.at(revision) ?? [])
      if (!state.filter || state.filter(item)) {
        const sent = converting(() => send(state, 'ADDED', item, undefined));
        if (sent instanceof Promise) await sent;
      }
    if (sendInitial && state.bookmarks) response.write(bookmark(state, revision, true));
  } else if (fromNow) revision = server.store.revision;

  const timeout = Number(query.get('timeoutSeconds') ?? 0) * 1000 || DEFAULT_TIMEOUT;
  await follow(state, collection, revision, server.clock.now() + timeout, closing);
}

function checkWatchList(query: URLSearchParams, sendInitial: boolean): void {
  if (query.get('sendInitialEvents') === null) return;
  if (query.get('resourceVersionMatch') !== 'NotOlderThan')
    throw invalidList(
      'resourceVersionMatch',
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  if (sendInitial && !isTrue(query.get('allowWatchBookmarks')) && query.get('allowWatchBookmarks') !== null)
    throw badRequest('sendInitialEvents requires allowWatchBookmarks');
}

async function follow(
  state: Watch,
  collection: ReturnType<ServerContext['store']['collection']>,
  from: number,
  deadline: number,
  closing: AbortSignal,
): Promise<void> {
  const { server, response } = state;
  let revision = from;
  const done = new AbortController();
  const finish = () => done.abort();
  response.on('close', finish);
  closing.addEventListener('abort', finish);
  const stopTimer = every(server, BOOKMARK_EVERY, deadline, done, () => {
    if (state.bookmarks && revision >= from) response.write(bookmark(state, server.store.revision, false));
  });
  try {
    while (!done.signal.aborted) {
      const events = collection.since(revision);
      if (!events) {
        response.write(
          frame(
            'ERROR',
            JSON.stringify(expired(`too old resource version: ${revision} (${collection.compacted + 1})`).status),
          ),
        );
        break;
      }
      if (events.length) await server.store.durable();
      let full = false;
      for (const event of events) {
        const delivered = converting(() => deliver(state, event));
        full = (delivered instanceof Promise ? await delivered : delivered) || full;
        revision = event.revision;
      }
      if (full) await drained(response, done.signal);
      else if (events.length === 0) await nextChange(collection, done.signal);
    }
  } finally {
    stopTimer();
    response.off('close', finish);
    closing.removeEventListener('abort', finish);
    response.end();
  }
}

/** Sends what a change is to this watcher; true when its connection's buffer is full. */
function deliver(state: Watch, event: StoreEvent): boolean {
  const { filter } = state;
  if (!filter) return send(state, event.type, event.item, event);
  const before = event.previous !== undefined && filter(event.previous);
  const after = event.type !== 'DELETED' && filter(event.item);
  if (after) return send(state, before ? 'MODIFIED' : 'ADDED', event.item, event);
  if (!before) return false;
  // Leaving the selection is told with the last state that was in it, at the revision of the change.
  const last = event.previous as Item;
  if (event.type === 'DELETED') return send(state, 'DELETED', event.item, event);
  const object = { ...last.object, metadata: { ...last.object.metadata, resourceVersion: String(event.revision) } };
  return send(state, 'DELETED', new Item(last.key, object, event.revision), undefined);
}

function send(state: Watch, type: string, item: Item, event: StoreEvent | undefined): boolean {
  const withColumns = state.wanted.as === 'Table' && !state.columnsSent;
  const variant = `${type} ${state.variant} ${withColumns}`;
  let text = event?.frames.get(variant);
  if (text === undefined) {
    text = frame(type, body(state, item, withColumns));
    event?.frames.set(variant, text);
  }
  state.columnsSent = true;
  return !state.response.write(text);
}

function body(state: Watch, item: Item, withColumns: boolean): string {
  const object: KubeObject = state.resource.fromStored(item.object);
  if (state.wanted.as === 'Table') {
    const metadata = { resourceVersion: object.metadata.resourceVersion };
    return JSON.stringify(
      tableOf(state.resource, [object], metadata, {
        include: state.include,
        now: state.server.clock.now(),
        version: state.wanted.version,
        withoutColumns: !withColumns,
      }),
    );
  }
  if (state.wanted.as !== 'object') return JSON.stringify(partialMetadata(object, state.wanted.version));
  return object === item.object ? jsonOf(item) : JSON.stringify(object);
}

function bookmark(state: Watch, revision: number, initialEnd: boolean): string {
  const metadata = {
    resourceVersion: String(revision),
    ...(initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
  };
  const { resource, wanted } = state;
  if (wanted.as === 'Table') {
    const object = { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${wanted.version}`, metadata };
    return frame(
      'BOOKMARK',
      JSON.stringify({
        kind: 'Table',
        apiVersion: `meta.k8s.io/${wanted.version}`,
        metadata: { resourceVersion: String(revision) },
        columnDefinitions: null,
        rows: [{ cells: [], object }],
      }),
    );
  }
  const kind = wanted.as === 'object' ? resource.kind : 'PartialObjectMetadata';
  const apiVersion = wanted.as === 'object' ? resource.apiVersion : `meta.k8s.io/${wanted.version}`;
  return frame('BOOKMARK', JSON.stringify({ kind, apiVersion, metadata }));
}

function frame(type: string, json: string): string {
  return `{"type":"${type}","object":${json}}\n`;
}

function nextChange(collection: ReturnType<ServerContext['store']['collection']>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = collection.onNextChange(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    response.on('drain', go);
    signal.addEventListener('abort', go, { once: true });
  });
}

/** Calls back at an interval of the clock until the deadline, then aborts. */
function every(
  server: ServerContext,
  interval: number,
  deadline: number,
  done: AbortController,
  tick: () => void,
): () => void {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, done.signal]);
  const run = async () => {
    while (!signal.aborted) {
      const left = deadline - server.clock.now();
      if (left <= 0) return done.abort();
      await server.clock.sleep(Math.min(interval, left), signal);
      if (left > interval) tick();
    }
  };
  run().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return () => stop.abort();
}
