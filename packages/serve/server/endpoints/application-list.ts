import { setTimeout as pause } from 'node:timers/promises';
import type { ServerContext } from '../context/server-context.ts';
import type { ApplicationIndex, Entry, EntryChange } from '../overview/application-index.ts';
import { batchOf, type ChangeBatch } from '../overview/change-batch.ts';
import { type ListQuery, ListQueryError, readListQuery } from '../overview/list-query.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { isGone, write } from '../transport/http-message.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn, streamOwn } from './own-api.ts';

const list = '/api/tiphys/v1/applications';
/** Milliseconds in which changes are gathered before they are told. */
const gathering = 250;

/**
 * The list of applications as pages show it: filtered, sorted, counted and cut by the server. Undefined for other paths.
 * - `GET /api/tiphys/v1/applications?text=…&health=…&sort=…&offset=…&limit=…`: rows, how many match, counts by facet, `version`.
 * - `GET …/changes?…&since=VERSION`: server-sent events; what changed of that list since then, gathered for a quarter of a second.
 * What one may not `get` neither is listed nor counts.
 */
export function serveApplicationList(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (asked.path === list)
    return serveOwn(asked, '/application.ApplicationService/List', async (call) => {
      const { index } = context;
      const answer = index.list(readQuery(parseUrlQuery(asked.request.url)), await visibleTo(context, call));
      return { ...answer, version: versionOf(index) };
    });
  if (asked.path === `${list}/changes`)
    return streamOwn(asked, '/application.ApplicationService/Watch', (call) => sendChanges(context, call, asked));
  return undefined;
}

/** Another process counts anew, and must not take our number for one of its own. */
const process = crypto.randomUUID().slice(0, 8);
const versionOf = ({ version }: ApplicationIndex) => `${process}-${version}`;

function readQuery(search: URLSearchParams): ListQuery {
  try {
    return readListQuery(search);
  } catch (error) {
    throw error instanceof ListQueryError ? invalidArgument(error.message) : error;
  }
}

async function visibleTo(context: ServerContext, call: Call): Promise<(entry: Entry) => boolean> {
  const may = (await context.enforcer()).decider(call.identity, 'applications', 'get');
  return ({ rbacName }) => may(rbacName);
}

async function sendChanges(context: ServerContext, call: Call, { request, response }: OwnRequest): Promise<void> {
  const search = parseUrlQuery(request.url);
  const query = readQuery(search);
  const { index } = context;
  const [boot, number] = (search.get('since') ?? '').split('-');
  const missed = boot === process ? index.since(Number(number)) : undefined;
  const gathered: EntryChange[] = [...(missed ?? [])];
  let wake: () => void = () => undefined;
  const unsubscribe = index.subscribe((change) => {
    gathered.push(change);
    wake();
  });
  const ended = new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve(), { once: true }));
  const send = (batch: ChangeBatch) => write(response, `data: ${JSON.stringify({ result: batch })}\n\n`);
  try {
    if (!missed) await send({ version: versionOf(index), rows: [], stale: true });
    while (!isGone(response) && !call.signal.aborted) {
      if (gathered.length === 0) await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))]);
      await Promise.race([ended, pause(gathering, undefined, { ref: false })]);
      const batch = await nextBatch(context, call, query, gathered.splice(0));
      if (batch) await send({ version: versionOf(index), ...batch });
    }
  } finally {
    unsubscribe();
  }
}

async function nextBatch(context: ServerContext, call: Call, query: ListQuery, changes: readonly EntryChange[]) {
  return changes.length === 0 ? undefined : batchOf(changes, query, await visibleTo(context, call));
}
