import { converting, expired, jsonIn, type Resource, type ServerContext, StatusError } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Item, StoreEvent } from '@tiphys/store';
import type { Wanted } from '../http/negotiate.ts';
import { type ItemFilter, itemFilter } from '../request/item-filter.ts';
import { listOptions } from '../request/list-options.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { plainRevision, requireReached } from '../request/revision.ts';
import { partialMetadata, tableOf } from './table.ts';
import type { WatchSink } from './watch-sink.ts';

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
  readonly sink: WatchSink;
  /** Key of cached frames by type of event. */
  readonly variants: Readonly<Record<StoreEvent['type'], string>>;
  /** A table's columns are sent once. */
  columnsSent: boolean;
}

/** Serves a watch until the client goes, the time is over or the revision is compacted. What is wrong with it is thrown before it is opened. */
export async function watch(
  server: ServerContext,
  resource: Resource,
  info: RequestInfo,
  query: URLSearchParams,
  wanted: Wanted,
  open: () => WatchSink | Promise<WatchSink | undefined>,
  closing: AbortSignal,
  started: () => void = () => {},
): Promise<void> {
  const collection = server.store.collection(resource.collection);
  const options = listOptions(query);
  const variant = `${resource.version} ${wanted.as} ${wanted.version} ${query.get('includeObject') ?? ''}`;
  const filter = itemFilter(resource, info, options);
  let revision = options.resourceVersion ? plainRevision(options.resourceVersion) : 0;
  const sink = await open();
  if (!sink) return;
  const state: Watch = {
    server,
    resource,
    filter,
    wanted,
    include: query.get('includeObject'),
    bookmarks: options.allowWatchBookmarks,
    sink,
    variants: { ADDED: `ADDED ${variant}`, MODIFIED: `MODIFIED ${variant}`, DELETED: `DELETED ${variant}` },
    columnsSent: false,
  };
  const fromNow = revision === 0;
  const initial = options.sendInitialEvents ?? fromNow;

  started();
  try {
    requireHistory(server, resource, revision, initial);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    sink.end(frame('ERROR', JSON.stringify(error.status)));
    return;
  }
  if (initial) {
    revision = server.store.revision;
    for (const item of collection.at(revision) ?? [])
      if (!state.filter || state.filter(item)) {
        const sent = converting(() => send(state, 'ADDED', item, undefined));
        if (sent instanceof Promise ? await sent : sent) await sink.drained();
      }
    if (options.sendInitialEvents && state.bookmarks) sink.write(bookmark(state, revision, true));
  } else if (fromNow) revision = server.store.revision;

  const timeout = options.timeoutSeconds * 1000 || DEFAULT_TIMEOUT;
  await follow(state, collection, revision, server.clock.now() + timeout, closing);
}

/** Throws why there can be no watch from this revision: what was before it is forgotten, or it has not been reached. */
function requireHistory({ store }: ServerContext, resource: Resource, revision: number, initial: boolean): void {
  if (revision === 0) return;
  if (initial) {
    requireReached(store, resource, revision);
    return;
  }
  // kube-apiserver says nothing until a revision of the future is reached. Here it means that the client saw a store that
  // is no more, and would wait in vain: it is to list again.
  const { compacted } = store.collection(resource.collection);
  if (revision > store.revision || revision < compacted || store.isLost(revision))
    throw expired(`too old resource version: ${revision} (${compacted + 1})`);
}

