import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type HistoryEntry, type HistoryQuery, netChanges } from '@tiphys/history';
import { rbacName } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const historyNotHere = defineDiagnosis(
  'HistoryNotHere',
  'This process does not keep the history of decisions, and was told of no database that does',
);

const path = '/api/tiphys/v1/history';
/** Pages that one answer may look through for entries that the caller may see. */
const maxPages = 20;
const pageSize = 500;
/** Entries of which net changes are made. */
const maxChanged = 5_000;

/**
 * What was decided about applications, newest first. Undefined for other paths.
 * - `GET /api/tiphys/v1/history?since=…&until=…&application=[NAMESPACE/]NAME&namespace=…&object=[KIND/]NAME&before=ID&limit=…`: `items`, and
 *   `next`, the `before` of the next page, where there may be more. Times are RFC 3339.
 * - `GET /api/tiphys/v1/history/changes?…`: what became of each field that syncs changed between the two times, and by whom: `items`, and
 *   `partial` where there was more than is looked at.
 * Entries of applications that one may not `get` are left out.
 */
export function serveHistory(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (asked.path !== path && asked.path !== `${path}/changes`) return undefined;
  return serveOwn(asked, '/application.ApplicationService/List', async (call) => {
    const query = readQuery(parseUrlQuery(asked.request.url), context.namespace);
    if (asked.path === path) {
      const { items, next } = await visible(context, call, query, query.limit ?? 100);
      return { items, ...(next === undefined ? {} : { next }) };
    }
    const { items, next } = await visible(context, call, { ...query, kind: 'SyncStarted' }, maxChanged);
    return { items: netChanges(items), ...(next === undefined ? {} : { partial: true }) };
  });
}

interface Query extends HistoryQuery {
  readonly kind?: HistoryEntry['kind'];
}

async function visible(
  context: ServerContext,
  call: Call,
  { kind, ...query }: Query,
  limit: number,
): Promise<{ items: HistoryEntry[]; next: number | undefined }> {
  const { history, namespace } = context;
  if (!history) throw notHere();
  const enforcer = await context.enforcer();
  const items: HistoryEntry[] = [];
  let before = query.before;
  for (let page = 0; page < maxPages; page++) {
    const found = await history.query({ ...query, before, limit: pageSize });
    for (const entry of found) {
      before = entry.id;
      const [appNamespace = '', name = ''] = entry.application.split('/');
      const target = rbacName(
        { metadata: { name, namespace: appNamespace }, spec: { project: entry.project, destination: {} } },
        namespace,
      );
      if (kind && entry.kind !== kind) continue;
      if (!enforcer.allows(call.identity, 'applications', 'get', target)) continue;
      items.push(entry);
      if (items.length >= limit) return { items, next: before };
    }
    if (found.length < pageSize) return { items, next: undefined };
  }
  return { items, next: before };
}

function readQuery(search: URLSearchParams, controlNamespace: string): HistoryQuery {
  const text = (name: string) => search.get(name) || undefined;
  const application = text('application');
  const object = text('object');
  const slash = object?.indexOf('/') ?? -1;
  return {
    since: timeOf('since', text('since')),
    until: timeOf('until', text('until')),
    application: application && !application.includes('/') ? `${controlNamespace}/${application}` : application,
    namespace: text('namespace'),
    ...(object
      ? { object: { kind: slash < 0 ? undefined : object.slice(0, slash), name: object.slice(slash + 1) } }
      : {}),
    before: numberOf('before', text('before')),
    limit: Math.min(numberOf('limit', text('limit')) ?? 100, 1_000),
  };
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) && text.length < 40 ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw invalidArgument(`${name} must be a time such as 2026-01-31T10:00:00Z`);
  return time;
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw invalidArgument(`${name} must be a whole number from 1`);
  return value;
}

function notHere() {
  return failure(historyNotHere, {
    message: 'No history is kept where this server could read it',
    remedies: [
      { text: 'Give the processes one database', paste: 'TIPHYS_HISTORY=postgresql://user:password@host/tiphys' },
    ],
  });
}