async function follow(
  state: Watch,
  collection: ReturnType<ServerContext['store']['collection']>,
  from: number,
  deadline: number,
  closing: AbortSignal,
): Promise<void> {
  const { server, sink } = state;
  let revision = from;
  const done = new AbortController();
  let wake = () => {};
  let cancel = () => {};
  const finish = () => done.abort();
  done.signal.addEventListener('abort', () => wake());
  const forget = sink.onClose(finish);
  closing.addEventListener('abort', finish);
  const stopTimer = every(server, BOOKMARK_EVERY, deadline, done, () => {
    if (state.bookmarks && revision >= from) sink.write(bookmark(state, server.store.revision, false));
  });
  try {
    while (!done.signal.aborted) {
      const events = collection.since(revision);
      if (!events) {
        sink.write(
          frame(
            'ERROR',
            JSON.stringify(expired(`too old resource version: ${revision} (${collection.compacted + 1})`).status),
          ),
        );
        break;
      }
      if (events.length) await server.store.durable();
      sink.cork();
      for (const event of events) {
        const delivered = converting(() => deliver(state, event));
        if (delivered instanceof Promise) await delivered;
        revision = event.revision;
      }
      sink.uncork();
      if (events.length) await sink.drained();
      else if (!done.signal.aborted)
        await new Promise<void>((resolve) => {
          // changes of one turn of the event loop go out together
          wake = () => void setImmediate(resolve);
          cancel = collection.onNextChange(() => wake());
        });
    }
  } finally {
    cancel();
    stopTimer();
    forget();
    closing.removeEventListener('abort', finish);
    sink.end();
  }
}

/** Sends what a change is to this watcher. */
function deliver(state: Watch, event: StoreEvent): void {
  const { filter } = state;
  const before = event.previous !== undefined && (!filter || filter(event.previous));
  const after = event.type !== 'DELETED' && (!filter || filter(event.item));
  if (after) send(state, before ? 'MODIFIED' : 'ADDED', event.item, event);
  else if (before && event.type === 'DELETED') send(state, 'DELETED', event.item, event);
  else if (before) {
    // Leaving the selection is reported with the last state that was in it, at the revision of the change.
    const { object: last } = event.previous as Item;
    const object = { ...last, metadata: { ...last.metadata, resourceVersion: String(event.revision) } };
    write(state, frame('DELETED', form(state, object)));
  }
}

/** True when the connection's buffer is full. */
function send(state: Watch, type: StoreEvent['type'], item: Item, event: StoreEvent | undefined): boolean {
  const text = () =>
    frame(type, state.wanted.as === 'object' ? jsonIn(state.resource, item) : form(state, item.object));
  // the first row of a table differs by its columns
  if (!event || (state.wanted.as === 'Table' && !state.columnsSent)) return write(state, text());
  event.frames ??= new Map();
  let bytes = event.frames.get(state.variants[type]);
  if (!bytes) {
    bytes = Buffer.from(text());
    event.frames.set(state.variants[type], bytes);
  }
  return write(state, bytes);
}

function write(state: Watch, bytes: string | Buffer): boolean {
  state.columnsSent = true;
  return !state.sink.write(bytes);
}

/** A stored object as the client wants to see it. */
function form(state: Watch, stored: KubeObject): string {
  const object = state.resource.fromStored(stored);
  if (state.wanted.as === 'Table') {
    const metadata = { resourceVersion: object.metadata.resourceVersion };
    return JSON.stringify(
      tableOf(state.resource, [{ object, stored }], metadata, {
        include: state.include,
        now: state.server.clock.now(),
        version: state.wanted.version,
        withoutColumns: state.columnsSent,
      }),
    );
  }
  return JSON.stringify(state.wanted.as === 'object' ? object : partialMetadata(object, state.wanted.version));
}

function bookmark(state: Watch, revision: number, initialEnd: boolean): string {
  const withColumns = !state.columnsSent;
  state.columnsSent = true;
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
        columnDefinitions: withColumns ? resource.columns : null,
        rows: [
          { cells: resource.cells({ apiVersion: '', kind: '', metadata: {} }, 0).map((cell) => cell ?? ''), object },
        ],
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

/**
 * Calls back at most at an interval of the clock until the deadline, then aborts. All do it at the same sixths of the
 * interval, so that few appointments are kept whatever is watched.
 */
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
      const now = server.clock.now();
      if (now >= deadline) return done.abort();
      const next = now + interval - ((now + interval) % (interval / 6));
      await server.clock.sleep(Math.min(next, deadline) - now, signal);
      if (next < deadline) tick();
    }
  };
  run().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return () => stop.abort();
}
